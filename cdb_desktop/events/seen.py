"""What the loaded records have shown of types and users, so that both can be chosen by name. No I/O."""

from __future__ import annotations

from collections.abc import Iterable

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.known import KNOWN_BASE_TYPES, KNOWN_TYPES


class Seen:
    """Grows with every page of a connection."""

    def __init__(self) -> None:
        self._types = set(KNOWN_TYPES)
        self._base_types = set(KNOWN_BASE_TYPES)
        self._users: dict[int, str] = {}

    def add(self, events: Iterable[Event]) -> None:
        """Takes in what a page names."""
        for event in events:
            self._types.add(event.type)
            if event.basetype:
                self._base_types.add(event.basetype)
            if event.user_id is not None and event.user_displayname:
                self._users[event.user_id] = event.user_displayname

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
