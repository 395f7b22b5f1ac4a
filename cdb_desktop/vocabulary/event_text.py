"""Short texts for the object and the user of an event, and schema commits."""

from __future__ import annotations

from cdb_desktop.client import Event

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
