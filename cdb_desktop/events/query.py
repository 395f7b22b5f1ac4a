"""What is asked of the event log, as a frozen value that pure functions change. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import Enum

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter, Sort
from cdb_desktop.client.query import SORT_FIELDS
from cdb_desktop.events.time_input import MAX_SECONDS_AGO
from cdb_desktop.vocabulary.times import midnight

NEWEST_FIRST = Sort("_id", descending=True)  # the service's order when none is asked for (§4.3)
_DESCENDING_FIRST = frozenset({"_id", "timestamp"})


class TimePreset(Enum):
    """A stretch that moves with now."""

    QUARTER_HOUR = "quarter_hour"
    HOUR = "hour"
    DAY = "day"
    TODAY = "today"
    YESTERDAY = "yesterday"
    WEEK = "week"
    MONTH = "month"


_LENGTHS = {
    TimePreset.QUARTER_HOUR: timedelta(minutes=15),
    TimePreset.HOUR: timedelta(hours=1),
    TimePreset.DAY: timedelta(days=1),
    TimePreset.WEEK: timedelta(days=7),
    TimePreset.MONTH: timedelta(days=30),
}


class TimeSpan(msgspec.Struct, frozen=True):
    """A preset, or bounds of which either may be missing; both are inclusive and have an offset (§4.3).

    A bound is a moment, or so many seconds before now and moves with it.
    """

    preset: TimePreset | None = None
    first: datetime | None = None
    last: datetime | None = None
    first_ago: int | None = None
    last_ago: int | None = None

    @property
    def is_everything(self) -> bool:
        """Whether all of time is meant."""
        return self == TimeSpan()

    def bounds(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """The first and the last moment at ``now``, None where there is no bound."""
        now = now.replace(microsecond=0)
        if self.preset is None:
            return _bound(self.first, self.first_ago, now), _bound(self.last, self.last_ago, now)
        if self.preset is TimePreset.TODAY:
            return midnight(now), None
        if self.preset is TimePreset.YESTERDAY:
            end = midnight(now) - timedelta(seconds=1)
            return midnight(end), end
        return now - _LENGTHS[self.preset], None


def span_around(moment: datetime, minutes: int = 5) -> TimeSpan:
    """So many minutes before and after ``moment``."""
    reach = timedelta(minutes=minutes)
    return TimeSpan(first=_moved(moment, -reach), last=_moved(moment, reach))


def _bound(moment: datetime | None, ago: int | None, now: datetime) -> datetime | None:
    return moment if ago is None else _moved(now, -timedelta(seconds=ago))


def _moved(moment: datetime, by: timedelta) -> datetime:
    # A service may write any time, also such that there is none beyond it.
    try:
        return moment + by
    except OverflowError:
        return moment


class QueryPart(Enum):
    """The parts of a query that narrow it; users, groups and user types are one (§4.3 rule 1)."""

    TYPE = "type"
    BASE_TYPE = "base_type"
    USER = "user"
    DATE = "date"
    POLLABLE = "pollable"


class ResolvedQuery(msgspec.Struct, frozen=True):
    """A query at a moment, as the service is asked; no sort means newest first (§4.3)."""

    filter: EventFilter = EventFilter()
    sort: tuple[Sort, ...] = ()

    @property
    def order(self) -> tuple[Sort, ...]:
        """The order in force."""
        return self.sort or (NEWEST_FIRST,)

    def frozen_at(self, moment: datetime | None) -> ResolvedQuery:
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
    span: TimeSpan = TimeSpan()
    sort: tuple[Sort, ...] = ()

    @property
    def parts(self) -> tuple[QueryPart, ...]:
        """What narrows the query, in the order in which it is told."""
        return tuple(part for part in QueryPart if self != without(self, part))

    @property
    def order(self) -> tuple[Sort, ...]:
        """The order in force."""
        return self.sort or (NEWEST_FIRST,)

    def at(self, now: datetime) -> ResolvedQuery:
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
        return ResolvedQuery(chosen, self.sort)


def is_time_order(order: Sequence[Sort]) -> bool:
    """Whether an order goes by time: ids are given as events happen."""
    return order[0].field in _DESCENDING_FIRST


def is_valid_query(query: Query) -> bool:
    """Whether a query from a file is one: a service would only refuse other orders and times (§4.3)."""
    return invalid_value(query) is None


def invalid_value(query: Query) -> tuple[str, str] | None:
    """The first part of a query that no service takes, by its path in a file, and the value that it has."""
    span = query.span
    for one in query.sort:
        if one.field not in SORT_FIELDS:
            return "sort.field", one.field
    for name, bound in (("first", span.first), ("last", span.last)):
        if bound is not None and bound.tzinfo is None:
            return f"span.{name}", bound.isoformat()
    for name, ago in (("first_ago", span.first_ago), ("last_ago", span.last_ago)):
        if ago is not None and not 0 <= ago <= MAX_SECONDS_AGO:
            return f"span.{name}", str(ago)
    return None


def without(query: Query, part: QueryPart) -> Query:
    """The query without one of its parts."""
    if part is QueryPart.TYPE:
        return replace(query, types=())
    if part is QueryPart.BASE_TYPE:
        return replace(query, base_types=())
    if part is QueryPart.USER:
        return replace(query, users=(), groups=(), user_types=())
    if part is QueryPart.DATE:
        return replace(query, span=TimeSpan())
    return replace(query, pollable=None)


def excludes(query: Query, part: QueryPart, event: Event, chosen: EventFilter) -> bool | None:
    """Whether a part of the query keeps an event from being listed, None where the record cannot tell.

    ``chosen`` is the filter that was sent for the query: it has the bounds of relative dates.
    """
    if part is QueryPart.TYPE:
        return event.type not in query.types
    if part is QueryPart.BASE_TYPE:
        return (event.basetype or "") not in query.base_types
    if part is QueryPart.POLLABLE:
        return None if event.pollable is None else event.pollable is not query.pollable
    if part is QueryPart.DATE:
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


def without_filters(query: Query) -> Query:
    """Everything, in the same order."""
    return Query(sort=query.sort)


def default_sort(field: str) -> Sort:
    """The way round in which rows are sorted by a field at first."""
    return Sort(field, field in _DESCENDING_FIRST)


def sorted_by(query: Query, field: str, *, also: bool = False) -> Query:
    """Sorted by ``field``, the other way round when it already leads; ``also`` keeps what leads before it.

    No two events share an id, so nothing would count after it: what is added comes before.
    """
    known = next((one for one in query.order if one.field == field), None)
    turned = Sort(field, not known.descending) if known else default_sort(field)
    if not also:
        return replace(query, sort=() if turned == NEWEST_FIRST else (turned,))
    if known is None:
        unique = [place for place, one in enumerate(query.sort) if one.field == NEWEST_FIRST.field]
        end = unique[0] if unique else len(query.sort)
        return replace(query, sort=(*query.sort[:end], turned, *query.sort[end:]))
    return replace(query, sort=tuple(turned if one is known else one for one in query.order))


def sorted_only_by(query: Query, order: Sort) -> Query:
    """Sorted by nothing else."""
    return replace(query, sort=() if order == NEWEST_FIRST else (order,))


def not_sorted_by(query: Query, field: str) -> Query:
    """Sorted by what is left without ``field``; newest first where that is nothing."""
    left = tuple(one for one in query.sort if one.field != field)
    return replace(query, sort=() if left == (NEWEST_FIRST,) else left)


def selected_values(query: Query, part: QueryPart) -> tuple[str, ...]:
    """The values that the query already asks for."""
    if part is QueryPart.TYPE:
        return query.types
    return query.base_types if part is QueryPart.BASE_TYPE else tuple(str(one) for one in query.users)


def with_values(query: Query, part: QueryPart, values: Sequence[str]) -> Query:
    """The query with these values of a part in place of those it had."""
    if part is QueryPart.TYPE:
        return replace(query, types=tuple(values))
    if part is QueryPart.BASE_TYPE:
        return replace(query, base_types=tuple(values))
    return replace(query, users=tuple(int(one) for one in values))
