"""Tests of working copies: their saved state, and the effect of a new HEAD."""

from __future__ import annotations

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.working_copy import open_head as begun
from cdb_desktop.schema.working_copy import open_model_file
from tests.desktop.schema.models import PLACE, changed, museum, opened


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
    assert [str(change.message) for change in begun(head, opened()).changes] == [
        "place: has_tags set to true"
    ]
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
