"""Tests of undo past a save: elements whose ids HEAD no longer has."""

from __future__ import annotations

from cdb_desktop.schema.commit.saved_ids import AssignedIds, LostIds
from cdb_desktop.schema.diff.compare import ChangeKind
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.tables import RemoveColumn, RemoveTable, RenameTable
from cdb_desktop.schema.working_copy import WorkingCopy, open_model_file
from cdb_desktop.schema.working_copy import open_head as begun
from tests.desktop.schema.models import (
    PERSON,
    PICTURE,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    column_named,
    inconsistent_references,
    named,
    opened,
)


def test_a_removed_table_is_restored_as_a_new_one() -> None:
    """It has no ids in any older state, and the changes state what a commit would do to its values."""
    restored = _saved(begun(opened(), opened()).applied(RemoveTable(PERSON, dependents=True))).jumped(0)
    person = named(restored.document, "person")
    assert (person.id, [column.id for column in person.columns]) == (None, [None, None])
    assert inconsistent_references(restored.document) == []
    kinds = {change.kind for change in restored.changes if change.ref == TableRef(PERSON)}
    assert kinds == {ChangeKind.REMOVED}
    assert ChangeKind.ADDED in {
        change.kind for change in restored.changes if change.ref == TableRef(person.key)
    }
    assert restored.recreated[TableRef(PERSON)] == TableRef(person.key)


def test_a_removed_column_is_restored_as_a_new_one() -> None:
    """Its table and the other columns are the same."""
    before = begun(opened(), opened())
    restored = _saved(before.applied(RemoveColumn(ColumnRef(WORK, YEAR), dependents=True))).jumped(0)
    year = column_named(restored.document, "work", "year")
    assert restored.recreated == {ColumnRef(WORK, YEAR): year}
    assert year.table == WORK
    assert column_named(restored.document, "work", "title").column == TITLE
    assert inconsistent_references(restored.document) == []


def test_existing_elements_are_restored_unchanged() -> None:
    """Undoing a removal that was not saved loses nothing, and neither do elements that were not removed."""
    removed = begun(opened(), opened()).applied(RemoveTable(PICTURE, dependents=True))
    assert removed.jumped(0).changes == ()
    renamed = begun(opened(), opened()).applied(RenameTable(PLACE, "spot"))
    restored = _saved(renamed).jumped(0)
    assert restored.recreated == {}
    assert restored.changes == ()


def test_states_without_lost_ids_are_the_same_objects() -> None:
    """Comparing identical documents is fast."""
    editing = begun(opened(), opened()).applied(RenameTable(PLACE, "spot"))
    assert _saved(editing).history.states[0].document is editing.history.states[0].document


def test_ids_lost_twice_are_reported_twice() -> None:
    """The values are stored under the id of CURRENT all the time."""
    restored = _saved(begun(opened(), opened()).applied(RemoveTable(PICTURE, dependents=True))).jumped(0)
    again = _with_ids(restored).jumped(1)
    assert again.recreated == {}
    assert set(_saved(again).jumped(0).recreated) == {TableRef(PICTURE)}


def test_elements_that_are_not_in_current_lose_no_values() -> None:
    """Nothing is reported."""
    current = begun(opened(), None).applied(RemoveTable(PICTURE, dependents=True)).document
    restored = _saved(begun(opened(), current).applied(RemoveTable(PICTURE, dependents=True))).jumped(0)
    assert named(restored.document, "picture").id is None
    assert restored.recreated == {}


def test_a_file_keeps_the_ids_of_removed_elements() -> None:
    """No other program assigns them."""
    editing = open_model_file(opened()).applied(RemoveTable(PICTURE, dependents=True))
    saved, ids = editing.saved_as(editing.document, editing.document)
    assert not ids
    assert saved.is_saved
    assert saved.jumped(0).document == opened()


def test_ids_assigned_by_a_save_are_followed() -> None:
    """An element that lost its id is identified by its new key."""
    found = LostIds({-1: 5}, {-2: 6}).renumbered(AssignedIds({-1: 10}, {-2: 20}))
    assert found == LostIds({10: 5}, {20: 6})


def _saved(editing: WorkingCopy) -> WorkingCopy:
    """A working copy saved by a service that had an id for everything."""
    return editing.saved_as(editing.document, read_document(write_document(editing.document)))[0]


def _with_ids(editing: WorkingCopy) -> WorkingCopy:
    """A working copy saved by a service that assigns new elements the next ids."""
    return editing.saved_as(editing.document, _answer(editing.document))[0]


def _answer(document: Document) -> Document:
    raw = write_document(document)
    tables = raw["tables"]
    assert isinstance(tables, list)
    number = 100
    for table in tables:
        for element, name in [(table, "table_id"), *((one, "column_id") for one in table["columns"])]:
            if element.get("kind", "column") == "column" and name not in element:
                number += 1
                element[name] = number
    return read_document(raw)
