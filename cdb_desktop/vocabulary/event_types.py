"""Event types: the known ones, their families, and what people call them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache

import msgspec

from cdb_desktop.foundation.resources import resource

KNOWN_TYPES = (
    "API_CALL",
    "API_PROGRESS",
    "ASSET_DOWNLOAD",
    "BASE_CONFIG_UPDATE",
    "COLLECTION_OWNER_RIGHTS_ERROR",
    "DETAIL_VIEW",
    "DOWNLOAD_EXPORT",
    "EMAIL_SENT",
    "EXPORT_ASSET",
    "EXPORT_FAILED",
    "EXPORT_FINISH",
    "EXPORT_INSERT",
    "EXPORT_OBJECT",
    "EXPORT_START",
    "EXPORT_STOPPED",
    "EXPORT_UPDATE",
    "FRONTEND_ERROR",
    "LOGIN_FAILED",
    "MAPPING_DELETE",
    "MAPPING_INSERT",
    "MAPPING_UPDATE",
    "OBJECT_DELETE",
    "OBJECT_INDEX",
    "OBJECT_INSERT",
    "OBJECT_UPDATE",
    "RESOURCE_NOT_AVAILABLE",
    "SCHEMA_COMMIT",
    "SEARCH",
    "SERVER_SHUTDOWN",
    "SERVER_START",
    "USER_ACCEPTED_MESSAGE",
    "USER_CREATED",
    "USER_LOGIN",
    "USER_LOGOUT",
    "WEBHOOK_ERROR",
    "WEBHOOK_OK",
)
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


def type_words(event_type: str, language: str) -> tuple[str, ...]:
    """What people call the events of a type: first what tables show, then synonyms; none if it is unknown."""
    return _words().get(event_type, {}).get(language, ())


@lru_cache(maxsize=1024)
def names_of_type(event_type: str) -> frozenset[str]:
    """What people call a type, in any language: they may have learned the program in another one."""
    return frozenset(name.casefold() for names in _words().get(event_type, {}).values() for name in names)


@lru_cache(maxsize=1)
def _words() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    content = resource("event_types.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, dict[str, tuple[str, ...]]])
