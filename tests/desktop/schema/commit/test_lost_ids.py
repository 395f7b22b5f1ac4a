"""Undo past a save: elements without the ids that HEAD was saved without."""

from __future__ import annotations

from cdb_desktop.schema.commit.saved_ids import AssignedIds, LostIds
from cdb_desktop.schema.diff.change import ChangeKind
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.removal import RemoveColumn, RemoveTable
from cdb_desktop.schema.edits.tables import RenameTable
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
    crooked_references,
    named,
    opened,
)


def test_a_table_comes_back_as_a_new_one() -> None:
    """Without its ids, in every older state, and the changes tell what a commit would do to its values."""
    back = _saved(begun(opened(), opened()).applied(RemoveTable(PERSON, dependents=True))).jumped(0)
    person = named(back.document, "person")
    assert (person.id, [column.id for column in person.columns]) == (None, [None, None])
    assert crooked_references(back.document) == []
    kinds = {change.kind for change in back.changes if change.ref == TableRef(PERSON)}
    assert kinds == {ChangeKind.REMOVED}
    assert ChangeKind.ADDED in {change.kind for change in back.changes if change.ref == TableRef(person.key)}
    assert back.recreated[TableRef(PERSON)] == TableRef(person.key)


def test_a_column_comes_back_as_a_new_one() -> None:
    """Its table is the same, and so are the columns beside it."""
    before = begun(opened(), opened())
    back = _saved(before.applied(RemoveColumn(ColumnRef(WORK, YEAR), dependents=True))).jumped(0)
    year = column_named(back.document, "work", "year")
    assert back.recreated == {ColumnRef(WORK, YEAR): year}
    assert year.table == WORK
    assert column_named(back.document, "work", "title").column == TITLE
    assert crooked_references(back.document) == []


def test_what_the_service_has_comes_back_as_it_was() -> None:
    """A removal that was not saved is undone without a loss, and so is all but what was removed."""
    removed = begun(opened(), opened()).applied(RemoveTable(PICTURE, dependents=True))
    assert removed.jumped(0).changes == ()
    renamed = begun(opened(), opened()).applied(RenameTable(PLACE, "spot"))
    back = _saved(renamed).jumped(0)
    assert back.recreated == {}
    assert back.changes == ()


def test_states_that_lost_nothing_stay_the_documents_that_they_were() -> None:
    """Comparing them sees at once that they are the same."""
    editing = begun(opened(), opened()).applied(RenameTable(PLACE, "spot"))
    assert _saved(editing).history.states[0].document is editing.history.states[0].document


def test_ids_lost_twice_are_reported_twice() -> None:
    """The values are under the id of CURRENT all the time."""
    back = _saved(begun(opened(), opened()).applied(RemoveTable(PICTURE, dependents=True))).jumped(0)
    again = _with_ids(back).jumped(1)
    assert again.recreated == {}
    assert set(_saved(again).jumped(0).recreated) == {TableRef(PICTURE)}


def test_what_current_never_had_loses_no_values() -> None:
    """There is nothing to tell about it."""
    current = begun(opened(), None).applied(RemoveTable(PICTURE, dependents=True)).document
    back = _saved(begun(opened(), current).applied(RemoveTable(PICTURE, dependents=True))).jumped(0)
    assert named(back.document, "picture").id is None
    assert back.recreated == {}


def test_a_file_keeps_the_ids_that_it_was_saved_without() -> None:
    """Nobody else gives them away."""
    editing = open_model_file(opened()).applied(RemoveTable(PICTURE, dependents=True))
    saved, ids = editing.saved_as(editing.document, editing.document)
    assert not ids
    assert saved.is_saved
    assert saved.jumped(0).document == opened()


def test_ids_that_saving_gives_are_followed() -> None:
    """What was given up is known by the key that it has now."""
    found = LostIds({-1: 5}, {-2: 6}).renumbered(AssignedIds({-1: 10}, {-2: 20}))
    assert found == LostIds({10: 5}, {20: 6})


def _saved(editing: WorkingCopy) -> WorkingCopy:
    """Saved on a service that had an id for everything."""
    return editing.saved_as(editing.document, read_document(write_document(editing.document)))[0]


def _with_ids(editing: WorkingCopy) -> WorkingCopy:
    """Saved on a service that gives new elements the next ids."""
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
