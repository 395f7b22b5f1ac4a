"""Which values the events of a result have, and how many of them; counted by the service. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter
from cdb_desktop.events.query import Part, Query, without
from cdb_desktop.events.seen import Seen

FACETS = (Part.TYPE, Part.BASE_TYPE, Part.USER)
MOST_USERS = 50


class Value(msgspec.Struct, frozen=True):
    """One value of a part of the query; users are told by their number."""

    part: Part
    value: str


def asked(query: Query, now: datetime, seen: Seen) -> list[tuple[Value, EventFilter]]:
    """The values that are known, each with the filter that counts it.

    All other parts of the query count, its own does not: so it is seen what choosing a value would find at
    ``now``.
    """
    known = {
        Part.TYPE: seen.types,
        Part.BASE_TYPE: seen.base_types,
        Part.USER: [str(number) for number, _name in seen.users[:MOST_USERS]],
    }
    return [
        (Value(part, value), _narrowed(without(query, part).at(now).filter, part, value))
        for part in FACETS
        for value in known[part]
    ]


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


def _narrowed(chosen: EventFilter, part: Part, value: str) -> EventFilter:
    if part is Part.TYPE:
        return replace(chosen, type=(value,))
    if part is Part.BASE_TYPE:
        return replace(chosen, base_type=(value,))
    return replace(chosen, user_id=(int(value),))
