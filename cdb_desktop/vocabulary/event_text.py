"""What an event is about, as a short readable reference."""

from __future__ import annotations

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.key_values import key_value_text

COMMIT = "SCHEMA_COMMIT"


def object_text(event: Event) -> str:
    """``work 1042 v3``: the object type or base type, the id and the version, as far as they are there."""
    kind = event.objecttype or event.basetype or ""
    number = "" if event.object_id is None else str(event.object_id)
    version = "" if event.object_version is None else f"v{event.object_version}"
    return " ".join(part for part in (kind, number, version) if part)


def object_query(event: Event) -> str:
    """What all events of the same object have, in whatever version; ids of objects count for each type.

    The global id is the last resort: an event may be of the object and not name it.
    """
    for key, kind in (("objecttype", event.objecttype), ("basetype", event.basetype)):
        if kind and event.object_id is not None:
            return f"{key_value_text(key, kind)} object_id={event.object_id}"
    if event.global_object_id:
        return key_value_text("global_object_id", event.global_object_id)
    return f"object_id={event.object_id}"


def user_text(event: Event) -> str:
    """The user's name, ``#7`` where only the id is known, empty for the service's own events."""
    if event.user_displayname:
        return event.user_displayname
    return "" if event.user_id is None else f"#{event.user_id}"


def is_commit(event: Event) -> bool:
    """Whether the event tells that a version of the schema was committed."""
    return event.type == COMMIT


def committed_version(event: Event) -> int | None:
    """The version that a commit has made (wire §3), None where the record does not tell, as a short one."""
    info = event.info_value if is_commit(event) else None
    version = info.get("schema") if isinstance(info, dict) else None
    return version if isinstance(version, int) and version > 0 and version is not True else None
