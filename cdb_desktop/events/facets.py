"""Which values the events of a result have, and how many of them; counted by the service. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter
from cdb_desktop.events.query import Part, Query, without
from cdb_desktop.events.seen import Seen
from cdb_desktop.events.tally import Tally

MOST_COUNTED = 200  # values of a part: each takes a call


class Value(msgspec.Struct, frozen=True):
    """One value of a part of the query; users are told by their number."""

    part: Part
    value: str


class Counts(msgspec.Struct, frozen=True):
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

    def with_number(self, value: str, number: int) -> Counts:
        """With one value more."""
        return replace(self, numbers={**self.numbers, value: number})


def within(query: Query, part: Part) -> Query:
    """What the values of a part are counted in: all other parts of the query count, its own does not.

    So it is seen what choosing a value would find.
    """
    return replace(without(query, part), sort=())


def narrowed(events: EventFilter, value: Value) -> EventFilter:
    """Those of ``events`` that have a value."""
    if value.part is Part.TYPE:
        return replace(events, type=(value.value,))
    if value.part is Part.BASE_TYPE:
        return replace(events, base_type=(value.value,))
    return replace(events, user_id=(int(value.value),))


def candidates(query: Query, part: Part, seen: Seen, tally: Tally) -> list[str]:
    """The values that are known: those that are chosen, then those met most often in a sample, ``tally``."""
    met = tally.numbers(part)
    if part is Part.USER:
        often = sorted((number for number, _name in seen.users), key=seen.met, reverse=True)
        known = [str(number) for number in often]
    else:
        known = seen.types if part is Part.TYPE else seen.base_types
    return list(dict.fromkeys((*chosen(query, part), *met, *known)))


def chosen(query: Query, part: Part) -> tuple[str, ...]:
    """The values that the query already asks for."""
    if part is Part.TYPE:
        return query.types
    return query.base_types if part is Part.BASE_TYPE else tuple(str(one) for one in query.users)


def with_values(query: Query, part: Part, values: Sequence[str]) -> Query:
    """The query with these values of a part in place of those it had."""
    if part is Part.TYPE:
        return replace(query, types=tuple(values))
    if part is Part.BASE_TYPE:
        return replace(query, base_types=tuple(values))
    return replace(query, users=tuple(int(one) for one in values))


def toggled(query: Query, value: Value) -> Query:
    """The query with ``value`` asked for beside the others, or no longer if it was."""
    present = chosen(query, value.part)
    if value.value in present:
        return with_values(query, value.part, [one for one in present if one != value.value])
    return with_values(query, value.part, [*present, value.value])


def object_types(events: Iterable[Event]) -> list[tuple[str, int]]:
    """Object types among ``events`` with their numbers, the most frequent first; no call counts them."""
    found = Counter(event.objecttype for event in events if event.objecttype)
    return sorted(((name, number) for name, number in found.items()), key=lambda one: (-one[1], one[0]))
