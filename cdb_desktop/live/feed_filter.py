"""Which events of a feed are shown, by type, base type and user."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.event_text import user_text


class FeedFilter(msgspec.Struct, frozen=True):
    """A filter as it is also stored: ``feeds.json`` has these fields.

    ``others``: whether types that are not in ``exceptions`` are shown, new types among them. ``user``: a part
    of the name. ``users`` (ids) and ``base_types`` come from the event browser; empty means all.
    """

    others: bool = True
    exceptions: frozenset[str] = frozenset()
    user: str = ""
    users: frozenset[int] = frozenset()
    base_types: frozenset[str] = frozenset()

    @classmethod
    def of_query(cls, types: Iterable[str], base_types: Iterable[str], users: Iterable[int]) -> FeedFilter:
        """The filter for a query of the event browser, in which nothing means all."""
        named = frozenset(types)
        return cls(not named, named, users=frozenset(users), base_types=frozenset(base_types))

    @property
    def shows_all(self) -> bool:
        """Whether every event is shown."""
        return self == FeedFilter()

    def shows_type(self, event_type: str) -> bool:
        """Whether events of a type are shown."""
        return (event_type in self.exceptions) != self.others

    def shows_types_of(self, event: Event) -> bool:
        """Whether events with the type and base type of ``event`` are shown."""
        return self.shows_type(event.type) and (not self.base_types or event.basetype in self.base_types)

    def shows_user_of(self, event: Event) -> bool:
        """Whether events of the user of ``event`` are shown."""
        if self.users and event.user_id not in self.users:
            return False
        return self.user.strip().casefold() in user_text(event).casefold()

    def only(self, event_type: str) -> FeedFilter:
        """The filter with this type and no other."""
        return replace(self, others=False, exceptions=frozenset({event_type}))

    def without(self, event_type: str) -> FeedFilter:
        """The filter without a type."""
        changed = self.exceptions | {event_type} if self.others else self.exceptions - {event_type}
        return replace(self, exceptions=changed)

    def with_types(self, shown: Iterable[str], hidden: Iterable[str], *, others: bool) -> FeedFilter:
        """The filter with these types shown and hidden, and all ``others`` or none."""
        return replace(self, others=others, exceptions=frozenset(hidden if others else shown))

    def predicate(self) -> Callable[[Event], bool]:
        """A function that tests single events and remembers its results for types and users."""
        if self.shows_all:
            return lambda _event: True
        types: dict[str, bool] = {}
        users: dict[tuple[int | None, str | None], bool] = {}
        filters_users, base_types = bool(self.user.strip() or self.users), self.base_types

        def shows(event: Event) -> bool:
            result = types.get(event.type)
            if result is None:
                result = types[event.type] = self.shows_type(event.type)
            if not result or (base_types and event.basetype not in base_types):
                return False
            if not filters_users:
                return True
            user = event.user_id, event.user_displayname
            result = users.get(user)
            if result is None:
                result = users[user] = self.shows_user_of(event)
            return result

        return shows
