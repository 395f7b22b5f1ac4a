"""Working copies: what counts as saved, and the effect of a new HEAD."""

from __future__ import annotations

from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.working_copy import open_head as begun
from tests.desktop.schema.models import PLACE, changed, museum, opened


def test_arranging_is_a_step_that_needs_no_saving() -> None:
    """It can be undone, yet the document is the one that the service has."""
    copy = begun(opened(), None).arranged()
    assert str(copy.history.undo_title) == "Arrange the diagram"
    assert copy.is_saved
    assert not copy.applied(RenameTable(PLACE, "spot")).is_saved


def test_saving_after_arranging_saves_the_steps_before_as_well() -> None:
    """All states that have the document which was sent have the one that came back."""
    copy = begun(opened(), None).applied(RenameTable(PLACE, "spot")).arranged()
    saved, _ = copy.saved_as(copy.document, read_document(write_document(copy.document)))
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
    copy = begun(opened(), opened()).applied(RenameTable(PLACE, "spot"))
    theirs = opened(changed(museum(), PLACE, comment="theirs"))
    kept = copy.refreshed(theirs, opened())
    assert kept.document is copy.document
    assert kept.head == opened()


def test_reading_anew_takes_what_others_saved() -> None:
    """Without unsaved steps HEAD is simply the new one."""
    theirs = opened(changed(museum(), PLACE, comment="theirs"))
    assert begun(opened(), opened()).refreshed(theirs, opened()).document == theirs


def test_a_commit_leaves_the_steps_to_be_undone() -> None:
    """HEAD has another number, and the same tables."""
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


def test_restored_work_remembers_on_which_head_it_began() -> None:
    """So that saving it over another HEAD is asked for."""
    old, new = opened(), opened(changed(museum(), PLACE, comment="new"))
    assert begun(new, None).restored(old, old).head == old
    assert begun(new, None).restored(new, old).head is new
