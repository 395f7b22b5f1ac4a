"""What records and session have told of types, users and groups, so that they are chosen by name. No I/O."""

from __future__ import annotations

from collections.abc import Iterable

from cdb_desktop.client import Event, Session
from cdb_desktop.events.groups import group_names
from cdb_desktop.vocabulary.known import KNOWN_BASE_TYPES, KNOWN_TYPES


class Seen:
    """Grows with every page of a connection."""

    def __init__(self) -> None:
        self._types = set(KNOWN_TYPES)
        self._base_types = set(KNOWN_BASE_TYPES)
        self._users: dict[int, str] = {}
        self._groups: dict[int, str] = {}

    def add(self, events: Iterable[Event]) -> None:
        """Takes in what a page names."""
        for event in events:
            self._types.add(event.type)
            if event.basetype:
                self._base_types.add(event.basetype)
            if event.user_id is not None and event.user_displayname:
                self._users[event.user_id] = event.user_displayname
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

    @property
    def types(self) -> list[str]:
        """All types that are known, sorted."""
        return sorted(self._types - {""})

    @property
    def base_types(self) -> list[str]:
        """All base types that are known, sorted."""
        return sorted(self._base_types)

    @property
    def users(self) -> list[tuple[int, str]]:
        """Ids and names of the users that have been seen, by name."""
        return sorted(self._users.items(), key=lambda one: (one[1].casefold(), one[0]))

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
