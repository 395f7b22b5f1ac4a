"""Messages about deletions: what will be deleted, progress and results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from cdb_desktop.events.deletion import Deletion, DeletionProgress, DeletionStage
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message
from cdb_desktop.vocabulary.times import day_and_time

_MOST_IDS = 12


def delete_title(count: int) -> str:
    """``Delete 2,500 events``."""
    return tr("Delete {count:1 event|{count} events}", count=count)


def selected_text(ids: Iterable[int]) -> str:
    """The ids of the selected events, or the lowest and the highest of many."""
    found = sorted(ids)
    if len(found) == 1:
        return tr("The selected event: {id}.", id=found[0])
    if len(found) <= _MOST_IDS:
        return tr("The selected events: {ids}.", ids=", ".join(number_text(one) for one in found))
    return tr("The selected events, with ids from {first} to {last}.", first=found[0], last=found[-1])


def matching_text(filters: str) -> str:
    """The filters of the query; ``filters`` is empty if no filter is set."""
    if not filters:
        return tr("No filter is set: this affects all events of the log.")
    return tr("All events that match these filters: {filters}.", filters=filters)


def undeletable_text(unreadable: int) -> str:
    """How many records cannot be deleted; empty if all can be deleted."""
    if not unreadable:
        return ""
    return tr("Unreadable records without an id, which cannot be deleted: {count}.", count=unreadable)


def time_span_text(first: datetime | None, last: datetime | None) -> str:
    """``The first is from 2026-10-01 12:00:11, the last from 2026-11-22 01:02:03.``, or the time of one."""
    if first == last:
        return tr("Time: {time}.", time=day_and_time(first))
    return tr(
        "The first is from {first}, the last from {last}.", first=day_and_time(first), last=day_and_time(last)
    )


def type_count_lines(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Number and name of each type, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [(number_text(number), name) for name, number in ordered if number]


def progress_text(tally: DeletionProgress) -> str:
    """``Deleting: 1,000 of 2,500 events``."""
    if tally.stage is DeletionStage.READING:
        verb, done, total = tr("Reading before deleting"), tally.read, tally.expected
    else:
        verb, done, total = tr("Deleting"), tally.requested, tally.read
    if total is None:
        text = tr("{count:1 event|{count} events}", count=done)
    else:
        text = tr("{done} of {total:1 event|{total} events}", total=total, done=done)
    return f"{verb}: {text}"


def success_message(deletion: Deletion) -> ErrorMessage:
    """How many events were deleted, and where the backup is."""
    tally = deletion.progress
    if tally.deleted == tally.requested == 1:
        text = tr("The service has deleted the event.")
        return ErrorMessage(tr("Deleted"), f"{text} {_backup_text(deletion)}".strip(), "")
    text = tr(
        "The service has deleted {deleted} of {asked:1 event.|{asked} events.}",
        asked=tally.requested,
        deleted=tally.deleted,
    )
    if tally.deleted < tally.requested:
        others = tr("{count:1|{count}} had already been deleted.", count=tally.requested - tally.deleted)
        text = f"{text} {others}"
    return ErrorMessage(tr("Deleted"), f"{text} {_backup_text(deletion)}".strip(), "")


def cancelled_message(deletion: Deletion) -> ErrorMessage:
    """The result of a cancelled deletion."""
    return ErrorMessage(tr("Deletion cancelled"), _deleted_text(deletion), "")


def failure_message(deletion: Deletion, error: BaseException) -> ErrorMessage:
    """Why the deletion has failed, and what was deleted."""
    if isinstance(error, OSError):
        target = "" if deletion.backup is None else str(deletion.backup.target)
        text = tr(
            "The backup could not be written to {target}: {reason}.",
            reason=error.strerror or str(error),
            target=target,
        )
        return ErrorMessage(tr("Not deleted"), text, _deleted_text(deletion))
    failure = error_message(error)
    title = tr("Deletion incomplete") if deletion.progress.has_sent else tr("Not deleted")
    text = f"{failure.title}. {failure.text}"
    return ErrorMessage(title, text, _deleted_text(deletion), failure.code, failure.details)


def _deleted_text(deletion: Deletion) -> str:
    tally = deletion.progress
    if tally.stage is DeletionStage.READING:
        return tr("Nothing was deleted.")
    if tally.unanswered:
        text = tr(
            "Deleted: {deleted} of {read:1 event|{read} events}. Of {unanswered:one of them|{unanswered} of "
            "them} it is unknown, because the service did not answer. The list shows which are still in the "
            "log.",
            read=tally.read,
            deleted=tally.deleted,
            unanswered=tally.unanswered,
        )
    else:
        text = tr(
            "Deleted: {deleted} of {read:1 event.|{read} events. The others are still in the log.}",
            read=tally.read,
            deleted=tally.deleted,
        )
    return f"{text} {_backup_text(deletion)}".strip()


def _backup_text(deletion: Deletion) -> str:
    undeletable = undeletable_text(deletion.progress.unreadable)
    if undeletable and deletion.backup is not None:
        undeletable = f"{undeletable} {tr('The file contains them unchanged.')}"
    return f"{_file_text(deletion)} {undeletable}".strip()


def _file_text(deletion: Deletion) -> str:
    if deletion.backup is None:
        return ""
    return tr(
        "The backup {read:|of all {read} }is in {target}, with session tokens and passwords masked.",
        read=deletion.progress.read,
        target=str(deletion.backup.target),
    )
