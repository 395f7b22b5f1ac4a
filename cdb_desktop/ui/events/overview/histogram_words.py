"""Says what the bars of the overview mean, in the user's language."""

from __future__ import annotations

from datetime import datetime

from cdb_desktop.events.overview import Overview
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.vocabulary.event_types import EventFamily
from cdb_desktop.vocabulary.times import day_and_time

_SIGNS = dict(zip(EventFamily, "○●◆△□▽·", strict=True))


def family_name(family: EventFamily) -> str:
    """What kind of events these are, with the sign of their shape."""
    names = {
        EventFamily.READING: tr("reading"),
        EventFamily.WRITING: tr("writing"),
        EventFamily.DELETING: tr("deleting"),
        EventFamily.FAILURE: tr("failures"),
        EventFamily.SESSION: tr("sessions"),
        EventFamily.EXPORT: tr("exports"),
        EventFamily.SYSTEM: tr("system and others"),
    }
    return f"{_SIGNS[family]} {names[family]}"


def bucket_words(overview: Overview, first: int, last: int | None = None) -> str:
    """The time of one bucket or of several, how many events they hold, and of which families; in lines."""
    end = first if last is None else last
    lines = [f"{day_and_time(overview.buckets[first].first)} – {day_and_time(overview.buckets[end].last)}"]
    if end >= len(overview.totals):
        return "\n".join((*lines, tr("counting…")))
    lines.append(_events(sum(overview.totals[first : end + 1])))
    for family in EventFamily:
        number = sum(overview.families.get(family, ())[first : end + 1])
        if number:
            lines.append(f"{family_name(family)}: {number_text(number)}")
    return "\n".join(lines)


def stretch_words(
    first: datetime, last: datetime, number: int | None, *, takes_keys: bool
) -> tuple[str, str, str]:
    """Beginning, number and end of the stretch that is shown or brushed; ``takes_keys``: Return sets it."""
    told = tr("counting…") if number is None else _events(number)
    if takes_keys:
        told = tr("{count} · Return sets the dates", count=told)
    return day_and_time(first), told, day_and_time(last)


def _events(number: int) -> str:
    return tr("{count:1 event|{count} events}", count=number)
