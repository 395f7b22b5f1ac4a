"""Tests of boxes: they fit their texts, contain nested tables, and each row has its element's reference."""

from __future__ import annotations

from collections.abc import Iterator

from cdb_desktop.schema.diagram.model import Box, Mark
from cdb_desktop.schema.document.element_ref import ColumnRef, ReverseLinkRef, UniqueKeyRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.columns import AddUniqueKey, SetColumnOptions
from cdb_desktop.schema.edits.tables import RenameTable
from tests.desktop.schema.diagram.graphs import LETTER, graph_of
from tests.desktop.schema.models import (
    ARTIST,
    MARK,
    NOTE,
    NOTE_SOURCE,
    PERSON,
    PERSON_NAME,
    PICTURE,
    PICTURE_WORK,
    TITLE,
    WORK,
    apply,
    museum,
    opened,
    other,
)


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


def test_names_of_other_elements_are_current() -> None:
    """A link shows the present name of its target."""
    document = apply(opened(), RenameTable(PERSON, "people"))
    boxes = {box.table: box for box in graph_of(document).boxes}
    assert boxes[WORK].rows[2].type == "→ people"
    assert boxes[PERSON].rows[0].ref == ColumnRef(PERSON, PERSON_NAME)


def _boxes() -> dict[int, Box]:
    return {box.table: box for box in graph_of().boxes}


def _all(boxes: tuple[Box, ...]) -> Iterator[Box]:
    for box in boxes:
        yield box
        yield from _all(box.nested)
