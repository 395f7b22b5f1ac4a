"""The query of the event list: filters, time span and order; it changes, and tests single events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import Enum

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter, Sort
from cdb_desktop.client.query import SORT_FIELDS
from cdb_desktop.vocabulary.pattern import Condition, EventMatcher, PatternError, PatternKind
from cdb_desktop.vocabulary.time_input import MAX_SECONDS_AGO
from cdb_desktop.vocabulary.time_span import TimeSpan

NEWEST_FIRST = Sort("_id", descending=True)  # the service's default (§4.3)
VERSIONS = (1, 2)  # of formats that store queries; 2: with words. Searches of 1 are phrases.
_TIME_FIELDS = frozenset({"_id", "timestamp"})  # ids are given as events happen; sorted descending at first


class QueryPart(Enum):
    """A filter of the query; users, groups and user types count as one (§4.3 rule 1)."""

    TYPE = "type"
    BASE_TYPE = "base_type"
    USER = "user"
    DATE = "date"
    POLLABLE = "pollable"


Part = QueryPart | Condition


class ResolvedQuery(msgspec.Struct, frozen=True):
    """A query with times instead of relative dates. An empty ``sort`` means newest first.

    The service filters by ``filter``; ``conditions`` are tested for each event that it lists.
    """

    filter: EventFilter = EventFilter()
    sort: tuple[Sort, ...] = ()
    conditions: tuple[Condition, ...] = ()

    @property
    def order(self) -> tuple[Sort, ...]:
        """The effective order."""
        return self.sort or (NEWEST_FIRST,)

    def frozen_at(self, end: datetime | None) -> ResolvedQuery:
        """The same query without events after ``end``.

        Pages go by offset, so a new event would shift all later pages by one row. A ``date_to`` of the query
        itself may still be in the future.
        """
        if end is None or (self.filter.date_to is not None and self.filter.date_to <= end):
            return self
        return replace(self, filter=replace(self.filter, date_to=end))


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """Filters and order. Empty tuples, None and an unbounded span mean that there is no such filter.

    Field names are part of the formats of saved views, view files and the query history.
    """

    types: tuple[str, ...] = ()
    base_types: tuple[str, ...] = ()
    users: tuple[int, ...] = ()
    groups: tuple[int, ...] = ()
    user_types: tuple[str, ...] = ()
    pollable: bool | None = None
    span: TimeSpan = TimeSpan()
    sort: tuple[Sort, ...] = ()
    conditions: tuple[Condition, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The filters that are set, then the conditions, in the order in which they are shown."""
        return (*(part for part in QueryPart if self != without(self, part)), *self.conditions)

    @property
    def order(self) -> tuple[Sort, ...]:
        """The effective order."""
        return self.sort or (NEWEST_FIRST,)

    def at(self, now: datetime) -> ResolvedQuery:
        """The query with relative dates resolved at ``now``."""
        first, last = self.span.bounds(now)
        event_filter = EventFilter(
            pollable=self.pollable,
            type=self.types,
            base_type=self.base_types,
            user_id=self.users,
            group_id=self.groups,
            user_type=self.user_types,
            date_from=first,
            date_to=last,
        )
        return ResolvedQuery(event_filter, self.sort, self.conditions)


def format_version(*queries: Query) -> int:
    """The version of a format that stores these queries: the first that can, for earlier programs."""
    has_words = any(one.kind is PatternKind.WORDS for query in queries for one in query.conditions)
    return VERSIONS[1] if has_words else VERSIONS[0]


def is_time_order(order: Sequence[Sort]) -> bool:
    """Whether rows are ordered by time. Ids are given in the order in which events happen."""
    return order[0].field in _TIME_FIELDS


def is_valid_query(query: Query) -> bool:
    """Whether the service accepts the order and the dates of a query that was read from a file (§4.3)."""
    return invalid_value(query) is None


def invalid_value(query: Query) -> tuple[str, str] | None:
    """The path and value of the first field that no service accepts or that cannot be tested, or None."""
    span = query.span
    for condition in query.conditions:
        try:
            EventMatcher([condition])
        except PatternError:
            return "conditions.text", condition.text
    for sort in query.sort:
        if sort.field not in SORT_FIELDS:
            return "sort.field", sort.field
    for name, bound in (("first", span.first), ("last", span.last)):
        if bound is not None and bound.tzinfo is None:
            return f"span.{name}", bound.isoformat()
    for name, ago in (("first_ago", span.first_ago), ("last_ago", span.last_ago)):
        if ago is not None and not 0 <= ago <= MAX_SECONDS_AGO:
            return f"span.{name}", str(ago)
    return None


def without(query: Query, part: Part) -> Query:
    """The query without one of its filters or conditions."""
    if isinstance(part, Condition):
        return replace(query, conditions=tuple(one for one in query.conditions if one != part))
    if part is QueryPart.TYPE:
        return replace(query, types=())
    if part is QueryPart.BASE_TYPE:
        return replace(query, base_types=())
    if part is QueryPart.USER:
        return replace(query, users=(), groups=(), user_types=())
    if part is QueryPart.DATE:
        return replace(query, span=TimeSpan())
    return replace(query, pollable=None)


def with_condition(query: Query, condition: Condition) -> Query:
    """The query with another condition; the opposite condition is removed."""
    opposite = replace(condition, is_excluded=not condition.is_excluded)
    others = (one for one in query.conditions if one not in (condition, opposite))
    return replace(query, conditions=(*others, condition))


def without_filters(query: Query) -> Query:
    """The query without any filter, in the same order."""
    return Query(sort=query.sort)


def excludes(query: Query, part: Part, event: Event, sent: EventFilter) -> bool | None:
    """Whether a part of the query excludes ``event``, None if the record does not show it.

    ``sent`` is the filter that was sent for the query; it has the bounds of relative dates.
    """
    if isinstance(part, Condition):
        return not EventMatcher([part]).matches(event)
    if part is QueryPart.USER:
        if event.user_id in query.users:
            return False
        # A record does not contain the groups of its user.
        return None if query.groups or query.user_types else True
    if part is QueryPart.POLLABLE:
        return None if event.pollable is None else event.pollable is not query.pollable
    if part is QueryPart.DATE:
        return _is_outside(sent, event.timestamp)
    return event.type not in query.types if part is QueryPart.TYPE else _has_other_base_type(query, event)


def _has_other_base_type(query: Query, event: Event) -> bool:
    return (event.basetype or "") not in query.base_types


def selected_values(query: Query, part: QueryPart) -> tuple[str, ...]:
    """The types, base types or user ids that the query filters by."""
    if part is QueryPart.TYPE:
        return query.types
    return query.base_types if part is QueryPart.BASE_TYPE else tuple(str(user) for user in query.users)


def with_values(query: Query, part: QueryPart, values: Sequence[str]) -> Query:
    """The query with ``values`` as its types, base types or user ids."""
    if part is QueryPart.TYPE:
        return replace(query, types=tuple(values))
    if part is QueryPart.BASE_TYPE:
        return replace(query, base_types=tuple(values))
    return replace(query, users=tuple(int(value) for value in values))


def default_sort(field: str) -> Sort:
    """The direction in which rows are sorted by a field at first."""
    return Sort(field, field in _TIME_FIELDS)


def sorted_by(query: Query, field: str, *, also: bool = False) -> Query:
    """The query sorted by ``field``; the direction is reversed if it is a sort field already.

    ``also`` keeps the other sort fields before it. No two events have the same id, so a field after the id
    would have no effect: new fields go before it.
    """
    present = next((sort for sort in query.order if sort.field == field), None)
    new = Sort(field, not present.descending) if present else default_sort(field)
    if not also:
        return replace(query, sort=() if new == NEWEST_FIRST else (new,))
    if present is None:
        ids = [index for index, sort in enumerate(query.sort) if sort.field == NEWEST_FIRST.field]
        end = ids[0] if ids else len(query.sort)
        return replace(query, sort=(*query.sort[:end], new, *query.sort[end:]))
    return replace(query, sort=tuple(new if sort is present else sort for sort in query.order))


def sorted_only_by(query: Query, sort: Sort) -> Query:
    """The query sorted by one field only."""
    return replace(query, sort=() if sort == NEWEST_FIRST else (sort,))


def not_sorted_by(query: Query, field: str) -> Query:
    """The query without ``field`` among its sort fields; newest first if none is left."""
    left = tuple(sort for sort in query.sort if sort.field != field)
    return replace(query, sort=() if left == (NEWEST_FIRST,) else left)


def _is_outside(sent: EventFilter, time: datetime | None) -> bool | None:
    if time is None:
        return None
    first, last = sent.date_from, sent.date_to
    is_before = isinstance(first, datetime) and time < first
    return is_before or (isinstance(last, datetime) and time > last)


class QueryMatcher:
    """Tests events for a query as far as records show it: see `testable` for what they do not."""

    def __init__(self, query: Query) -> None:
        """Raises PatternError if a condition is no valid expression or lacks a key."""
        self._types = frozenset(query.types)
        self._base_types = frozenset(query.base_types)
        self._users = frozenset(query.users)
        self._pollable = query.pollable
        self._conditions = EventMatcher(query.conditions)

    @property
    def needs_whole(self) -> bool:
        """Whether short records, which polls bring (§4.2), do not contain all that is tested."""
        return self._pollable is not None or self._conditions.needs_whole

    def matches(self, event: Event) -> bool:
        """Whether the query includes the event, which is pollable if it does not say: it was polled then."""
        return (
            (not self._types or event.type in self._types)
            and (not self._base_types or event.basetype in self._base_types)
            and (not self._users or event.user_id in self._users)
            and (self._pollable is None or (event.pollable is not False) is self._pollable)
            and self._conditions.matches(event)
        )


def testable(query: Query) -> Query:
    """The part of a query that can be tested on single new events.

    Events do not contain the groups and the types of their users (§2.1), and new events have no other date
    than now.
    """
    return replace(query, groups=(), user_types=(), span=TimeSpan(), sort=())


def needs_service(query: Query) -> bool:
    """Whether only the service can say which events the query includes."""
    return bool(query.groups or query.user_types)
