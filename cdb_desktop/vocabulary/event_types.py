"""What events are called: their types with families and words, the object and the user of an event."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.foundation.bundle import resource

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


# The first match counts. The set of types is open (wire §3).
_RULES = tuple(
    (re.compile(pattern), family)
    for pattern, family in (
        (r".*_(ERROR|FAILED)|RESOURCE_NOT_AVAILABLE", EventFamily.FAILURE),
        (r"(EXPORT|ASSET|DOWNLOAD)_.*", EventFamily.EXPORT),
        (r"SEARCH|DETAIL_VIEW", EventFamily.READING),
        (r"USER_LOG(IN|OUT)", EventFamily.SESSION),
        (r".*_DELETE", EventFamily.DELETING),
        (r".*_(INSERT|UPDATE|COMMIT|CREATED)", EventFamily.WRITING),
    )
)


@lru_cache(maxsize=1024)
def family_of(event_type: str) -> EventFamily:
    """The family of an event type such as ``OBJECT_UPDATE``; SYSTEM for unknown types."""
    for pattern, family in _RULES:
        if pattern.fullmatch(event_type):
            return family
    return EventFamily.SYSTEM


def known_types() -> tuple[str, ...]:
    """The types that have words; a service may have others."""
    return tuple(_words())


def type_words(event_type: str, language: str) -> tuple[str, ...]:
    """What people call the events of a type: first what tables show, then synonyms; none if it is unknown."""
    return _words().get(event_type, {}).get(language, ())


@lru_cache(maxsize=1024)
def names_of_type(event_type: str) -> frozenset[str]:
    """What people call a type, in any language: they may have learned the program in another one."""
    return _folded(_words().get(event_type, {}))


def names_of_family(family: EventFamily) -> frozenset[str]:
    """What people call all events of a family, in any language; few families have such names."""
    return _folded(_family_words().get(family.value, {}))


def _folded(words: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    return frozenset(name.casefold() for names in words.values() for name in names)


@lru_cache(maxsize=1)
def _words() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    return _read("event_types.json")


@lru_cache(maxsize=1)
def _family_words() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    return _read("event_families.json")


def _read(name: str) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    return msgspec.json.decode(resource(name).read_bytes(), type=dict[str, dict[str, tuple[str, ...]]])


COMMIT = "SCHEMA_COMMIT"


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
    """The name of the user, ``#7`` if only the id is known, empty for events of the service itself."""
    if event.user_displayname:
        return event.user_displayname
    return "" if event.user_id is None else f"#{event.user_id}"


def is_commit(event: Event) -> bool:
    """Whether the event is a commit of the schema."""
    return event.type == COMMIT


def committed_version(event: Event) -> int | None:
    """The schema version that a commit has created (wire §3); None if unknown, as in short records."""
    info = event.info_value if is_commit(event) else None
    version = info.get("schema") if isinstance(info, dict) else None
    return version if isinstance(version, int) and version > 0 and version is not True else None
