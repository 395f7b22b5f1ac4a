"""What an event is about, as a short readable reference."""

from __future__ import annotations

from cdb_desktop.client import Event


def object_of(event: Event) -> str:
    """``work 1042 v3``: the object type or base type, the id and the version, as far as they are there."""
    kind = event.objecttype or event.basetype or ""
    number = "" if event.object_id is None else str(event.object_id)
    version = "" if event.object_version is None else f"v{event.object_version}"
    return " ".join(part for part in (kind, number, version) if part)


def user_of(event: Event) -> str:
    """The user's name, ``#7`` where only the id is known, empty for the service's own events."""
    if event.user_displayname:
        return event.user_displayname
    return "" if event.user_id is None else f"#{event.user_id}"
