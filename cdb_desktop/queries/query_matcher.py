"""Tests single events for a query, where no service filters: live feeds, highlights and alarms."""

from __future__ import annotations

from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.queries.query import Query
from cdb_desktop.vocabulary.conditions import EventMatcher
from cdb_desktop.vocabulary.time_span import TimeSpan


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
