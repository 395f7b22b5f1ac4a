"""What events are called: their types with families and words, the object and the user of an event."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import tr

KNOWN_USER_TYPES = ("easydb", "email")
KNOWN_BASE_TYPES = ("asset", "collection", "export", "group", "message", "pool", "user")


class EventFamily(Enum):
    """What happened; the value is also the name of the color."""

    READING = "reading"
    WRITING = "writing"
    DELETING = "deleting"
    FAILURE = "failure"
    SESSION = "session"
    EXPORT = "export"
    SYSTEM = "system"


# For types that have no words: the set of types is open (wire §3). The first match counts.
_RULES = tuple(
    (re.compile(pattern), family)
    for pattern, family in (
        (r".*_(ERROR|FAILED)", EventFamily.FAILURE),
        (r"(EXPORT|ASSET|DOWNLOAD)_.*|.*_DOWNLOAD", EventFamily.EXPORT),
        (r".*_(DELETE|PURGE)", EventFamily.DELETING),
        (r".*_(INSERT|UPDATE|UNDELETE|UPLOAD|COMMIT|CREATED)", EventFamily.WRITING),
    )
)


class EventType(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an event type: its family, and what people call its events, by language.

    The first words are those that tables show. ``group`` is that of the service, empty for types that have
    none; ``contract``: services without groups have it, too. ``info`` are the keys of info that say what
    an event is about.
    """

    family: EventFamily
    en: tuple[str, ...]
    de: tuple[str, ...]
    group: str = ""
    contract: bool = True
    info: tuple[str, ...] = ()

    @property
    def words(self) -> Mapping[str, tuple[str, ...]]:
        """What people call the events, by language."""
        return {"en": self.en, "de": self.de}


@lru_cache(maxsize=1024)
def family_of(event_type: str) -> EventFamily:
    """The family of an event type such as ``OBJECT_UPDATE``; of an unknown one, the family of its name."""
    known = event_types().get(event_type)
    if known is not None:
        return known.family
    for pattern, family in _RULES:
        if pattern.fullmatch(event_type):
            return family
    return EventFamily.SYSTEM


def known_types(*, in_groups: bool = False) -> tuple[str, ...]:
    """The types that have words; a service may have others. ``in_groups``: those of services with groups."""
    return tuple(
        name for name, known in event_types().items() if (known.group if in_groups else known.contract)
    )


def type_words(event_type: str, language: str) -> tuple[str, ...]:
    """What people call the events of a type: first what tables show, then synonyms; none if it is unknown."""
    known = event_types().get(event_type)
    return () if known is None else known.words[language]


def group_of(event_type: str) -> str:
    """The service's name of the group of a type; empty if it has none or is unknown."""
    known = event_types().get(event_type)
    return "" if known is None else known.group


def group_text(group: str, language: str) -> str:
    """What people call a group; unknown ones are shown as they are."""
    return next(iter(_group_words().get(group, {}).get(language, ())), group)


@lru_cache(maxsize=1024)
def names_of_type(event_type: str) -> frozenset[str]:
    """What people call a type, in any language: they may have learned the program in another one."""
    known = event_types().get(event_type)
    return frozenset() if known is None else _folded(known.words)


def names_of_family(family: EventFamily) -> frozenset[str]:
    """What people call all events of a family, in any language; few families have such names."""
    return _folded(_family_words().get(family.value, {}))


def family_text(family: EventFamily, language: str) -> str:
    """What people call all events of a family; empty for families without such a name."""
    return next(iter(_family_words().get(family.value, {}).get(language, ())), "")


def names_of_group(group: str) -> frozenset[str]:
    """What people call all events of a group, in any language."""
    return _folded(_group_words().get(group, {}))


def _folded(words: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    return frozenset(name.casefold() for names in words.values() for name in names)


@lru_cache(maxsize=1)
def event_types() -> Mapping[str, EventType]:
    """All types that have words, by name."""
    return msgspec.json.decode(resource("event_types.json").read_bytes(), type=dict[str, EventType])


@lru_cache(maxsize=1)
def _family_words() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    return _read("event_families.json")


@lru_cache(maxsize=1)
def _group_words() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    return _read("event_groups.json")


def _read(name: str) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    return msgspec.json.decode(resource(name).read_bytes(), type=dict[str, dict[str, tuple[str, ...]]])


# The types of commits of the schema, with the key of the new version in info.
_COMMITS = {"SCHEMA_COMMIT": "schema", "DATAMODEL_COMMIT": "version"}
COMMITS = tuple(_COMMITS)


def object_text(event: Event) -> str:
    """``work 1042 v3``: object type or base type, id and version, as far as they are known."""
    kind = object_type(event)
    number = "" if event.object_id is None else str(event.object_id)
    version = "" if event.object_version is None else f"v{event.object_version}"
    return " ".join(part for part in (kind, number, version) if part)


def object_type(event: Event) -> str:
    """The object type, or the base type of an object of the service itself; empty without an object."""
    return event.objecttype or event.basetype or ""


def user_text(event: Event) -> str:
    """The name of the user, ``#7`` if only the id is known, empty for events of the service itself.

    In place of a user there may be a group, which is named as such.
    """
    if event.group_id is not None:
        return tr("Group {name}", name=event.user_displayname or f"#{event.group_id}")
    if event.user_displayname:
        return event.user_displayname
    return "" if event.user_id is None else f"#{event.user_id}"


def is_commit(event: Event) -> bool:
    """Whether the event is a commit of the schema."""
    return event.type in _COMMITS


def committed_version(event: Event) -> int | None:
    """The schema version that a commit has created (wire §3); None if unknown, as in short records."""
    info = event.info_value if is_commit(event) else None
    version = info.get(_COMMITS[event.type]) if isinstance(info, dict) else None
    return version if isinstance(version, int) and version > 0 and version is not True else None
