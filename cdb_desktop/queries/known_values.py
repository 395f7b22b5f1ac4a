"""What the events read so far contain: types, users and groups with their names, info keys."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from cdb_desktop.client import Event, Session
from cdb_desktop.vocabulary.event_types import (
    KNOWN_BASE_TYPES,
    KNOWN_USER_TYPES,
    EventFamily,
    family_of,
    family_text,
    group_of,
    group_text,
    known_types,
)

_GROUP_NAMES = ("displayname", "_generated_displayname", "name")  # the most readable first
_TABLE_NAME = re.compile(r"schema\.([^.]+)\.name")  # the key of its localized names (wire §5)
_ID_BITS = 10  # of an id within one block of an IdSet
_MAX_INFO_BYTES = 100_000  # columns do not show values of a larger info either
_MAX_DEPTH = 6
_MAX_KEYS = 2_000  # if ids are keys, each event adds one


class KnownValues:
    """The types, users and groups that are known, to be chosen by name in filters.

    Lives as long as the connection and is never stored: names of users are personal data.
    """

    def __init__(self) -> None:
        self._offered, self._in_groups = known_types(), False
        self._types: set[str] = set()
        self._base_types = set(KNOWN_BASE_TYPES)
        self._users: dict[int, str] = {}
        self._groups: dict[int, str] = {}
        self._user_types = set(KNOWN_USER_TYPES)
        self._object_types: set[str] = set()
        self._tables: set[str] = set()
        self.tables_called: dict[str, str] = {}  # by localized names in small letters
        self.events_of_types: Counter[str] = Counter()  # the numbers of added events by type
        self.events_of_objects: Counter[str] = Counter()  # by object type, or base type without one
        self._event_ids = IdSet()
        self._events_of_users: Counter[int] = Counter()

    def offer_types(self, *, in_groups: bool) -> None:
        """Offers the types of a service with groups of them, or those of the contract, besides those read."""
        self._offered, self._in_groups = known_types(in_groups=in_groups), in_groups

    def add(self, events: Iterable[Event]) -> None:
        """Adds what ``events`` contain."""
        for event in events:
            is_new = self._event_ids.add(event.id)
            self._types.add(event.type)
            self.events_of_types[event.type] += is_new
            if table := event.objecttype or event.basetype:
                self._object_types.add(table)
                self.events_of_objects[table] += is_new
            if event.objecttype:
                self._tables.add(event.objecttype)
            if event.basetype:
                self._base_types.add(event.basetype)
            if event.user_id is not None:
                self._events_of_users[event.user_id] += is_new
                self._users[event.user_id] = event.user_displayname or self._users.get(event.user_id, "")
            if event.basetype == "group" and event.object_id is not None:
                self._groups.setdefault(event.object_id, "")
            if "_groups" in event.user:
                self._add_groups(event.user["_groups"])

    def add_session(self, session: Session) -> None:
        """Adds the user of a session, and the user's groups."""
        self._add_groups(session.groups)
        user = session.user
        if user is not None and user.id is not None and user.displayname:
            self._users.setdefault(user.id, user.displayname)
        if user is not None and user.type:
            self._user_types.add(user.type)

    def add_table_names(self, texts: Mapping[str, object]) -> None:
        """Adds the localized names of tables, in all languages, from the texts of a schema (wire §6)."""
        for key, names in texts.items():
            table = _TABLE_NAME.fullmatch(key)
            if table is None or not isinstance(names, Mapping):
                continue
            for text in (one for one in names.values() if isinstance(one, str)):
                # Several are separated by commas.
                for name in map(str.strip, text.casefold().split(",")):
                    if name not in ("", table[1].casefold()):
                        self.tables_called.setdefault(name, table[1])

    @property
    def event_count(self) -> int:
        """The number of different events that have been added."""
        return len(self._event_ids)

    @property
    def types(self) -> list[str]:
        """All known event types, sorted."""
        return sorted({*self._offered, *self._types} - {""})

    def group_of_type(self, event_type: str) -> str:
        """The group of a type, empty if it is unknown or the service has none."""
        return group_of(event_type) if self._in_groups else ""

    def name_of_types(self, types: Iterable[str], language: str) -> str:
        """What people call exactly these types, if they are all known ones of a family or group; or empty."""
        wanted, known = set(types), self.types
        for family in EventFamily:
            name = family_text(family, language)
            if name and wanted == {one for one in known if family_of(one) is family}:
                return name
        groups = {self.group_of_type(one) for one in wanted}
        group = groups.pop() if len(groups) == 1 else ""
        is_group = group and wanted == {one for one in known if self.group_of_type(one) == group}
        return group_text(group, language) if is_group else ""

    @property
    def base_types(self) -> list[str]:
        """All known base types, sorted."""
        return sorted(self._base_types)

    @property
    def object_types(self) -> list[str]:
        """The object types and base types of the events read so far, sorted."""
        return sorted(self._object_types)

    @property
    def tables(self) -> frozenset[str]:
        """The object types of the events read so far that are no base types."""
        return frozenset(self._tables - self._base_types)

    @property
    def user_types(self) -> list[str]:
        """All known types of users, sorted. Events do not contain them."""
        return sorted(self._user_types)

    @property
    def users(self) -> list[tuple[int, str]]:
        """Ids and names of known users by name, those without a name last, as ``#7``."""
        users = [(number, self.user_name(number)) for number in self._users]
        return sorted(users, key=lambda one: (not self._users[one[0]], one[1].casefold(), one[0]))

    def event_count_of(self, user_id: int) -> int:
        """The number of added events of a user."""
        return self._events_of_users[user_id]

    def user_name(self, user_id: int) -> str:
        """The name of a user, ``#7`` if it is unknown."""
        return self._users.get(user_id) or f"#{user_id}"

    @property
    def groups(self) -> list[tuple[int, str]]:
        """Ids and names of known groups by name, those without a name last, as ``#7``."""
        groups = [(number, self.group_name(number)) for number in self._groups]
        return sorted(groups, key=lambda one: (one[1].startswith("#"), one[1].casefold(), one[0]))

    def group_name(self, group_id: int) -> str:
        """The name of a group, ``#7`` if it is unknown."""
        return self._groups.get(group_id) or f"#{group_id}"

    def _add_groups(self, entries: object) -> None:
        for number, name in group_names(entries).items():
            self._groups[number] = name or self._groups.get(number, "")


class IdSet:
    """A set of ids that takes about 200 kB for a million consecutive ones."""

    def __init__(self) -> None:
        self._blocks: dict[int, int] = {}
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def add(self, number: int) -> bool:
        """Adds an id; returns whether it is new."""
        key, bit = number >> _ID_BITS, 1 << (number & (1 << _ID_BITS) - 1)
        block = self._blocks.get(key, 0)
        if block & bit:
            return False
        self._blocks[key] = block | bit
        self._length += 1
        return True


def group_names(entries: object) -> dict[int, str]:
    """The names of the groups in a list of the service by their ids, empty if a group has no name.

    An entry is a group, or has one under ``group`` (wire §2); other entries are ignored.
    """
    if not isinstance(entries, Iterable):
        return {}
    candidates = [entry.get("group", entry) for entry in entries if isinstance(entry, Mapping)]
    groups = [group for group in candidates if isinstance(group, Mapping)]
    return {number: _group_name(group) for group in groups if isinstance(number := group.get("_id"), int)}


def _group_name(group: Mapping[str, object]) -> str:
    return next((text for key in _GROUP_NAMES if (text := _first_text(group.get(key)))), "")


def _first_text(value: object) -> str:
    # A name may be in several languages, of which none is known to be the user's.
    values = value.values() if isinstance(value, Mapping) else (value,)
    return next((one.strip() for one in values if isinstance(one, str) and one.strip()), "")


class InfoKeys:
    """The keys in the info of events, nested ones included, with the number of events that have them."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._event_ids: set[int] = set()

    @property
    def events(self) -> int:
        """The number of events that have been added."""
        return len(self._event_ids)

    def add(self, events: Iterable[Event]) -> None:
        """Adds each event once; those without info, or with a very large one, are ignored."""
        for event in events:
            if event.info is None or event.id in self._event_ids or len(bytes(event.info)) > _MAX_INFO_BYTES:
                continue
            self._event_ids.add(event.id)
            for path in set(_paths(event.info_value, (), _MAX_DEPTH)):
                if path in self._counts or len(self._counts) < _MAX_KEYS:
                    self._counts[path] += 1

    def most_frequent(self, most: int) -> list[tuple[str, int]]:
        """At most ``most`` paths such as ``search.0.string`` with their counts, the most frequent first.

        Equally frequent paths are sorted by name, so a list comes before its entries.
        """
        return sorted(self._counts.items(), key=lambda one: (-one[1], one[0]))[:most]


def _paths(value: object, above: tuple[str, ...], depth: int) -> Iterator[str]:
    """The paths of all values in ``value``; of a list only those in its first entry."""
    if above:
        yield ".".join(above)
    if depth and isinstance(value, Mapping):
        for key, inner in value.items():
            # A dot in a key would be taken for a separator.
            if isinstance(key, str) and key and "." not in key:
                yield from _paths(inner, (*above, key), depth - 1)
    elif depth and isinstance(value, list) and value:
        yield from _paths(value[0], (*above, "0"), depth - 1)
