"""One event before it is stored, and the JSON texts in its row (wire §3)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from server_stub.foundation.times import to_wire


class Actor(msgspec.Struct, frozen=True, gc=False):
    """Who caused an event: the user and the public reference of the session, never its token."""

    user_id: int
    user_type: str
    displayname: str
    session: str | None = None
    ipv4_address: str | None = None


class EventDraft(msgspec.Struct, frozen=True, gc=False):
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


class _NoActor(msgspec.Struct, frozen=True):
    """The values of the actor's columns in the row of an event without an actor."""

    user_id: None = None
    user_type: None = None
    displayname: None = None
    session: None = None
    ipv4_address: None = None


_NO_ACTOR = _NoActor()


def event_row(event_id: int, draft: EventDraft, instance: str) -> tuple[Any, ...]:
    """The row of an event in the order of the table's columns; `instance` completes global object ids."""
    actor = draft.actor or _NO_ACTOR
    # The short event's members after `_id`, without the braces; keys without a value are omitted.
    head = f'"timestamp":"{to_wire(draft.timestamp)}"'
    head += _type_members(draft.type, draft.schema, draft.base_type, draft.objecttype)
    if draft.object_id is not None:
        is_user_object = draft.schema == "USER"
        head += _object_members(draft.object_id, instance if is_user_object else None)
    if draft.object_version is not None:
        head += f',"object_version":{draft.object_version}'
    return (
        event_id,
        draft.timestamp,
        draft.type,
        draft.schema,
        draft.base_type,
        draft.objecttype,
        draft.object_id,
        draft.object_version,
        1 if draft.pollable else 0,
        actor.user_id,
        actor.displayname,
        actor.user_type,
        actor.session,
        actor.ipv4_address,
        head,
        _tail(draft.actor),
        draft.info,
    )


def global_object_id(object_id: int, instance: str) -> str:
    """The id of a user object that is unique over all instances (wire §3)."""
    return f"{object_id}@{instance}"


@lru_cache(maxsize=4096)
def _object_members(object_id: int, instance: str | None) -> str:
    """The members that name an object, with its global id if `instance` is given."""
    if instance is None:
        return f',"object_id":{object_id}'
    return f',"global_object_id":"{global_object_id(object_id, instance)}","object_id":{object_id}'


@lru_cache(maxsize=4096)
def _type_members(type_: str, schema: str | None, base_type: str | None, objecttype: str | None) -> str:
    """The members that name types; a log has few different combinations of them."""
    named = {"type": type_, "schema": schema, "basetype": base_type, "objecttype": objecttype}
    present = {name: value for name, value in named.items() if value is not None}
    return "," + msgspec.json.encode(present)[1:-1].decode()


@lru_cache(maxsize=4096)
def _tail(actor: Actor | None) -> str:
    """The end of the record, after the event's members."""
    if actor is None:
        return "}}"
    record: dict[str, object] = {"user": {"_id": actor.user_id, "_generated_displayname": actor.displayname}}
    if actor.session is not None:
        record["_session"] = {"token": actor.session}
    return "}," + msgspec.json.encode(record)[1:].decode()
