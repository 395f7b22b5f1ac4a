"""Tests of the picture of two documents: ghosts are what the comparison calls removed, at their old place."""

from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.schema.diagram.changes import pair_documents, with_old_texts, with_room
from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.model import Box, BoxRow, Role
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import ChangeType, RenameColumn, SetLinkTarget
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.tables import RenameTable, remove_column, remove_table
from cdb_desktop.schema.working_copy import EditHistory, new_history
from tests.desktop.schema.diagram.graphs import measure
from tests.desktop.schema.models import (
    ARTIST,
    MODEL_FILES,
    NOTE,
    PERSON,
    PERSON_BORN,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    museum,
    opened,
    real,
)
from tests.desktop.schema.random_edits import EditDrawer

_MODELS = [museum(), *(real(path) for path in MODEL_FILES)]


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_painted_ghosts_are_what_the_comparison_removes(data: st.DataObject) -> None:
    """For any two states of any model, forwards and backwards; all rows of a removed table are ghosts."""
    history = _edited(data, _MODELS[data.draw(st.integers(0, len(_MODELS) - 1))])
    states = [state.document for state in history.states]
    picks = [states[data.draw(st.integers(0, len(states) - 1))] for _ in range(2)]
    for old, new in (picks, picks[::-1]):
        pair = pair_documents(old, new)
        refs = set(_refs(pair.document))
        changes = compare(old, new)
        removed = {
            change.ref
            for change in changes
            if change.sign == "−" and isinstance(change.ref, TableRef | ColumnRef)
        }
        whole = {ref for ref in removed if isinstance(ref, TableRef)}
        ghosts = {ref for ref in pair.removed & refs if isinstance(ref, TableRef | ColumnRef)}
        assert {
            ref for ref in ghosts if isinstance(ref, TableRef) or TableRef(ref.table) not in whole
        } == removed
        assert {ref for ref in refs if TableRef(ref.table) in whole} <= pair.removed  # type: ignore[union-attr]
        # All that the new document paints is still painted, and nothing is painted that neither has.
        assert set(_refs(new)) <= refs <= {*_refs(new), *_refs(old)}
        renamed = {change.ref for change in changes if change.sign == "→"}
        assert {ref for ref, text in pair.old_texts.items() if text.name} == renamed


def test_ghosts_are_at_their_old_place() -> None:
    """Columns after those that they followed, nested tables in their owner, with their links."""
    old = opened()
    new = _after(
        old, remove_column(ColumnRef(WORK, YEAR), dependents=True), remove_table(NOTE, dependents=True)
    )
    new = _after(new, remove_column(ColumnRef(WORK, ARTIST), dependents=True))
    pair = pair_documents(old, new)
    graph, before = GraphBuilder(measure).build(pair.document), GraphBuilder(measure).build(old)
    rows = [[row.ref for row in _box(each.boxes, WORK).rows] for each in (graph, before)]
    assert rows[0] == rows[1]
    assert [inner.table for inner in _box(graph.boxes, WORK).nested] == [NOTE]
    assert {edge.ref for edge in graph.edges} == {edge.ref for edge in before.edges}
    assert pair.document.by_key[PERSON] is new.by_key[PERSON]


def test_old_names_and_types_are_in_the_rows() -> None:
    """As ``old → new``; boxes become as wide as they need."""
    old = opened()
    new = _after(
        old,
        RenameColumn(ColumnRef(WORK, TITLE), "a_much_longer_title_than_before"),
        ChangeType(ColumnRef(PERSON, PERSON_BORN), "text"),
        RenameTable(PLACE, "location"),
        SetLinkTarget(ColumnRef(WORK, ARTIST), PLACE),
    )
    pair = pair_documents(old, new)
    boxes = [
        with_old_texts(box, pair.old_texts, measure)
        for box in GraphBuilder(measure).build(pair.document).boxes
    ]
    assert _box(boxes, PLACE).name == "place → location"
    title = _row(boxes, WORK, ColumnRef(WORK, TITLE))
    assert title.name == "title → a_much_longer_title_than_before"
    assert _box(boxes, WORK).width > measure(title.name, Role.NAME)[0]
    assert _row(boxes, PERSON, ColumnRef(PERSON, PERSON_BORN)).type == "date → text"
    assert _row(boxes, WORK, ColumnRef(WORK, ARTIST)).type == "→ location, was person"
    unchanged = GraphBuilder(measure).build(old).boxes[0]
    assert with_old_texts(unchanged, {}, measure) is unchanged


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 900), st.integers(0, 900), st.integers(40, 300)), max_size=25))
def test_boxes_get_room(corners: list[tuple[int, int, int]]) -> None:
    """None covers another, none moves to the side, and those with room stay."""
    boxes = [
        Box(number, "t", (), 0.0, 0.0, 120.0, float(height), 20.0, ())
        for number, (_, _, height) in enumerate(corners)
    ]
    before = {number: (float(x), float(y)) for number, (x, y, _) in enumerate(corners)}
    found = with_room(boxes, before)
    placed = [box.at(found[box.table]) for box in boxes]
    for box in placed:
        assert box.x == before[box.table][0]
        assert box.y >= before[box.table][1]
        for other in placed:
            across = box.x < other.right and other.x < box.right
            assert box is other or not (across and box.y < other.bottom and other.y < box.bottom)
    assert with_room(boxes, found) == found


def _edited(data: st.DataObject, raw: dict[str, object]) -> EditHistory:
    drawer, history = EditDrawer(data.draw), new_history(read_document(raw))
    for _ in range(data.draw(st.integers(0, 8))):
        history = drawer.step(history)
    return history


def _after(document: Document, *edits: Edit) -> Document:
    history = new_history(document)
    for edit in edits:
        history = history.applied(edit)
    return history.document


def _refs(document: Document) -> list[ElementRef]:
    """All heads and rows that are painted of a document."""

    def inside(box: Box) -> list[ElementRef]:
        found: list[ElementRef] = [TableRef(box.table), *(row.ref for row in box.rows)]
        return [*found, *(ref for nested in box.nested for ref in inside(nested))]

    return [ref for box in GraphBuilder(measure).build(document).boxes for ref in inside(box)]


def _box(boxes: list[Box] | tuple[Box, ...], table: int) -> Box:
    return next(box for box in boxes if box.table == table)


def _row(boxes: list[Box], table: int, ref: ElementRef) -> BoxRow:
    return next(row for row in _box(boxes, table).rows if row.ref == ref)
