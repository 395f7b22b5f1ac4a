"""Tests of incremental building: only changed boxes are built, and the result is that of a new builder."""

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.schema.diagram.graph_builder import (
    GraphBuilder,
    can_fold,
    hidden_columns,
    is_hidden_columns,
    reduced_graph,
)
from cdb_desktop.schema.diagram.model import Arrangement, Box, BoxRow, Mark, Role, SchemaGraph
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, ReverseLinkRef, UniqueKeyRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.columns import AddUniqueKey, SetColumnOptions
from cdb_desktop.schema.edits.tables import RenameTable, SetTableOptions
from cdb_desktop.schema.files.model_files import read_file
from cdb_desktop.schema.working_copy import new_history
from tests.desktop.schema.diagram.graphs import LETTER, graph_of, large_model, measure
from tests.desktop.schema.models import (
    ARTIST,
    MARK,
    MODEL_FILES,
    NOTE,
    NOTE_SOURCE,
    PERSON,
    PICTURE,
    PICTURE_WORK,
    PLACE,
    TITLE,
    WORK,
    apply,
    column,
    museum,
    opened,
    other,
    table,
    unique,
)
from tests.desktop.schema.random_edits import EditDrawer


def test_unchanged_boxes_are_reused() -> None:
    """An edit rebuilds the box of its table and those of tables that link to it."""
    maker = GraphBuilder(measure)
    before = {box.name: box for box in maker.build(opened()).boxes}
    document = opened()
    maker.build(document)
    before = {box.name: box for box in maker.build(document).boxes}
    after = maker.build(apply(document, RenameTable(PLACE, "location"))).boxes
    assert [box.name for box in after if box is before.get(box.name)] == ["person", "picture"]


def test_a_text_is_measured_once() -> None:
    """Measuring is the slow part of a large graph."""
    texts: list[tuple[str, Role]] = []

    def counting(text: str, role: Role) -> tuple[float, float]:
        texts.append((text, role))
        return measure(text, role)

    maker = GraphBuilder(counting)
    document = opened()
    maker.build(document)
    maker.build(apply(document, SetTableOptions(PERSON, {"has_tags": True})))
    assert len(texts) == len(set(texts))


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_after_any_edits_the_graph_equals_that_of_a_new_builder(data: st.DataObject) -> None:
    """No outdated box is reused."""
    maker, drawer, history = (
        GraphBuilder(measure),
        EditDrawer(data.draw),
        new_history(read_document(museum())),
    )
    for _ in range(data.draw(st.integers(1, 6))):
        history = drawer.step(history)
        assert maker.build(history.document) == GraphBuilder(measure).build(history.document)


def test_rows_have_the_order_of_the_entries() -> None:
    """Columns have their types, links their targets, reverse links the tables that they edit."""
    work = _boxes()[WORK]
    assert [(row.name, row.type) for row in work.rows] == [
        ("title", "text_oneline"),
        ("year", "number"),
        ("artist", "→ person"),
        ("origin", "→ place"),
        ("picture.work", "←"),
    ]
    assert work.rows[0].ref == ColumnRef(WORK, TITLE)
    assert work.rows[-1].ref == ReverseLinkRef(WORK, PICTURE, PICTURE_WORK)


def test_symbols_show_the_options_of_columns_and_tables() -> None:
    """Options and keys have symbols."""
    document = apply(opened(), AddUniqueKey(UniqueKeyRef(WORK, (TITLE,))))
    boxes = {box.table: box for box in graph_of(document).boxes}
    assert boxes[WORK].marks == (Mark.IN_POOLS,)
    assert boxes[WORK].rows[0].marks == (Mark.REQUIRED, Mark.UNIQUE)
    assert boxes[PERSON].rows[0].marks == (Mark.UNIQUE, Mark.CHECKED)
    assert boxes[PICTURE].rows[1].marks == (Mark.REVERSE_EDIT,)


def test_nothing_is_truncated_and_nothing_overlaps() -> None:
    """Each row fits its texts within its table, below the previous one."""
    for box in _all(graph_of().boxes):
        bottom = box.y + box.head_height
        parts = sorted([*((row.y, row.height) for row in box.rows), *((n.y, n.height) for n in box.nested)])
        for y, height in parts:
            assert y >= bottom
            bottom = y + height
        assert bottom <= box.bottom
        assert all((len(row.name) + len(row.type)) * LETTER < box.width for row in box.rows)


def test_nested_tables_are_within_their_owners() -> None:
    """At any depth they are at their entry, with the full available width."""
    work = _boxes()[WORK]
    (note,) = work.nested
    (mark,) = note.nested
    assert (note.table, mark.table) == (NOTE, MARK)
    assert work.rows[2].y < note.y < work.rows[3].y
    for outer, inner in ((work, note), (note, mark)):
        assert outer.x < inner.x < inner.right < outer.right
        assert outer.x + outer.width - inner.right == inner.x - outer.x


def test_every_table_of_a_defective_model_is_drawn_once() -> None:
    """Missing entries, missing owners and cyclic nesting are drawn too."""
    raw = museum()
    raw["tables"][2]["columns"].pop(3)
    raw["tables"][3]["owned_by"] = other(MARK, "work__note__mark")
    raw["tables"][0]["owned_by"] = other(99, "gone")
    raw["tables"][1]["owned_by"] = other(NOTE, "work__note")
    drawn = [box.table for box in _all(graph_of(read_document(raw)).boxes)]
    assert sorted(drawn) == [table["table_id"] for table in raw["tables"]]


def test_links_have_rows_heads_and_cardinalities() -> None:
    """A link leads from a row of a nested table to the head of another box."""
    document = apply(opened(), AddUniqueKey(UniqueKeyRef(WORK, (ARTIST,))))
    document = apply(document, SetColumnOptions(ColumnRef(WORK, ARTIST), {"not_null": True}))
    boxes = {box.table: box for box in graph_of(document).boxes}
    edges = {edge.ref: edge for edge in graph_of(document).edges}
    source = edges[ColumnRef(NOTE, NOTE_SOURCE)]
    row = boxes[WORK].nested[0].rows[1]
    assert (source.source, source.target, source.linked) == (WORK, PERSON, PERSON)
    assert source.source_y == row.y + row.height / 2
    assert source.target_y == boxes[PERSON].head_height / 2
    assert (source.required, source.unique) == (False, False)
    artist = edges[ColumnRef(WORK, ARTIST)]
    assert (artist.required, artist.unique) == (True, True)


def _boxes() -> dict[int, Box]:
    return {box.table: box for box in graph_of().boxes}


def _all(boxes: tuple[Box, ...]) -> Iterator[Box]:
    for box in boxes:
        yield box
        yield from _all(box.nested)


def _folded(graph: SchemaGraph, *changed: ElementRef) -> SchemaGraph:
    every = frozenset(box.table for box in graph.boxes)
    return reduced_graph(graph, Arrangement(folded=every), measure, changed)


def _rows(box: Box) -> list[ElementRef]:
    return [*(row.ref for row in box.rows), *(ref for inner in box.nested for ref in _rows(inner))]


def test_only_keys_links_and_changes_are_shown() -> None:
    """One row says how many columns are hidden."""
    graph = graph_of(read_document(large_model(15)))
    changed = ColumnRef(12, 121)
    folded = _folded(graph, changed)
    for before, after in zip(graph.boxes, folded.boxes, strict=True):
        shown = [row for row in after.rows if not is_hidden_columns(row.ref)]
        assert all(row.type.startswith("→") or row.ref == changed for row in shown)
        hidden = next(row for row in after.rows if is_hidden_columns(row.ref))
        assert hidden.ref == hidden_columns(after.table)
        assert hidden.name == f"{len(before.rows) - len(shown)} more columns"
        assert after.height < before.height
        assert after.width == before.width
    assert changed in _rows(folded.boxes[11])


def test_links_end_at_the_rows_that_are_left() -> None:
    """In tables with others nested in them as well, of all test models."""
    graphs = [graph_of(read_file(path).model.document) for path in MODEL_FILES] + [graph_of()]
    for graph in graphs:
        folded = _folded(graph)
        boxes = {box.table: box for box in folded.boxes}
        assert len(folded.edges) == len(graph.edges)
        for edge in folded.edges:
            middles = _middles(boxes[edge.source])
            assert abs(middles[edge.ref] - edge.source_y) < 0.01
        for box in folded.boxes:
            _check(box, 0.0)


def test_unchanged_graphs_stay_the_same_objects() -> None:
    """Without groups and folded tables nothing is computed."""
    graph = graph_of()
    assert reduced_graph(graph, Arrangement(), measure) is graph


def test_a_single_hidden_column_is_shown() -> None:
    """A row that says that there is one more would take the same space; none is hidden from unique keys."""
    keys = [unique("three", a=3, b=4)]
    tables = [
        table(1, "one", column(1, "a")),
        table(2, "two", column(2, "a"), column(5, "b")),
        table(3, "three", column(3, "a"), column(4, "b"), unique_keys=keys),
    ]
    graph = graph_of(read_document({"version": 1, "tables": tables}))
    assert [can_fold(box) for box in graph.boxes] == [False, True, False]
    assert [_rows(box) for box in _folded(graph).boxes] == [
        [ColumnRef(1, 1)],
        [hidden_columns(2)],
        [ColumnRef(3, 3), ColumnRef(3, 4)],
    ]


def _middles(box: Box) -> dict[ElementRef, float]:
    found: dict[ElementRef, float] = {row.ref: row.y + row.height / 2 for row in box.rows}
    for inner in box.nested:
        found |= _middles(inner)
    return found


def _check(box: Box, top: float) -> None:
    """Rows and nested boxes lie one below the other inside of the box."""
    below = top + box.head_height
    members: list[BoxRow | Box] = [*box.rows, *box.nested]
    for member in sorted(members, key=lambda each: each.y):
        assert member.y >= below - 0.01
        below = member.y + member.height
        if isinstance(member, Box):
            _check(member, member.y)
    assert below <= top + box.height + 0.01
