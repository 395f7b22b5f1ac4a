"""Says what a deletion is about to take, how it goes, and what became of it, in the user's language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from cdb_desktop.events.deletion import Deletion, Stage, Tally
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.times import day_and_time

_MOST_IDS = 12


def title_words(count: int) -> str:
    """``Delete 2,500 events``."""
    return tr("Delete {count:1 event|{count} events}", count=count)


def chosen_words(ids: Iterable[int]) -> str:
    """Which events were selected: their ids, or the lowest and the highest of many."""
    found = sorted(ids)
    if len(found) == 1:
        return tr("The selected event: {id}.", id=found[0])
    if len(found) <= _MOST_IDS:
        return tr("The selected events: {ids}.", ids=", ".join(number_text(one) for one in found))
    return tr("The selected events, with ids from {first} to {last}.", first=found[0], last=found[-1])


def found_words(filters: str) -> str:
    """Which events a query finds; ``filters`` is empty where it has none."""
    if not filters:
        return tr("No filter is set: this affects all events of the log.")
    return tr("All events that match these filters: {filters}.", filters=filters)


def staying_words(unreadable: int) -> str:
    """That so many records cannot be deleted; empty for none."""
    if not unreadable:
        return ""
    return tr("Unreadable records without an id, which cannot be deleted: {count}.", count=unreadable)


def span_words(first: datetime | None, last: datetime | None) -> str:
    """``The first is from 2026-10-01 12:00:11, the last of 2026-11-22 01:02:03.`` Of one there is no last."""
    if first == last:
        return tr("Time: {time}.", time=day_and_time(first))
    return tr(
        "The first is from {first}, the last from {last}.", first=day_and_time(first), last=day_and_time(last)
    )


def counts_words(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Number and name of each type, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [(number_text(number), name) for name, number in ordered if number]


def progress_words(tally: Tally) -> str:
    """``Deleting: 1,000 of 2,500 events``."""
    if tally.stage is Stage.READING:
        verb, done, whole = tr("Reading before deleting"), tally.read, tally.expected
    else:
        verb, done, whole = tr("Deleting"), tally.asked, tally.read
    if whole is None:
        told = tr("{count:1 event|{count} events}", count=done)
    else:
        told = tr("{done} of {total:1 event|{total} events}", total=whole, done=done)
    return f"{verb}: {told}"


def success_words(deletion: Deletion) -> ErrorMessage:
    """How many of how many are gone, and where they are kept."""
    tally = deletion.tally
    if tally.deleted == tally.asked == 1:
        text = tr("The service has deleted the event.")
        return ErrorMessage(tr("Deleted"), f"{text} {_kept(deletion)}".strip(), "")
    text = tr(
        "The service has deleted {deleted} of {asked:1 event.|{asked} events.}",
        asked=tally.asked,
        deleted=tally.deleted,
    )
    if tally.deleted < tally.asked:
        others = tr("{count:1|{count}} had already been deleted.", count=tally.asked - tally.deleted)
        text = f"{text} {others}"
    return ErrorMessage(tr("Deleted"), f"{text} {_kept(deletion)}".strip(), "")


def stopped_words(deletion: Deletion) -> ErrorMessage:
    """Somebody has cancelled it."""
    return ErrorMessage(tr("Deletion cancelled"), _so_far(deletion), "")


def failure_words(
    deletion: Deletion, error: BaseException, words: Callable[[BaseException], ErrorMessage]
) -> ErrorMessage:
    """Why it ended early, and what is gone."""
    if isinstance(error, OSError):
        target = "" if deletion.kept is None else str(deletion.kept.target)
        told = tr(
            "The backup could not be written to {target}: {reason}.",
            reason=error.strerror or str(error),
            target=target,
        )
        return ErrorMessage(tr("Not deleted"), told, _so_far(deletion))
    said = words(error)
    started = deletion.tally.asked > 0
    whole, part = tr("Not deleted"), tr("Deletion incomplete")
    return ErrorMessage(
        part if started else whole, f"{said.title}. {said.text}", _so_far(deletion), said.code, said.details
    )


def _so_far(deletion: Deletion) -> str:
    tally = deletion.tally
    if tally.stage is Stage.READING:
        return tr("Nothing was deleted.")
    text = tr(
        "Deleted: {deleted} of {read:1 event.|{read} events. The others are still in the log.}",
        read=tally.read,
        deleted=tally.deleted,
    )
    return f"{text} {_kept(deletion)}".strip()


def _kept(deletion: Deletion) -> str:
    stays = staying_words(deletion.tally.unreadable)
    if stays and deletion.kept is not None:
        stays = f"{stays} {tr('The file contains them unchanged.')}"
    return f"{_file_words(deletion)} {stays}".strip()


def _file_words(deletion: Deletion) -> str:
    if deletion.kept is None:
        return ""
    return tr(
        "The backup {read:|of all {read} }is in {target}, with session tokens and passwords masked.",
        read=deletion.tally.read,
        target=str(deletion.kept.target),
    )
