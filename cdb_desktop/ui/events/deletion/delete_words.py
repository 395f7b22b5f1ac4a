"""Says what a deletion is about to take, how it goes, and what became of it, in the user's language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from cdb_desktop.events.deletion import Deletion, DeletionProgress, DeletionStage
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.times import day_and_time

translate = QCoreApplication.translate
_MOST_IDS = 12


def title_words(count: int) -> str:
    """``Delete 2,500 events``."""
    return plural(count, translate("Deletion", "Delete 1 event"), translate("Deletion", "Delete %1 events"))


def chosen_words(ids: Iterable[int]) -> str:
    """Which events were selected: their ids, or the lowest and the highest of many."""
    found = sorted(ids)
    if len(found) == 1:
        return translate("Deletion", "The selected event: %1.").replace("%1", number_text(found[0]))
    if len(found) <= _MOST_IDS:
        told = translate("Deletion", "The selected events: %1.")
        return told.replace("%1", ", ".join(number_text(one) for one in found))
    told = translate("Deletion", "The selected events, with ids from %1 to %2.")
    return told.replace("%1", number_text(found[0])).replace("%2", number_text(found[-1]))


def found_words(filters: str) -> str:
    """Which events a query finds; ``filters`` is empty where it has none."""
    if not filters:
        return translate("Deletion", "No filter is set: this affects all events of the log.")
    return translate("Deletion", "All events that match these filters: %1.").replace("%1", filters)


def staying_words(unreadable: int) -> str:
    """That so many records cannot be deleted; empty for none."""
    if not unreadable:
        return ""
    told = translate("Deletion", "Unreadable records without an id, which cannot be deleted: %1.")
    return told.replace("%1", number_text(unreadable))


def span_words(first: datetime | None, last: datetime | None) -> str:
    """``The first is from 2026-10-01 12:00:11, the last of 2026-11-22 01:02:03.`` Of one there is no last."""
    if first == last:
        return translate("Deletion", "Time: %1.").replace("%1", day_and_time(first))
    told = translate("Deletion", "The first is from %1, the last from %2.")
    return told.replace("%1", day_and_time(first)).replace("%2", day_and_time(last))


def counts_words(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Number and name of each type, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [(number_text(number), name) for name, number in ordered if number]


def progress_words(tally: DeletionProgress) -> str:
    """``Deleting: 1,000 of 2,500 events``."""
    if tally.stage is DeletionStage.READING:
        verb, done, whole = translate("Deletion", "Reading before deleting"), tally.read, tally.expected
    else:
        verb, done, whole = translate("Deletion", "Deleting"), tally.requested, tally.read
    if whole is None:
        told = plural(done, translate("Deletion", "1 event"), translate("Deletion", "%1 events"))
    else:
        one, many = translate("Deletion", "%1 of 1 event"), translate("Deletion", "%1 of %2 events")
        told = plural(whole, one, many, done, whole)
    return f"{verb}: {told}"


def success_words(deletion: Deletion) -> ErrorMessage:
    """How many of how many are gone, and where they are kept."""
    tally = deletion.progress
    if tally.deleted == tally.requested == 1:
        text = translate("Deletion", "The service has deleted the event.")
        return ErrorMessage(translate("Deletion", "Deleted"), f"{text} {_kept(deletion)}".strip(), "")
    text = plural(
        tally.requested,
        translate("Deletion", "The service has deleted %1 of 1 event."),
        translate("Deletion", "The service has deleted %1 of %2 events."),
        tally.deleted,
        tally.requested,
    )
    if tally.deleted < tally.requested:
        others = plural(
            tally.requested - tally.deleted,
            translate("Deletion", "1 had already been deleted."),
            translate("Deletion", "%1 had already been deleted."),
        )
        text = f"{text} {others}"
    return ErrorMessage(translate("Deletion", "Deleted"), f"{text} {_kept(deletion)}".strip(), "")


def stopped_words(deletion: Deletion) -> ErrorMessage:
    """Somebody has cancelled it."""
    return ErrorMessage(translate("Deletion", "Deletion cancelled"), _so_far(deletion), "")


def failure_words(
    deletion: Deletion, error: BaseException, words: Callable[[BaseException], ErrorMessage]
) -> ErrorMessage:
    """Why it ended early, and what is gone."""
    if isinstance(error, OSError):
        cause = translate("Deletion", "The backup could not be written to %1: %2.")
        target = "" if deletion.backup is None else str(deletion.backup.target)
        told = cause.replace("%2", error.strerror or str(error)).replace("%1", target)
        return ErrorMessage(translate("Deletion", "Not deleted"), told, _so_far(deletion))
    said = words(error)
    started = deletion.progress.requested > 0
    whole, part = translate("Deletion", "Not deleted"), translate("Deletion", "Deletion incomplete")
    return ErrorMessage(
        part if started else whole, f"{said.title}. {said.text}", _so_far(deletion), said.code, said.details
    )


def _so_far(deletion: Deletion) -> str:
    tally = deletion.progress
    if tally.stage is DeletionStage.READING:
        return translate("Deletion", "Nothing was deleted.")
    text = plural(
        tally.read,
        translate("Deletion", "Deleted: %1 of 1 event."),
        translate("Deletion", "Deleted: %1 of %2 events. The others are still in the log."),
        tally.deleted,
        tally.read,
    )
    return f"{text} {_kept(deletion)}".strip()


def _kept(deletion: Deletion) -> str:
    stays = staying_words(deletion.progress.unreadable)
    if stays and deletion.backup is not None:
        stays = f"{stays} {translate('Deletion', 'The file contains them unchanged.')}"
    return f"{_file_words(deletion)} {stays}".strip()


def _file_words(deletion: Deletion) -> str:
    if deletion.backup is None:
        return ""
    return plural(
        deletion.progress.read,
        translate("Deletion", "The backup is in %2, with session tokens and passwords masked."),
        translate("Deletion", "The backup of all %1 is in %2, with session tokens and passwords masked."),
        deletion.progress.read,
        str(deletion.backup.target),
    )
