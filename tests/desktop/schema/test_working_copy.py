"""Tests of working copies: their saved state, and the effect of a new HEAD."""

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.commit.saved_ids import save_request
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.schema.edits.tables import AddTable, RenameTable
from cdb_desktop.schema.working_copy import EditHistory, new_history, open_model_file
from cdb_desktop.schema.working_copy import open_head as begun
from tests.desktop.schema.models import (
    PERSON,
    PLACE,
    TITLE,
    WORK,
    Json,
    changed,
    column_named,
    inconsistent_references,
    museum,
    named,
    opened,
)


def test_arranging_is_a_step_that_needs_no_saving() -> None:
    """It can be undone, but the document is that of the service."""
    document = opened()
    copy = begun(document, None).changed(message("Arrange the diagram"), document)
    assert str(copy.history.undo_title) == "Arrange the diagram"
    assert copy.is_saved
    assert not copy.applied(RenameTable(PLACE, "spot")).is_saved


def test_saving_after_arranging_saves_the_steps_before_as_well() -> None:
    """All states with the posted document get the one in the answer."""
    renamed = begun(opened(), None).applied(RenameTable(PLACE, "spot"))
    copy = renamed.changed(message("Arrange the diagram"), renamed.document)
    saved, _ = copy.saved_as(copy.document, read_document(write_document(copy.document)))
    assert saved.is_saved
    assert saved.jumped(1).is_saved


def test_changes_are_counted_against_current() -> None:
    """Without CURRENT, everything is new."""
    head = opened(changed(museum(), PLACE, has_tags=True))
    assert [str(change.message) for change in begun(head, opened()).changes] == ["place: “Tags” set to yes"]
    assert len(begun(head, None).changes) == len(head.tables)


def test_reading_again_keeps_unsaved_steps() -> None:
    """Changes by other users are detected when saving, and do not replace unsaved ones."""
    copy = begun(opened(), opened()).applied(RenameTable(PLACE, "spot"))
    theirs = opened(changed(museum(), PLACE, comment="theirs"))
    refreshed = copy.refreshed(theirs, opened())
    assert refreshed.document is copy.document
    assert refreshed.head == opened()


def test_reading_again_accepts_saved_changes_of_others() -> None:
    """Without unsaved steps, HEAD is replaced."""
    theirs = opened(changed(museum(), PLACE, comment="theirs"))
    assert begun(opened(), opened()).refreshed(theirs, opened()).document == theirs


def test_steps_can_be_undone_after_a_commit() -> None:
    """HEAD has another version, and the same tables."""
    copy = begun(opened(), None).applied(RenameTable(PLACE, "spot"))
    answer = read_document(write_document(copy.document))
    saved, ids = copy.saved_as(copy.document, answer)
    assert not ids
    assert saved.is_saved
    after = read_document({**write_document(answer), "version": 9})
    committed = saved.refreshed(after, answer)
    assert committed.head == after
    assert committed.is_saved
    assert str(committed.history.undo_title) == "Rename table place to spot"
    assert not committed.jumped(0).is_saved


def test_a_restored_draft_has_the_head_it_is_based_on() -> None:
    """Saving it over another HEAD requires a confirmation."""
    old, new = opened(), opened(changed(museum(), PLACE, comment="new"))
    assert begun(new, None).restored(old, old).head == old
    assert begun(new, None).restored(new, old).head is new


def test_undoing_a_merge_returns_to_the_former_head() -> None:
    """Until the result is saved: then undo is a change of the saved HEAD like any other."""
    theirs = opened(changed(museum(), PLACE, comment="theirs"))
    mine = begun(opened(), opened()).applied(RenameTable(PLACE, "spot"))
    result = RenameTable(PLACE, "spot").apply_to(theirs)
    merged = mine.merged(theirs, result).applied(RenameTable(PLACE, "site"))
    assert (merged.head, str(merged.jumped(2).history.undo_title)) == (theirs, "Merge with HEAD")
    undone = merged.jumped(1)
    assert (undone.head, undone.document) == (opened(), mine.document)
    assert undone.jumped(3).head == theirs
    saved, _ = merged.saved_as(merged.document, read_document(write_document(merged.document)))
    assert saved.jumped(1).head == saved.head


def test_undoing_a_merge_of_a_saved_file_keeps_its_content_as_the_base() -> None:
    """The changes of the file are those since it was written."""
    theirs = opened(changed(museum(), PLACE, comment="theirs"))
    mine = open_model_file(opened()).applied(RenameTable(PLACE, "spot"))
    merged = mine.merged(theirs, RenameTable(PLACE, "spot").apply_to(theirs))
    assert merged.jumped(1).head == opened()
    saved, _ = merged.saved_as(merged.document, merged.document)
    assert saved.jumped(1).head is merged.document


def _three_steps() -> EditHistory:
    history = new_history(opened())
    for edit in (
        AddColumn(WORK, "height", "number"),
        RenameTable(PERSON, "people"),
        RenameColumn(ColumnRef(WORK, TITLE), "label"),
    ):
        history = history.applied(edit)
    return history


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
