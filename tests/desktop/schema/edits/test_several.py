"""Tests of edits of several columns."""

from __future__ import annotations

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.columns import AddColumns, MoveEntries, NewColumn, change_types
from cdb_desktop.schema.edits.edit import EditError
from tests.desktop.schema.models import ORIGIN, PERSON, PERSON_BORN, PERSON_NAME, TITLE, WORK, opened
from tests.durations import shortest


def test_columns_and_links_are_added_in_one_step() -> None:
    """At an index, with a foreign key for each link."""
    document = opened()
    edit = AddColumns(PERSON, (NewColumn("age", "number"), NewColumn("work", "link", {}, WORK)), 1)
    after = edit.apply_to(document)
    assert [column.name for column in after.by_key[PERSON].columns] == ["name", "age", "work", "born"]
    assert [key.target for key in after.by_key[PERSON].foreign_keys] == [WORK]
    assert str(edit.title(document)) == "Add 2 columns to person"
    assert find_problems(after) == find_problems(document)
    with pytest.raises(EditError):
        edit.apply_to(after)
    with pytest.raises(EditError):
        AddColumns(PERSON, (NewColumn("work", "link"),)).apply_to(document)


@pytest.mark.parametrize(
    ("index", "names"),
    [(0, ["title", "origin", "year", "artist"]), (6, ["year", "artist", "title", "origin"])],
)
def test_entries_are_moved_together(index: int, names: list[str]) -> None:
    """In their order, before the entry at the index."""
    document = opened()
    edit = MoveEntries(WORK, (ColumnRef(WORK, ORIGIN), ColumnRef(WORK, TITLE)), index)
    assert [column.name for column in edit.apply_to(document).by_key[WORK].columns] == names


def test_a_move_to_the_same_place_changes_nothing() -> None:
    """It is no undo step."""
    document = opened()
    assert MoveEntries(WORK, (ColumnRef(WORK, TITLE),), 1).apply_to(document) is document


def test_types_are_changed_together() -> None:
    """Also into links."""
    document = opened()
    edit = change_types(document, PERSON, (PERSON_NAME, PERSON_BORN), "link", WORK)
    after = edit.apply_to(document)
    assert {column.type for column in after.by_key[PERSON].columns} == {"link"}
    assert len(after.by_key[PERSON].foreign_keys) == 2
    assert str(edit.title(document)) == "Change the type of 2 columns of person to link"


def test_many_columns_are_added_quickly() -> None:
    """To a large model: more quickly than the model is read."""
    tables = [{"name": f"t{number}", "columns": []} for number in range(1000)]
    raw = {"version": 1, "tables": tables}
    document = read_document(raw)
    target = document.tables[1].key
    columns = tuple(NewColumn(f"c{number}", "link", {}, target) for number in range(200))
    edit = AddColumns(document.tables[0].key, columns)
    assert len(edit.apply_to(document).tables[0].columns) == 200
    assert shortest(lambda: edit.apply_to(document)) < 2 * shortest(lambda: read_document(raw))
