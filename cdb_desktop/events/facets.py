"""The values of types, base types and users in a result with their numbers of events.

The service counts one value per call, so the values are taken from a sample of the result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter, Record
from cdb_desktop.events.result import PAGE_SIZE, split_records
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query, QueryPart, selected_values, with_values, without

FACET_PARTS = (QueryPart.TYPE, QueryPart.BASE_TYPE, QueryPart.USER)
MAX_FACET_VALUES = 200  # values of a part that are counted, one call each
# Calls, and records of each: a user with a hundredth of the events is hardly ever missed.
SAMPLE_PAGES, SAMPLE_RECORDS = 16, 200


class FacetValue(msgspec.Struct, frozen=True):
    """One value of a part of the query; for users their id as text."""

    part: QueryPart
    value: str


class FacetCounts(msgspec.Struct, frozen=True):
    """The counted values of a part: ``numbers`` of events by value, among ``total`` events.

    ``more`` values are known but have not been counted. ``is_whole``: all values have been counted, so the
    other events have no value.
    """

    numbers: Mapping[str, int] = {}
    total: int = 0
    more: int = 0
    is_whole: bool = False

    @property
    def rest(self) -> int:
        """The number of events with none of the values."""
        return max(0, self.total - sum(self.numbers.values()))

    def with_number(self, value: str, number: int) -> FacetCounts:
        """The counts with another value."""
        return replace(self, numbers={**self.numbers, value: number})


class ValueCounter:
    """Counts the values in records that have been read; ``read`` is the number of records."""

    def __init__(self) -> None:
        self.read = 0
        self._found: dict[QueryPart, Counter[str]] = {part: Counter() for part in FACET_PARTS}

    def add(self, records: Sequence[Record]) -> None:
        """Counts the values in ``records``."""
        events, _unreadable = split_records(records)
        self.read += len(records)
        for part, found in self._found.items():
            found.update(value for event in events if (value := _value(event, part)))

    def numbers(self, part: QueryPart) -> dict[str, int]:
        """The numbers of all values of a part, the most frequent first."""
        return dict(self._found[part].most_common())

    def without(self, part: QueryPart) -> int:
        """The number of records that have no value of a part or cannot be read."""
        return self.read - self._found[part].total()


def sample_pages(total: int) -> list[tuple[int, int]]:
    """Offsets and limits of short pages spread evenly over ``total`` rows; one page if it holds them all."""
    if total <= PAGE_SIZE:
        return [(0, PAGE_SIZE)] if total else []
    step = total / SAMPLE_PAGES
    limit = min(SAMPLE_RECORDS, ceil(step))
    return [(int(step * index + max(0.0, step - limit) / 2), limit) for index in range(SAMPLE_PAGES)]


def facet_query(query: Query, part: QueryPart) -> Query:
    """The query in which the values of a part are counted: without the filter of that part.

    So each number is the result of selecting the value.
    """
    return replace(without(query, part), sort=())


def narrowed_filter(events: EventFilter, value: FacetValue) -> EventFilter:
    """The filter for those of ``events`` that have a value."""
    if value.part is QueryPart.TYPE:
        return replace(events, type=(value.value,))
    if value.part is QueryPart.BASE_TYPE:
        return replace(events, base_type=(value.value,))
    return replace(events, user_id=(int(value.value),))


def facet_candidates(query: Query, part: QueryPart, known: KnownValues, sample: ValueCounter) -> list[str]:
    """The values to be counted: the selected ones, then those of the sample by frequency, then known ones."""
    if part is QueryPart.USER:
        users = sorted((number for number, _name in known.users), key=known.event_count_of, reverse=True)
        others = [str(number) for number in users]
    else:
        others = known.types if part is QueryPart.TYPE else known.base_types
    return list(dict.fromkeys((*selected_values(query, part), *sample.numbers(part), *others)))


def toggled_value(query: Query, value: FacetValue) -> Query:
    """The query with ``value`` added to the selection, or removed from it."""
    selected = selected_values(query, value.part)
    if value.value in selected:
        return with_values(query, value.part, [one for one in selected if one != value.value])
    return with_values(query, value.part, [*selected, value.value])


def count_object_types(events: Iterable[Event]) -> list[tuple[str, int]]:
    """The object types of loaded events with their numbers, the most frequent first.

    The service has no filter by object type, so it cannot count them.
    """
    found = Counter(event.objecttype for event in events if event.objecttype)
    return sorted(found.items(), key=lambda one: (-one[1], one[0]))


def _value(event: Event, part: QueryPart) -> str:
    if part is QueryPart.USER:
        return "" if event.user_id is None else str(event.user_id)
    return event.type if part is QueryPart.TYPE else event.basetype or ""
