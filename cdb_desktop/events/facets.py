"""Where to look into a long result so that everybody with a share worth naming is met. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter, Record
from cdb_desktop.events.known_values import KnownValues
from cdb_desktop.events.query import Query, QueryPart, selected_values, with_values, without
from cdb_desktop.events.result import PAGE_SIZE, split_records

SAMPLE_PAGES, SAMPLE_RECORDS = (
    16,
    200,
)  # calls, and records of each: who has a hundredth of them is hardly ever missed


def sample_pages(total: int) -> list[tuple[int, int]]:
    """Offsets and limits of short pages, evenly spread; all there is where that is little."""
    if total <= PAGE_SIZE:
        return [(0, PAGE_SIZE)] if total else []
    step = total / SAMPLE_PAGES
    limit = min(SAMPLE_RECORDS, ceil(step))
    return [(int(step * place + max(0.0, step - limit) / 2), limit) for place in range(SAMPLE_PAGES)]


FACET_PARTS = (QueryPart.TYPE, QueryPart.BASE_TYPE, QueryPart.USER)


class ValueCounter:
    """Grows record by record; users are told by their number."""

    def __init__(self) -> None:
        self.read = 0
        self._found: dict[QueryPart, Counter[str]] = {part: Counter() for part in FACET_PARTS}

    def add(self, records: Sequence[Record]) -> None:
        """Takes in what has been read."""
        events, _unreadable = split_records(records)
        self.read += len(records)
        for part, found in self._found.items():
            found.update(value for event in events if (value := _value(event, part)))

    def numbers(self, part: QueryPart) -> dict[str, int]:
        """All values of a part, the most frequent first."""
        return dict(self._found[part].most_common())

    def without(self, part: QueryPart) -> int:
        """How many records have no value of a part, or cannot be read."""
        return self.read - self._found[part].total()


def _value(event: Event, part: QueryPart) -> str:
    if part is QueryPart.USER:
        return "" if event.user_id is None else str(event.user_id)
    return event.type if part is QueryPart.TYPE else event.basetype or ""


MAX_FACET_VALUES = 200  # values of a part: each takes a call


class FacetValue(msgspec.Struct, frozen=True):
    """One value of a part of the query; users are told by their number."""

    part: QueryPart
    value: str


class FacetCounts(msgspec.Struct, frozen=True):
    """What has been counted of a part: ``numbers`` by value, among ``total`` events.

    ``more`` values are known and have not been counted. ``is_whole`` tells that everything has been counted
    that has a value: the others have none.
    """

    numbers: Mapping[str, int] = {}
    total: int = 0
    more: int = 0
    is_whole: bool = False

    @property
    def rest(self) -> int:
        """Events that none of the values has."""
        return max(0, self.total - sum(self.numbers.values()))

    def with_number(self, value: str, number: int) -> FacetCounts:
        """With one value more."""
        return replace(self, numbers={**self.numbers, value: number})


def facet_query(query: Query, part: QueryPart) -> Query:
    """What the values of a part are counted in: all other parts of the query count, its own does not.

    So it is seen what choosing a value would find.
    """
    return replace(without(query, part), sort=())


def narrowed_filter(events: EventFilter, value: FacetValue) -> EventFilter:
    """Those of ``events`` that have a value."""
    if value.part is QueryPart.TYPE:
        return replace(events, type=(value.value,))
    if value.part is QueryPart.BASE_TYPE:
        return replace(events, base_type=(value.value,))
    return replace(events, user_id=(int(value.value),))


def facet_candidates(query: Query, part: QueryPart, seen: KnownValues, tally: ValueCounter) -> list[str]:
    """The values that are known: those that are chosen, then those met most often in a sample, ``tally``."""
    met = tally.numbers(part)
    if part is QueryPart.USER:
        often = sorted((number for number, _name in seen.users), key=seen.met, reverse=True)
        known = [str(number) for number in often]
    else:
        known = seen.types if part is QueryPart.TYPE else seen.base_types
    return list(dict.fromkeys((*selected_values(query, part), *met, *known)))


def toggled_value(query: Query, value: FacetValue) -> Query:
    """The query with ``value`` asked for beside the others, or no longer if it was."""
    present = selected_values(query, value.part)
    if value.value in present:
        return with_values(query, value.part, [one for one in present if one != value.value])
    return with_values(query, value.part, [*present, value.value])


def count_object_types(events: Iterable[Event]) -> list[tuple[str, int]]:
    """Object types among ``events`` with their numbers, the most frequent first; no call counts them."""
    found = Counter(event.objecttype for event in events if event.objecttype)
    return sorted(((name, number) for name, number in found.items()), key=lambda one: (-one[1], one[0]))
