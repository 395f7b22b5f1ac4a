"""One event before it is stored, and the JSON texts that its row keeps (wire §3); knows no SQL."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from server_stub.times import to_wire


@dataclass(frozen=True, slots=True)
class Actor:
    """Who caused an event: the user and the public reference of the session, never its token."""

    user_id: int
    user_type: str
    displayname: str
    session: str | None = None
    ipv4_address: str | None = None


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event to store; `timestamp` in epoch seconds, `info` as the text of a JSON object (§2.1)."""

    type: str
    timestamp: int
    actor: Actor | None = None
    pollable: bool = False
    base_type: str | None = None
    schema: str | None = None
    objecttype: str | None = None
    object_id: int | None = None
    object_version: int | None = None
    info: str = "{}"


def event_row(draft: EventDraft, instance: str) -> dict[str, object]:
    """The row of a draft, all but its id; `instance` completes global object ids."""
    actor = draft.actor
    return {
        "timestamp": draft.timestamp,
        "type": draft.type,
        "schema": draft.schema,
        "base_type": draft.base_type,
        "objecttype": draft.objecttype,
        "object_id": draft.object_id,
        "object_version": draft.object_version,
        "pollable": int(draft.pollable),
        "user_id": actor and actor.user_id,
        "user_displayname": actor and actor.displayname,
        "user_type": actor and actor.user_type,
        "session": actor and actor.session,
        "ipv4_address": actor and actor.ipv4_address,
        "head": _head(draft, instance),
        "tail": _tail(actor),
        "info": draft.info,
    }


def global_object_id(object_id: int, instance: str) -> str:
    """The id of a user object that is unique over all instances (wire §3)."""
    return f"{object_id}@{instance}"


def _head(draft: EventDraft, instance: str) -> str:
    """The short event's members after `_id`, without the braces; keys without a value are omitted."""
    members: dict[str, object] = {"timestamp": to_wire(draft.timestamp), "type": draft.type}
    optional = {"schema": draft.schema, "basetype": draft.base_type, "objecttype": draft.objecttype}
    members |= {key: value for key, value in optional.items() if value is not None}
    if draft.object_id is not None:
        if draft.schema == "USER":
            members["global_object_id"] = global_object_id(draft.object_id, instance)
        members["object_id"] = draft.object_id
    if draft.object_version is not None:
        members["object_version"] = draft.object_version
    return msgspec.json.encode(members)[1:-1].decode()


def _tail(actor: Actor | None) -> str:
    """What follows the event's members up to the record's end."""
    if actor is None:
        return "}}"
    record: dict[str, object] = {"user": {"_id": actor.user_id, "_generated_displayname": actor.displayname}}
    if actor.session is not None:
        record["_session"] = {"token": actor.session}
    return "}," + msgspec.json.encode(record)[1:].decode()
