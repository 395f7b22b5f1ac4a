"""Typed text as a query, and a query as text: see `query_text` for the language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from enum import Enum
from typing import TypeVar

from msgspec.structs import replace

from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query, with_condition
from cdb_desktop.vocabulary.pattern import Condition, EventMatcher, PatternError, PatternKind
from cdb_desktop.vocabulary.query_text import Field, Term, condition_text, field_text
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan

Value = TypeVar("Value")

_YES, _NO = frozenset({"yes", "ja", "true", "1"}), frozenset({"no", "nein", "false", "0"})
_ID = re.compile(r"#?(\d{1,18})")
_PRESETS = {
    TimePreset.QUARTER_HOUR: "last 15 min",
    TimePreset.HOUR: "last 1 h",
    TimePreset.DAY: "last 24 h",
    TimePreset.TODAY: "today",
    TimePreset.YESTERDAY: "yesterday",
    TimePreset.WEEK: "last 7 d",
    TimePreset.MONTH: "last 30 d",
    TimePreset.THIS_WEEK: "this week",
    TimePreset.LAST_WEEK: "last week",
    TimePreset.THIS_MONTH: "this month",
    TimePreset.LAST_MONTH: "last month",
}


class TypedQueryFault(Enum):
    """Why a term has no meaning."""

    NO_VALUE = "no value"
    UNKNOWN_GROUP = "unknown group"
    NOT_EXCLUDABLE = "not excludable"
    YES_OR_NO = "yes or no"
    UNKNOWN_PATTERN = "nothing known matches"
    EXPRESSION = "invalid expression"
    DATE = "date"
    NOT_IN_EVENTS = "not in events"


class TypedQueryError(ValueError):
    """A term cannot be used; ``reason`` is that of an expression, or the value that nothing known matches."""

    def __init__(self, fault: TypedQueryFault, term: Term, reason: str = "") -> None:
        super().__init__(f"{fault.value} {reason}".strip())
        self.fault, self.term, self.reason = fault, term, reason


def with_terms(query: Query, terms: Iterable[Term], known: KnownValues) -> Query:
    """The query with further terms. Conditions that the service can filter by become filters (§4.3).

    Names are looked up in ``known``; ``*`` in a type stands for known types. A date replaces that of the
    query. Raises TypedQueryError.
    """
    for term in terms:
        if term.span is not None:
            query = replace(query, span=term.span)
        elif term.condition is not None:
            query = _with_conditions(query, term, [term.condition])
        elif term.field is not None:
            if not term.value.strip():
                raise TypedQueryError(TypedQueryFault.NO_VALUE, term)
            query = _FIELDS[term.field](query, term, known)
    return query


def with_event_terms(query: Query, terms: Sequence[Term], known: KnownValues) -> Query:
    """The query with further terms that can be tested on single new events; see `testable`.

    Raises TypedQueryError.
    """
    for term in terms:
        if term.span is not None:
            raise TypedQueryError(TypedQueryFault.DATE, term)
        if term.field in {Field.GROUP, Field.USER_TYPE}:
            raise TypedQueryError(TypedQueryFault.NOT_IN_EVENTS, term)
    return with_terms(query, terms, known)


def typed_text(query: Query) -> str:
    """The query as it can be typed, without its order; users and groups with their ids."""
    named: list[tuple[Field, Sequence[object]]] = [
        (Field.TYPE, query.types),
        (Field.BASE_TYPE, query.base_types),
        (Field.USER, [f"#{number}" for number in query.users]),
        (Field.GROUP, [f"#{number}" for number in query.groups]),
        (Field.USER_TYPE, query.user_types),
    ]
    texts = [field_text(field, str(value)) for field, values in named for value in values]
    if query.pollable is not None:
        texts.append(field_text(Field.POLLABLE, "yes" if query.pollable else "no"))
    texts += [condition_text(condition) for condition in query.conditions]
    # Dates are written as words, other filters as ``field:value``.
    return " ".join([*texts, span_phrase(query.span)]).strip()


def span_phrase(span: TimeSpan) -> str:
    """A time span as it can be typed, empty for all times."""
    if span.preset is not None:
        return _PRESETS[span.preset]
    first = _side(span.first, span.first_ago)
    last = _side(span.last, span.last_ago)
    if first and last:
        return f"{first} .. {last}"
    if first:
        return f"since {first}"
    return f"until {last}" if last else ""


def _side(moment: datetime | None, ago: int | None) -> str:
    if ago is not None:
        return f"{ago} s"
    return moment.isoformat(timespec="seconds") if moment is not None else ""


def _with_conditions(query: Query, term: Term, conditions: Iterable[Condition]) -> Query:
    for condition in conditions:
        try:
            EventMatcher([condition])
        except PatternError as error:
            raise TypedQueryError(TypedQueryFault.EXPRESSION, term, error.reason) from error
        query = with_condition(query, condition)
    return query


def _with_types(query: Query, term: Term, known: KnownValues) -> Query:
    """Types or base types."""
    is_type = term.field is Field.TYPE
    found = _looked_up(term, "type" if is_type else "basetype", known.types if is_type else known.base_types)
    if not isinstance(found, list):
        return _with_conditions(query, term, found)
    if is_type:
        return replace(query, types=_union(query.types, found))
    return replace(query, base_types=_union(query.base_types, found))


def _with_users(query: Query, term: Term, known: KnownValues) -> Query:
    value = term.value.strip()
    ids = _ids(value, known.users)
    if term.is_excluded:
        pairs = [("user._id", str(number)) for number in ids] or [("user", f"*{value}*")]
        excluded = [field_condition(key, text, is_excluded=True) for key, text in pairs]
        return _with_conditions(query, term, excluded)
    if not ids:
        return _with_conditions(query, term, [field_condition("user", f"*{value}*")])
    return replace(query, users=_union(query.users, ids))


def _with_groups(query: Query, term: Term, known: KnownValues) -> Query:
    ids = _ids(term.value.strip(), known.groups)
    if term.is_excluded:
        raise TypedQueryError(TypedQueryFault.NOT_EXCLUDABLE, term)
    if not ids:
        raise TypedQueryError(TypedQueryFault.UNKNOWN_GROUP, term)
    return replace(query, groups=_union(query.groups, ids))


def _with_user_types(query: Query, term: Term, known: KnownValues) -> Query:
    found = _looked_up(term, "", known.user_types)
    if not isinstance(found, list):
        raise TypedQueryError(TypedQueryFault.NOT_EXCLUDABLE, term)
    return replace(query, user_types=_union(query.user_types, found))


def _with_object(query: Query, term: Term, _known: KnownValues) -> Query:
    text = " ".join(term.value.split())
    return _with_conditions(query, term, [Condition(text, PatternKind.OBJECT, term.is_excluded)])


def _with_pollable(query: Query, term: Term, _known: KnownValues) -> Query:
    value = term.value.strip().casefold()
    if value not in _YES | _NO:
        raise TypedQueryError(TypedQueryFault.YES_OR_NO, term)
    return replace(query, pollable=(value in _YES) is not term.is_excluded)


_FIELDS: dict[Field, Callable[[Query, Term, KnownValues], Query]] = {
    Field.TYPE: _with_types,
    Field.BASE_TYPE: _with_types,
    Field.USER: _with_users,
    Field.USER_TYPE: _with_user_types,
    Field.GROUP: _with_groups,
    Field.OBJECT: _with_object,
    Field.POLLABLE: _with_pollable,
}


def field_condition(key: str, value: str, *, is_excluded: bool = False) -> Condition:
    """The condition that a field has a value; ``*`` in it matches any text."""
    shown = value if re.fullmatch(r'[^\s"\\]+', value) else '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
    return Condition(f"{key}={shown}", PatternKind.KEY, is_excluded)


def _values(term: Term) -> list[str]:
    return [value.strip() for value in term.value.split(",") if value.strip()] or [term.value.strip()]


def _looked_up(term: Term, key: str, known: Sequence[str]) -> list[str] | tuple[Condition, ...]:
    """The known values that are meant or the values themselves, or conditions for a field with them.

    Conditions are for values that are excluded, and for a ``*`` that stands for nothing known. Raises
    TypedQueryError for such a ``*`` among other values, since conditions all have to hold.
    """
    values = _values(term)
    if term.is_excluded:
        return tuple(field_condition(key, value, is_excluded=True) for value in values)
    found: list[str] = []
    for value in values:
        expression = re.compile(".*".join(re.escape(piece) for piece in value.split("*")), re.IGNORECASE)
        meant = [one for one in known if expression.fullmatch(one)]
        if not meant and "*" in value:
            if len(values) > 1:
                raise TypedQueryError(TypedQueryFault.UNKNOWN_PATTERN, term, value)
            return (field_condition(key, value),)
        # As for users: part of a name is enough, but only for what is known.
        found += meant or [one for one in known if value.casefold() in one.casefold()] or [value]
    return found


def _ids(value: str, known: Sequence[tuple[int, str]]) -> list[int]:
    """The ids of those with a name, else of those with it as a part of their names; or the id itself."""
    if number := _ID.fullmatch(value):
        return [int(number[1])]
    folded = value.casefold()
    equal = [one for one, name in known if name.casefold() == folded]
    return equal or [one for one, name in known if folded in name.casefold()]


def _union(before: Sequence[Value], more: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys((*before, *more)))
