"""Sorts event types into the few families that have a shape and a colour; unknown types are the system's."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache


class Family(Enum):
    """What kind of thing happened; the value is also the name of its colour."""

    READING = "reading"
    WRITING = "writing"
    DELETING = "deleting"
    FAILURE = "failure"
    SESSION = "session"
    EXPORT = "export"
    SYSTEM = "system"


# The first rule that fits decides (types: wire §3; the set is open).
_RULES = tuple(
    (re.compile(pattern), family)
    for pattern, family in (
        (r".*_(ERROR|FAILED)|RESOURCE_NOT_AVAILABLE", Family.FAILURE),
        (r"(EXPORT|ASSET|DOWNLOAD)_.*", Family.EXPORT),
        (r"SEARCH|DETAIL_VIEW", Family.READING),
        (r"USER_LOG(IN|OUT)", Family.SESSION),
        (r".*_DELETE", Family.DELETING),
        (r".*_(INSERT|UPDATE|COMMIT|CREATED)", Family.WRITING),
    )
)


@lru_cache(maxsize=1024)
def family_of(event_type: str) -> Family:
    """The family of an event type such as ``OBJECT_UPDATE``."""
    for pattern, family in _RULES:
        if pattern.fullmatch(event_type):
            return family
    return Family.SYSTEM
