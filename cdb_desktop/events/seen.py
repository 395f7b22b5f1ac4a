"""What records and session have told of types, users and groups, so that they are chosen by name. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cdb_desktop.client import Event, Session
from cdb_desktop.events.groups import group_names
from cdb_desktop.events.id_set import IdSet
from cdb_desktop.vocabulary.event_types import KNOWN_BASE_TYPES, KNOWN_TYPES, KNOWN_USER_TYPES


class Seen:
    """Grows with everything that is read of a log, and is gone with its connection.

    Names of users are personal data: no file keeps them, for they are soon met again.
    """

    def __init__(self) -> None:
        self._types = set(KNOWN_TYPES)
        self._base_types = set(KNOWN_BASE_TYPES)
        self._users: dict[int, str] = {}
        self._groups: dict[int, str] = {}
        self._user_types = set(KNOWN_USER_TYPES)
        self._read = IdSet()
        self._met: Counter[int] = Counter()

    def add(self, events: Iterable[Event]) -> None:
        """Takes in what a page names."""
        for event in events:
            is_new = self._read.add(event.id)
            self._types.add(event.type)
            if event.basetype:
                self._base_types.add(event.basetype)
            if event.user_id is not None:
                self._met[event.user_id] += is_new
                self._users[event.user_id] = event.user_displayname or self._users.get(event.user_id, "")
            if event.basetype == "group" and event.object_id is not None:
                self._groups.setdefault(event.object_id, "")
            if "_groups" in event.user:
                self._add_groups(event.user["_groups"])

    def meet(self, session: Session) -> None:
        """Takes in what a session says of its own user."""
        self._add_groups(session.groups)
        user = session.user
        if user is not None and user.id is not None and user.displayname:
            self._users.setdefault(user.id, user.displayname)
        if user is not None and user.type:
            self._user_types.add(user.type)

    @property
    def read(self) -> int:
        """How many events all this is known from, each counted once."""
        return len(self._read)

    @property
    def types(self) -> list[str]:
        """All types that are known, sorted."""
        return sorted(self._types - {""})

    @property
    def base_types(self) -> list[str]:
        """All base types that are known, sorted."""
        return sorted(self._base_types)

    @property
    def user_types(self) -> list[str]:
        """All types of users that are known, sorted; records do not tell them."""
        return sorted(self._user_types)

    @property
    def users(self) -> list[tuple[int, str]]:
        """Ids and names of the users that have been seen, by name; those without one last, as ``#7``."""
        known = [(number, self.name(number)) for number in self._users]
        return sorted(known, key=lambda one: (not self._users[one[0]], one[1].casefold(), one[0]))

    def met(self, user_id: int) -> int:
        """In how many of the events that have been read a user was met."""
        return self._met[user_id]

    def name(self, user_id: int) -> str:
        """A user's name, ``#7`` where nobody has told it."""
        return self._users.get(user_id) or f"#{user_id}"

    @property
    def groups(self) -> list[tuple[int, str]]:
        """Ids and names of the groups that have been seen, by name; those without one last, as ``#7``."""
        known = [(number, self.group_name(number)) for number in self._groups]
        return sorted(known, key=lambda one: (one[1].startswith("#"), one[1].casefold(), one[0]))

    def group_name(self, group_id: int) -> str:
        """A group's name, ``#7`` where nobody has told it."""
        return self._groups.get(group_id) or f"#{group_id}"

    def _add_groups(self, entries: object) -> None:
        for number, name in group_names(entries).items():
            self._groups[number] = name or self._groups.get(number, "")
