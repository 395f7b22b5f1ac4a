"""What is asked of the event log, as a frozen value that pure functions change. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import Enum

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter, Sort
from cdb_desktop.client.query import SORT_FIELDS
from cdb_desktop.events.moment import LONGEST_AGO
from cdb_desktop.events.span import Span

NEWEST_FIRST = Sort("_id", descending=True)  # the service's order when none is asked for (§4.3)
_DESCENDING_FIRST = frozenset({"_id", "timestamp"})


class Part(Enum):
    """The parts of a query that narrow it; users, groups and user types are one (§4.3 rule 1)."""

    TYPE = "type"
    BASE_TYPE = "base_type"
    USER = "user"
    DATE = "date"
    POLLABLE = "pollable"


class Listing(msgspec.Struct, frozen=True):
    """A query at a moment, as the service is asked; no sort means newest first (§4.3)."""

    filter: EventFilter = EventFilter()
    sort: tuple[Sort, ...] = ()

    @property
    def order(self) -> tuple[Sort, ...]:
        """The order in force."""
        return self.sort or (NEWEST_FIRST,)

    def frozen_at(self, moment: datetime | None) -> Listing:
        """The same without what happens after ``moment``.

        Paging goes by offset, so a new event would shift every later page by one row. An end of its own may
        still be to come.
        """
        if moment is None or (self.filter.date_to is not None and self.filter.date_to <= moment):
            return self
        return replace(self, filter=replace(self.filter, date_to=moment))


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """Which events in which order. Empty tuples, None and an open span mean "no filter"."""

    types: tuple[str, ...] = ()
    base_types: tuple[str, ...] = ()
    users: tuple[int, ...] = ()
    groups: tuple[int, ...] = ()
    user_types: tuple[str, ...] = ()
    pollable: bool | None = None
    span: Span = Span()
    sort: tuple[Sort, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """What narrows the query, in the order in which it is told."""
        return tuple(part for part in Part if self != without(self, part))

    @property
    def order(self) -> tuple[Sort, ...]:
        """The order in force."""
        return self.sort or (NEWEST_FIRST,)

    def at(self, now: datetime) -> Listing:
        """What to ask the service at ``now``."""
        first, last = self.span.bounds(now)
        chosen = EventFilter(
            pollable=self.pollable,
            type=self.types,
            base_type=self.base_types,
            user_id=self.users,
            group_id=self.groups,
            user_type=self.user_types,
            date_from=first,
            date_to=last,
        )
        return Listing(chosen, self.sort)


def is_by_time(order: Sequence[Sort]) -> bool:
    """Whether an order goes by time: ids are given as events happen."""
    return order[0].field in _DESCENDING_FIRST


def can_be_asked(query: Query) -> bool:
    """Whether a query from a file is one: a service would only refuse other orders and times (§4.3)."""
    return unaskable(query) is None


def unaskable(query: Query) -> tuple[str, str] | None:
    """The first part of a query that no service takes, by its path in a file, and the value that it has."""
    span = query.span
    for one in query.sort:
        if one.field not in SORT_FIELDS:
            return "sort.field", one.field
    for name, bound in (("first", span.first), ("last", span.last)):
        if bound is not None and bound.tzinfo is None:
            return f"span.{name}", bound.isoformat()
    for name, ago in (("first_ago", span.first_ago), ("last_ago", span.last_ago)):
        if ago is not None and not 0 <= ago <= LONGEST_AGO:
            return f"span.{name}", str(ago)
    return None


def without(query: Query, part: Part) -> Query:
    """The query without one of its parts."""
    if part is Part.TYPE:
        return replace(query, types=())
    if part is Part.BASE_TYPE:
        return replace(query, base_types=())
    if part is Part.USER:
        return replace(query, users=(), groups=(), user_types=())
    if part is Part.DATE:
        return replace(query, span=Span())
    return replace(query, pollable=None)


def hides(query: Query, part: Part, event: Event, chosen: EventFilter) -> bool | None:
    """Whether a part of the query keeps an event from being listed, None where the record cannot tell.

    ``chosen`` is the filter that was sent for the query: it has the bounds of relative dates.
    """
    if part is Part.TYPE:
        return event.type not in query.types
    if part is Part.BASE_TYPE:
        return (event.basetype or "") not in query.base_types
    if part is Part.POLLABLE:
        return None if event.pollable is None else event.pollable is not query.pollable
    if part is Part.DATE:
        return _is_outside(chosen, event.timestamp)
    if event.user_id in query.users:
        return False
    # A record does not tell the groups of its user.
    return None if query.groups or query.user_types else True


def _is_outside(chosen: EventFilter, moment: datetime | None) -> bool | None:
    if moment is None:
        return None
    first, last = chosen.date_from, chosen.date_to
    is_before = isinstance(first, datetime) and moment < first
    return is_before or (isinstance(last, datetime) and moment > last)


def cleared(query: Query) -> Query:
    """Everything, in the same order."""
    return Query(sort=query.sort)


def first_order(field: str) -> Sort:
    """The way round in which rows are sorted by a field at first."""
    return Sort(field, field in _DESCENDING_FIRST)


def sorted_by(query: Query, field: str, *, also: bool = False) -> Query:
    """Sorted by ``field``, the other way round when it already leads; ``also`` keeps what leads before it.

    No two events share an id, so nothing would count after it: what is added comes before.
    """
    known = next((one for one in query.order if one.field == field), None)
    turned = Sort(field, not known.descending) if known else first_order(field)
    if not also:
        return replace(query, sort=() if turned == NEWEST_FIRST else (turned,))
    if known is None:
        unique = [place for place, one in enumerate(query.sort) if one.field == NEWEST_FIRST.field]
        end = unique[0] if unique else len(query.sort)
        return replace(query, sort=(*query.sort[:end], turned, *query.sort[end:]))
    return replace(query, sort=tuple(turned if one is known else one for one in query.order))


def sorted_only(query: Query, order: Sort) -> Query:
    """Sorted by nothing else."""
    return replace(query, sort=() if order == NEWEST_FIRST else (order,))


def not_sorted(query: Query, field: str) -> Query:
    """Sorted by what is left without ``field``; newest first where that is nothing."""
    left = tuple(one for one in query.sort if one.field != field)
    return replace(query, sort=() if left == (NEWEST_FIRST,) else left)


def with_choices(query: Query, part: Part, chosen: tuple[str, ...]) -> Query:
    """The query with these types or base types in place of those it had."""
    return replace(query, types=chosen) if part is Part.TYPE else replace(query, base_types=chosen)
