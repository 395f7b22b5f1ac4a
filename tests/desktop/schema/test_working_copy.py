"""Tests of the work on HEAD as one value: what counts as saved, and what a new reading does to it."""

from __future__ import annotations

from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.working_copy import open_head as begun
from tests.desktop.schema.models import PLACE, changed, museum, opened


def test_arranging_is_a_step_that_needs_no_saving() -> None:
    """It can be undone, yet the document is the one that the service has."""
    editing = begun(opened(), None).arranged()
    assert str(editing.history.undo_title) == "Arrange the diagram"
    assert editing.is_saved
    assert not editing.applied(RenameTable(PLACE, "spot")).is_saved


def test_saving_after_arranging_saves_the_steps_before_as_well() -> None:
    """All states that have the document which was sent have the one that came back."""
    editing = begun(opened(), None).applied(RenameTable(PLACE, "spot")).arranged()
    saved, _ = editing.saved_as(editing.document, read_document(write_document(editing.document)))
    assert saved.is_saved
    assert saved.jumped(1).is_saved


def test_changes_are_counted_against_current() -> None:
    """Without one everything is new."""
    head = opened(changed(museum(), PLACE, has_tags=True))
    assert [str(change.message) for change in begun(head, opened()).changes] == [
        "place: has_tags set to true"
    ]
    assert len(begun(head, None).changes) == len(head.tables)


def test_reading_anew_keeps_unsaved_steps() -> None:
    """What somebody else saved is found when saving, not by losing what is here."""
    editing = begun(opened(), opened()).applied(RenameTable(PLACE, "spot"))
    theirs = opened(changed(museum(), PLACE, comment="theirs"))
    kept = editing.refreshed(theirs, opened())
    assert kept.document is editing.document
    assert kept.head == opened()


def test_reading_anew_takes_what_others_saved() -> None:
    """Without unsaved steps HEAD is simply the new one."""
    theirs = opened(changed(museum(), PLACE, comment="theirs"))
    assert begun(opened(), opened()).refreshed(theirs, opened()).document == theirs


def test_a_commit_leaves_the_steps_to_be_undone() -> None:
    """HEAD has another number, and the same tables."""
    editing = begun(opened(), None).applied(RenameTable(PLACE, "spot"))
    answer = read_document(write_document(editing.document))
    saved, ids = editing.saved_as(editing.document, answer)
    assert not ids
    assert saved.is_saved
    after = read_document({**write_document(answer), "version": 9})
    committed = saved.refreshed(after, answer)
    assert committed.head == after
    assert committed.is_saved
    assert str(committed.history.undo_title) == "Rename table place to spot"
    assert not committed.jumped(0).is_saved


def test_restored_work_remembers_on_which_head_it_began() -> None:
    """So that saving it over another HEAD is asked for."""
    old, new = opened(), opened(changed(museum(), PLACE, comment="new"))
    assert begun(new, None).restored(old, old).head == old
    assert begun(new, None).restored(new, old).head is new
