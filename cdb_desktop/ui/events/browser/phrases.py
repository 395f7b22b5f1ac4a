"""Says a query in words: for chips, pictures and tooltips, in the user's language."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from cdb_desktop.events.known_values import KnownValues
from cdb_desktop.events.query import Query, QueryPart, TimePreset, TimeSpan
from cdb_desktop.events.time_input import in_largest_unit
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.browser.ordering import field_names
from cdb_desktop.ui.language.numbers import filled, plural
from cdb_desktop.vocabulary.times import day_and_time

translate = QCoreApplication.translate

_MINUTE = 60
_NAMED = 2  # values that a summary spells out before it counts


def part_name(part: QueryPart) -> str:
    """What a part of a query narrows."""
    return {
        QueryPart.TYPE: translate("EventQuery", "Type"),
        QueryPart.BASE_TYPE: translate("EventQuery", "Base type"),
        QueryPart.USER: translate("EventQuery", "User"),
        QueryPart.DATE: translate("EventQuery", "Date"),
        QueryPart.POLLABLE: translate("EventQuery", "Pollable"),
    }[part]


def summary(part: QueryPart, query: Query, seen: KnownValues) -> str:
    """The part in a few words; ``seen`` knows users and groups by name."""
    return _few(values(part, query, seen))


def values(part: QueryPart, query: Query, seen: KnownValues) -> list[str]:
    """All that the part allows, one by one."""
    if part is QueryPart.TYPE:
        return list(query.types)
    if part is QueryPart.BASE_TYPE:
        return list(query.base_types)
    if part is QueryPart.USER:
        users = [seen.user_name(one) for one in query.users]
        groups = [
            translate("EventQuery", "group %1").replace("%1", seen.group_name(one)) for one in query.groups
        ]
        return [
            *users,
            *groups,
            *(translate("EventQuery", "user type %1").replace("%1", one) for one in query.user_types),
        ]
    if part is QueryPart.DATE:
        return [span_words(query.span)]
    return [translate("EventQuery", "yes") if query.pollable else translate("EventQuery", "no")]


def span_words(span: TimeSpan) -> str:
    """A stretch of time."""
    if span.preset is not None:
        return preset_name(span.preset)
    first, last = _bound(span.first, span.first_ago), _bound(span.last, span.last_ago)
    if first and last:
        if span.first and span.last and first[:10] == last[:10]:
            last = last[11:]
        return f"{first} – {last}"
    if span.first_ago is not None:
        return translate("EventQuery", "last %1").replace("%1", _length(span.first_ago))
    return (
        translate("EventQuery", "since %1").replace("%1", first)
        if first
        else translate("EventQuery", "until %1").replace("%1", last)
    )


def preset_name(preset: TimePreset) -> str:
    """A stretch that moves with now."""
    return {
        TimePreset.QUARTER_HOUR: translate("EventQuery", "last 15 minutes"),
        TimePreset.HOUR: translate("EventQuery", "last hour"),
        TimePreset.DAY: translate("EventQuery", "last 24 hours"),
        TimePreset.TODAY: translate("EventQuery", "today"),
        TimePreset.YESTERDAY: translate("EventQuery", "yesterday"),
        TimePreset.WEEK: translate("EventQuery", "last 7 days"),
        TimePreset.MONTH: translate("EventQuery", "last 30 days"),
    }[preset]


def whole_query(query: Query, seen: KnownValues) -> str:
    """``Type: SEARCH · Date: today``."""
    return " · ".join(f"{part_name(part)}: {summary(part, query, seen)}" for part in query.parts)


def query_words(query: Query, seen: KnownValues) -> str:
    """The whole query in one line, its order included: ``Type: SEARCH · by Time ▾``."""
    narrows = whole_query(query, seen) or translate("EventQuery", "All events")
    names = field_names()
    order = ", ".join(f"{names[one.field]} {'▾' if one.descending else '▴'}" for one in query.sort)
    by = translate("EventQuery", "by %1").replace("%1", order)
    return f"{narrows} · {by}" if order else narrows


def time_left_words(seconds: float) -> str:
    """``45 s left``, ``30 minutes left``, ``2 hours 5 minutes left``."""
    if seconds < _MINUTE:
        return translate("TimeLeft", "%1 s left").replace("%1", number_text(max(1, round(seconds))))
    hours, minutes = divmod(round(seconds / _MINUTE), _MINUTE)
    told = [words for number, words in ((hours, _hours(hours)), (minutes, _minutes(minutes))) if number]
    return translate("TimeLeft", "%1 left").replace("%1", " ".join(told))


def _hours(number: int) -> str:
    return plural(number, translate("TimeLeft", "1 hour"), translate("TimeLeft", "%1 hours"))


def _minutes(number: int) -> str:
    return plural(number, translate("TimeLeft", "1 minute"), translate("TimeLeft", "%1 minutes"))


def _few(texts: Sequence[str]) -> str:
    if len(texts) <= _NAMED + 1:
        return ", ".join(texts)
    rest = filled(translate("EventQuery", "and %1 more"), len(texts) - _NAMED)
    return f"{', '.join(texts[:_NAMED])} {rest}"


def _bound(moment: datetime | None, ago: int | None) -> str:
    if ago is not None:
        return translate("EventQuery", "%1 ago").replace("%1", _length(ago))
    return day_and_time(moment).removesuffix(":00")


def _length(seconds: int) -> str:
    number, unit = in_largest_unit(seconds)
    return f"{number_text(number)} {unit}"
