"""The values of types, base types, users and object types in a result with their numbers of events.

The service counts one value per call, so the values are taken from a sample of the result, which also gives
estimates of their numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, sqrt

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter, Record
from cdb_desktop.events.result import PAGE_SIZE, split_records
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query, QueryPart, selected_values, with_condition, with_values, without
from cdb_desktop.vocabulary.pattern import Condition, PatternKind, key_value_text

FACET_PARTS = (QueryPart.TYPE, QueryPart.USER, QueryPart.BASE_TYPE)
MAX_FACET_VALUES = 200  # values of a part that are counted, one call each
_KEYS = {QueryPart.TYPE: "type", QueryPart.BASE_TYPE: "basetype", QueryPart.USER: "user._id"}
_UNSEEN = 3  # a value that is not in a sample has hardly ever more than this share of it (the rule of three)
_DEVIATIONS = 2  # of the estimate on both sides: about 95 %


class FacetValue(msgspec.Struct, frozen=True):
    """One value of a part of the query, for users their id as text; ``part`` is None for object types."""

    part: QueryPart | None
    value: str

    def condition(self, *, is_excluded: bool) -> Condition:
        """The condition that events have the value, or do not have it."""
        if self.part is None:
            return Condition(self.value, PatternKind.OBJECT, is_excluded)
        return Condition(key_value_text(_KEYS[self.part], self.value), PatternKind.KEY, is_excluded)


class Estimate(msgspec.Struct, frozen=True):
    """A number of events estimated from a sample; the true one is hardly ever outside of the margin."""

    number: int
    margin: int

    @property
    def lowest(self) -> int:
        """The lower bound; at least one event has been found."""
        return max(1, self.number - self.margin)

    @property
    def highest(self) -> int:
        """The upper bound."""
        return self.number + self.margin


class FacetCounts(msgspec.Struct, frozen=True):
    """The values of a part: exact ``numbers`` of events by value, among ``total`` events.

    ``estimates`` are of values that were found in a sample of ``sampled`` events; a value may have both.
    ``is_whole``: all values have been counted, so the other events have no value. ``others`` are values of
    events that a search has not tested, because the query filters by this part.
    """

    numbers: Mapping[str, int] = {}
    total: int = 0
    is_whole: bool = False
    estimates: Mapping[str, Estimate] = {}
    sampled: int = 0
    others: Sequence[str] = ()

    @property
    def values(self) -> dict[str, int]:
        """The number of each value, estimated if it has not been counted."""
        return {value: one.number for value, one in self.estimates.items()} | dict(self.numbers)

    @property
    def rest(self) -> int:
        """The number of events with none of the values; an estimate unless it `is_exact`."""
        return max(0, self.total - sum(self.values.values()))

    @property
    def is_exact(self) -> bool:
        """Whether all values have been counted."""
        return self.estimates.keys() <= self.numbers.keys()

    @property
    def may_have_others(self) -> bool:
        """Whether some events may have a value that is not known."""
        return not self.is_whole and (self.rest > 0 or not self.is_exact)

    def with_seen(self, seen: Mapping[str, int]) -> FacetCounts:
        """The counts with values seen so often elsewhere; there are few events of those not in the sample."""
        if self.is_whole or not self.sampled:
            return self
        margin = ceil(_UNSEEN * self.total / self.sampled)
        more = {value: Estimate(number, margin) for value, number in seen.items()}
        return replace(self, estimates={**more, **self.estimates})

    def with_number(self, value: str, number: int) -> FacetCounts:
        """The counts with another value."""
        return replace(self, numbers={**self.numbers, value: number})


class ValueCounter:
    """Counts the values in records that have been read; ``read`` is the number of records."""

    def __init__(self) -> None:
        self.read = 0
        self._found: dict[QueryPart, Counter[str]] = {part: Counter() for part in FACET_PARTS}
        self._pages: list[tuple[int, dict[QueryPart, Counter[str]]]] = []

    def add(self, records: Sequence[Record]) -> None:
        """Counts the values in a page of records."""
        events, _unreadable = split_records(records)
        self.read += len(records)
        page = {
            part: Counter(value for event in events if (value := _value(event, part))) for part in FACET_PARTS
        }
        self._pages.append((len(records), page))
        for part, found in self._found.items():
            found.update(page[part])

    def numbers(self, part: QueryPart) -> dict[str, int]:
        """The numbers of all values of a part, the most frequent first."""
        return dict(self._found[part].most_common())

    def without(self, part: QueryPart) -> int:
        """The number of records that have no value of a part or cannot be read."""
        return self.read - self._found[part].total()

    def estimates(self, part: QueryPart, total: int) -> dict[str, Estimate]:
        """The numbers of all values of a part among ``total`` events, of which the pages are a sample.

        The margin follows from how much the pages differ, as events of the same time are alike.
        """
        return {value: self._estimate(part, value, total) for value in self.numbers(part)}

    def _estimate(self, part: QueryPart, value: str, total: int) -> Estimate:
        share = self._found[part][value] / self.read
        squares = share * (1 - share) / self.read
        pages = [(size, found[part][value]) for size, found in self._pages if size]
        if len(pages) > 1:
            spread = sum((number / size - share) ** 2 for size, number in pages)
            squares = max(squares, spread / (len(pages) * (len(pages) - 1)))
        return Estimate(round(share * total), ceil(_DEVIATIONS * sqrt(squares) * total))


def sample_pages(total: int, pages: int, size: int = PAGE_SIZE) -> list[tuple[int, int]]:
    """Offsets and limits of pages spread evenly over ``total`` rows; one page if it holds them all."""
    if total <= PAGE_SIZE:
        return [(0, PAGE_SIZE)] if total else []
    step = total / pages
    limit = min(size, ceil(step))
    return [(int(step * index + max(0.0, step - limit) / 2), limit) for index in range(pages)]


def facet_query(query: Query, part: QueryPart) -> Query:
    """The query in which the values of a part are counted: without the filter of that part.

    So each number is the result of selecting the value.
    """
    return replace(without(query, part), sort=())


def facet_filter(events: EventFilter, part: QueryPart) -> EventFilter:
    """The filter of `facet_query` for the filter of a query."""
    if part is QueryPart.TYPE:
        return replace(events, type=())
    if part is QueryPart.BASE_TYPE:
        return replace(events, base_type=())
    return replace(events, user_id=(), group_id=(), user_type=())


def narrowed_filter(events: EventFilter, part: QueryPart, value: str) -> EventFilter:
    """The filter for those of ``events`` that have a value."""
    if part is QueryPart.TYPE:
        return replace(events, type=(value,))
    if part is QueryPart.BASE_TYPE:
        return replace(events, base_type=(value,))
    return replace(events, user_id=(int(value),))


def known_candidates(part: QueryPart, known: KnownValues) -> list[str]:
    """The values of a part that are known from all events read so far, users by their numbers of events."""
    if part is QueryPart.USER:
        users = sorted((number for number, _name in known.users), key=known.event_count_of, reverse=True)
        return [str(number) for number in users]
    return known.types if part is QueryPart.TYPE else known.base_types


def is_selected(query: Query, value: FacetValue) -> bool:
    """Whether the query filters by a value."""
    if value.part is None:
        return value.condition(is_excluded=False) in query.conditions
    return value.value in selected_values(query, value.part)


def is_excluded(query: Query, value: FacetValue) -> bool:
    """Whether the query excludes a value."""
    return value.condition(is_excluded=True) in query.conditions


def excluded_values(query: Query, part: QueryPart | None) -> list[str]:
    """The values of a part that the query excludes."""
    if part is None:
        found = [one.text for one in query.conditions if one.kind is PatternKind.OBJECT]
    else:
        start = f"{_KEYS[part]}="
        keys = [one.text for one in query.conditions if one.kind is PatternKind.KEY]
        found = [text.removeprefix(start).strip('"') for text in keys if text.startswith(start)]
    return [
        value
        for value in dict.fromkeys(found)
        if is_excluded(query, FacetValue(part, value)) and (part is not QueryPart.USER or value.isdecimal())
    ]


def toggled_value(query: Query, value: FacetValue) -> Query:
    """The query with ``value`` added to the selection, or removed from it; it is not excluded any more.

    An event has one object, so another object type replaces the one that is selected.
    """
    is_on = is_selected(query, value)
    query = _not_excluded(query, value)
    if value.part is None:
        query = _without_object_types(query)
        return query if is_on else with_condition(query, value.condition(is_excluded=False))
    selected = selected_values(query, value.part)
    if is_on:
        return with_values(query, value.part, [one for one in selected if one != value.value])
    return with_values(query, value.part, [*selected, value.value])


def only_value(query: Query, value: FacetValue) -> Query:
    """The query with ``value`` as the only one of its part."""
    if value.part is None:
        return toggled_value(_without_object_types(query), value)
    return with_values(_not_excluded(query, value), value.part, (value.value,))


def toggled_exclusion(query: Query, value: FacetValue) -> Query:
    """The query without the events that have ``value``, or with them again."""
    if is_excluded(query, value):
        return _not_excluded(query, value)
    if is_selected(query, value):
        query = toggled_value(query, value)
    return with_condition(query, value.condition(is_excluded=True))


def count_object_types(events: Sequence[Event], *, is_whole: bool) -> FacetCounts:
    """The numbers of events by object type, the most frequent first; ``is_whole``: there are no others.

    The service has no filter by object type, so it cannot count them.
    """
    found = Counter(event.objecttype for event in events if event.objecttype)
    numbers = dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))
    return FacetCounts(numbers, len(events), is_whole)


def _not_excluded(query: Query, value: FacetValue) -> Query:
    return without(query, value.condition(is_excluded=True))


def _without_object_types(query: Query) -> Query:
    """The query without conditions for an object type only; those for an object or its id stay."""
    kept = (
        one
        for one in query.conditions
        if one.kind is not PatternKind.OBJECT or one.is_excluded or " " in one.text or one.text.isdecimal()
    )
    return replace(query, conditions=tuple(kept))


def _value(event: Event, part: QueryPart) -> str:
    if part is QueryPart.USER:
        return "" if event.user_id is None else str(event.user_id)
    return event.type if part is QueryPart.TYPE else event.basetype or ""
