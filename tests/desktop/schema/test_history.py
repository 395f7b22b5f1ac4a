"""Tests of undo, redo, jumps and the saved state."""

from __future__ import annotations

import pytest

from cdb_desktop.schema.commit.saved_ids import save_request
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.schema.edits.edit import EditError
from cdb_desktop.schema.edits.tables import AddTable, RenameTable
from cdb_desktop.schema.working_copy import EditHistory, new_history
from tests.desktop.schema.models import (
    PERSON,
    TITLE,
    WORK,
    Json,
    column_named,
    inconsistent_references,
    named,
    opened,
)


def _three_steps() -> EditHistory:
    history = new_history(opened())
    for edit in (
        AddColumn(WORK, "height", "number"),
        RenameTable(PERSON, "people"),
        RenameColumn(ColumnRef(WORK, TITLE), "label"),
    ):
        history = history.applied(edit)
    return history


def test_steps_are_undone_and_redone() -> None:
    """Each state is the identical document."""
    history = _three_steps()
    undone = history.undone().undone()
    assert undone.document is history.states[1].document
    assert [str(undone.undo_title), str(undone.redo_title)] == [
        "Add column work.height",
        "Rename table person to people",
    ]
    assert undone.redone().redone() == history
    assert undone.undone().undone().undone().position == 0
    assert history.redone() is not None
    assert history.redone().position == 3


def test_undo_and_redo_have_no_titles_at_the_ends() -> None:
    """There is nothing to undo at the beginning and nothing to redo at the end."""
    history = _three_steps()
    assert history.redo_title is None
    assert history.jumped(0).undo_title is None
    assert history.jumped(-5).position == 0
    assert history.jumped(99).position == 3


def test_a_new_step_replaces_undone_ones() -> None:
    """If the saved state was among them, no state is saved."""
    history = _three_steps()
    answer = history.document
    saved = history.saved_as(answer, answer)
    branch = saved.jumped(1).applied(AddTable("loan"))
    assert [str(state.title) for state in branch.states[1:]] == ["Add column work.height", "Add table loan"]
    assert branch.saved is None
    assert not branch.undone().is_saved


def test_a_state_is_saved_not_a_moment() -> None:
    """Undoing a saved change makes the document unsaved, redoing it makes it saved."""
    history = _three_steps()
    assert not history.is_saved
    assert history.jumped(0).is_saved
    saved = history.saved_as(history.document, history.document)
    assert saved.is_saved
    assert not saved.undone().is_saved
    assert saved.undone().redone().is_saved


def test_a_refused_edit_leaves_the_history_unchanged() -> None:
    """The error is raised."""
    history = new_history(opened())
    with pytest.raises(EditError):
        history.applied(RenameTable(99, "other"))
    assert len(history.states) == 1


def test_the_services_ids_are_set_in_every_state() -> None:
    """They are also set in older states with other names, so that undo past a save keeps the identity."""
    table = AddTable("loan")
    history = new_history(opened()).applied(table).applied(AddColumn(table.key, "borrower", "text"))
    history = history.applied(RenameTable(table.key, "lending"))
    saved = history.saved_as(history.document, _answer(history))
    ids = [named(state.document, name).id for state, name in zip(saved.states[1:], _NAMES, strict=True)]
    assert ids == [10, 10, 10]
    assert column_named(saved.undone().document, "loan", "borrower") == ColumnRef(10, 21)
    assert all(inconsistent_references(state.document) == [] for state in saved.states)
    assert saved.is_saved


def test_changes_during_a_save_stay_unsaved() -> None:
    """The answer replaces the state that was sent, which is not the current one."""
    table = AddTable("loan")
    history = new_history(opened()).applied(table)
    answer = _answer(history)
    on = history.applied(AddColumn(table.key, "borrower", "text"))
    saved = on.saved_as(history.document, answer)
    assert (saved.position, saved.saved, saved.is_saved) == (2, 1, False)
    assert saved.document.by_key[10].columns[0].name == "borrower"


_NAMES = ("loan", "loan", "lending")


def _answer(history: EditHistory) -> Document:
    """The service's answer to saving the last state, with the next free ids."""
    raw: Json = save_request(history.document, opened())
    for table in raw["tables"]:
        if "table_id" not in table:
            table["table_id"] = 10
        for column in table["columns"]:
            if column["kind"] == "column" and "column_id" not in column:
                column["column_id"] = 21
    return read_document(raw)
