"""What records and session have told of types, users and groups, so that they are chosen by name. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from cdb_desktop.client import Event, Session
from cdb_desktop.vocabulary.event_types import KNOWN_BASE_TYPES, KNOWN_TYPES, KNOWN_USER_TYPES


class KnownValues:
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


_NAMES = ("displayname", "_generated_displayname", "name")  # the most readable first


def group_names(entries: object) -> dict[int, str]:
    """The groups of a list by their ids, with a name where there is one, else an empty text.

    An entry is a group, or holds one under ``group`` (wire §2); what is neither is left out.
    """
    if not isinstance(entries, Iterable):
        return {}
    groups = [entry.get("group", entry) for entry in entries if isinstance(entry, Mapping)]
    told = [group for group in groups if isinstance(group, Mapping)]
    return {number: _name(group) for group in told if isinstance(number := group.get("_id"), int)}


def _name(group: Mapping[str, object]) -> str:
    return next((text for key in _NAMES if (text := _text(group.get(key)))), "")


def _text(value: object) -> str:
    """A name may stand in several languages; which one is the user's the room does not know."""
    values = value.values() if isinstance(value, Mapping) else (value,)
    return next((one.strip() for one in values if isinstance(one, str) and one.strip()), "")


_BITS = 10  # of an id that stand in one block


class IdSet:
    """Grows only; a million events that follow one another take some 200 kB."""

    def __init__(self) -> None:
        self._blocks: dict[int, int] = {}
        self._number = 0

    def __len__(self) -> int:
        return self._number

    def add(self, number: int) -> bool:
        """Takes in an id; tells whether it is a new one."""
        place, bit = number >> _BITS, 1 << (number & (1 << _BITS) - 1)
        block = self._blocks.get(place, 0)
        if block & bit:
            return False
        self._blocks[place] = block | bit
        self._number += 1
        return True


_LARGE = 100_000  # bytes of info beyond which no column shows its values either
_DEEPEST = 6
_MOST = 2_000  # keys; info in which ids are keys has one more with every event


class InfoKeys:
    """Grows with the events that are looked at, each of them once."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._looked_at: set[int] = set()

    @property
    def events(self) -> int:
        """How many events have been looked at."""
        return len(self._looked_at)

    def add(self, events: Iterable[Event]) -> None:
        """Looks at events; those without info have none or are not whole, and do not count."""
        for event in events:
            if event.info is None or event.id in self._looked_at or len(bytes(event.info)) > _LARGE:
                continue
            self._looked_at.add(event.id)
            for path in set(_paths(event.info_value, (), _DEEPEST)):
                if path in self._counts or len(self._counts) < _MOST:
                    self._counts[path] += 1

    def most_frequent(self, most: int) -> list[tuple[str, int]]:
        """Paths such as ``search.0.string`` and how many events have them, the most frequent first.

        Those that are as frequent stand in the order of their names: a list before what is in it.
        """
        return sorted(self._counts.items(), key=lambda one: (-one[1], one[0]))[:most]


def _paths(value: object, above: tuple[str, ...], deeper: int) -> Iterator[str]:
    """The paths to all that is in ``value``; of a list those to its first entry."""
    if above:
        yield ".".join(above)
    if deeper and isinstance(value, Mapping):
        for key, one in value.items():
            # A dot within a key would be taken for a step to another one.
            if isinstance(key, str) and key and "." not in key:
                yield from _paths(one, (*above, key), deeper - 1)
    elif deeper and isinstance(value, list) and value:
        yield from _paths(value[0], (*above, "0"), deeper - 1)
