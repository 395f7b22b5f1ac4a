"""Describes queries for chips, tooltips and pages without rows, and what is wrong with a typed one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from cdb_desktop.foundation.i18n import language, number_text, tr
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Part, Query, QueryPart
from cdb_desktop.queries.typed_query import TypedQueryError, TypedQueryFault
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.time_input import in_largest_unit
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan
from cdb_desktop.vocabulary.times import day_and_time

_NAMED = 2  # values that a summary spells out before it counts


def part_name(part: Part) -> str:
    """The name of a part of a query."""
    if isinstance(part, Condition):
        name = _condition_name(part)
        return tr("not {name}", name=name) if part.is_excluded else name
    return {
        QueryPart.TYPE: tr("Type"),
        QueryPart.BASE_TYPE: tr("Base type"),
        QueryPart.USER: tr("User"),
        QueryPart.DATE: tr("Date"),
        QueryPart.POLLABLE: tr("Pollable"),
    }[part]


def summary(part: Part, query: Query, seen: KnownValues) -> str:
    """A short description of a part; ``seen`` contains the names of users, groups, and groups of types."""
    if part is QueryPart.TYPE and len(query.types) > _NAMED + 1:
        name = seen.name_of_types(query.types, language())
        if name:
            return tr("{name} ({count})", name=name, count=len(query.types))
    return _few(values(part, query, seen))


def values(part: Part, query: Query, seen: KnownValues) -> list[str]:
    """All values of the part."""
    if isinstance(part, Condition):
        return [_condition_value(part, seen)]
    if part is QueryPart.USER:
        users = [seen.user_name(one) for one in query.users]
        groups = [tr("group {group}", group=seen.group_name(one)) for one in query.groups]
        return [
            *users,
            *groups,
            *(tr("user type {name}", name=one) for one in query.user_types),
        ]
    if part is QueryPart.DATE:
        return [span_text(query.span)]
    if part is QueryPart.POLLABLE:
        return [tr("yes") if query.pollable else tr("no")]
    return list(query.types if part is QueryPart.TYPE else query.base_types)


def _condition_name(condition: Condition) -> str:
    if condition.kind is PatternKind.OBJECT:
        return tr("Object")
    if condition.kind is PatternKind.WORDS:
        return tr("Words")
    if condition.kind is not PatternKind.KEY:
        return tr("Anywhere")
    names = {"type": tr("Type"), "basetype": tr("Base type"), "user": tr("User"), "user._id": tr("User")}
    key = condition.text.partition("=")[0]
    return names.get(key, key)


def _condition_value(condition: Condition, seen: KnownValues) -> str:
    exact = tr(" (exact case)") if condition.is_exact else ""
    if condition.kind in {PatternKind.OBJECT, PatternKind.WORDS}:
        return condition.text
    if condition.kind is PatternKind.KEY:
        key, _, value = condition.text.partition("=")
        is_user = key == "user._id" and value.isdecimal()
        return f"{seen.user_name(int(value)) if is_user else value.strip('*')}{exact}"
    is_regex = condition.kind is PatternKind.REGEX
    return f"/{condition.text}/{exact}" if is_regex else tr("“{text}”", text=condition.text) + exact


def span_text(span: TimeSpan) -> str:
    """A time span."""
    if span.preset is not None:
        return preset_name(span.preset)
    first, last = _bound(span.first, span.first_ago), _bound(span.last, span.last_ago)
    if first and last:
        if span.first and span.last and first[:10] == last[:10]:
            last = last[11:]
        return f"{first} – {last}"
    if span.first_ago is not None:
        return tr("last {length}", length=_length(span.first_ago))
    return tr("since {first}", first=first) if first else tr("until {last}", last=last)


def preset_name(preset: TimePreset) -> str:
    """A relative time span."""
    return {
        TimePreset.QUARTER_HOUR: tr("last 15 minutes"),
        TimePreset.HOUR: tr("last hour"),
        TimePreset.DAY: tr("last 24 hours"),
        TimePreset.TODAY: tr("today"),
        TimePreset.YESTERDAY: tr("yesterday"),
        TimePreset.WEEK: tr("last 7 days"),
        TimePreset.MONTH: tr("last 30 days"),
        TimePreset.THIS_WEEK: tr("this week"),
        TimePreset.LAST_WEEK: tr("last week"),
        TimePreset.THIS_MONTH: tr("this month"),
        TimePreset.LAST_MONTH: tr("last month"),
    }[preset]


def whole_query(query: Query, seen: KnownValues) -> str:
    """``Type: SEARCH · Date: today``."""
    return " · ".join(f"{part_name(part)}: {summary(part, query, seen)}" for part in query.parts)


def polled_note() -> str:
    """What conditions cannot find in polled events, which are short (§4.2)."""
    return tr("Polled events have no info: texts and keys are looked for in their other fields.")


def fault_text(error: TypedQueryError) -> str:
    """Why a typed term cannot be used, and what can be done."""
    name = "" if error.term.field is None else error.term.field.value
    return {
        TypedQueryFault.NO_VALUE: tr("Type a value after “{name}:”.", name=name),
        TypedQueryFault.UNKNOWN_GROUP: tr(
            "No group “{value}” is known. A number can be typed instead, such as group:#5.",
            value=error.term.value,
        ),
        TypedQueryFault.NOT_EXCLUDABLE: tr(
            "Events do not contain the groups and types of their users, which therefore cannot be excluded."
        ),
        TypedQueryFault.YES_OR_NO: tr("Type pollable:yes or pollable:no."),
        TypedQueryFault.UNKNOWN_PATTERN: tr(
            "Nothing known matches “{value}”. Type it without other values.", value=error.reason
        ),
        TypedQueryFault.DATE: tr("New events have no other date than now, so dates cannot be used here."),
        TypedQueryFault.NOT_IN_EVENTS: tr(
            "Events do not contain the groups and types of their users, so these cannot be used here."
        ),
        TypedQueryFault.EXPRESSION: tr("Not a valid expression: {reason}", reason=error.reason or "?"),
    }[error.fault]


def _few(texts: Sequence[str]) -> str:
    if len(texts) <= _NAMED + 1:
        return ", ".join(texts)
    rest = tr("and {number} more", number=len(texts) - _NAMED)
    return f"{', '.join(texts[:_NAMED])} {rest}"


def _bound(moment: datetime | None, ago: int | None) -> str:
    if ago is not None:
        return tr("{length} ago", length=_length(ago))
    return day_and_time(moment).removesuffix(":00")


def _length(seconds: int) -> str:
    number, unit = in_largest_unit(seconds)
    return f"{number_text(number)} {unit}"
