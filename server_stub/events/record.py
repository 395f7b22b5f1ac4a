"""One event before it is stored, and the JSON texts that its row keeps (wire §3)."""

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


class _Nobody(msgspec.Struct, frozen=True):
    """What the columns of an event without an actor hold."""

    user_id: None = None
    user_type: None = None
    displayname: None = None
    session: None = None
    ipv4_address: None = None


_NOBODY = _Nobody()


def event_row(draft: EventDraft) -> tuple[Any, ...]:
    """The row of a draft in the order of the table's columns, but for what only the store adds."""
    actor = draft.actor or _NOBODY
    return (
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
        _tail(draft.actor),
        draft.info,
    )


def stored_row(event_id: int, row: tuple[Any, ...], instance: str) -> tuple[Any, ...]:
    """What `event_row` made, with the event's id and its `head`; `instance` completes global object ids.

    It is made apart, so that of two processes one makes rows and the other one completes and writes them.
    """
    # fmt: off
    (second, type_, schema, base_type, objecttype, object_id, version,
     pollable, user_id, displayname, user_type, session, address, tail, info) = row
    # fmt: on
    # The short event's members after `_id`, without the braces; keys without a value are omitted.
    head = f'"timestamp":"{to_wire(second)}"{_kind(type_, schema, base_type, objecttype)}'
    if object_id is not None:
        head += _about(object_id, instance) if schema == "USER" else f',"object_id":{object_id}'
    if version is not None:
        head += f',"object_version":{version}'
    return (
        event_id, second, type_, schema, base_type, objecttype, object_id, version,
        pollable, user_id, displayname, user_type, session, address, head, tail, info,
    )  # fmt: skip


def global_object_id(object_id: int, instance: str) -> str:
    """The id of a user object that is unique over all instances (wire §3)."""
    return f"{object_id}@{instance}"


@lru_cache(maxsize=4096)
def _about(object_id: int, instance: str) -> str:
    """The members that name a user object; most events are about few of them."""
    return f',"global_object_id":"{global_object_id(object_id, instance)}","object_id":{object_id}'


@lru_cache(maxsize=4096)
def _kind(type_: str, schema: str | None, base_type: str | None, objecttype: str | None) -> str:
    """The members that name kinds of things; few different ones make up a whole log."""
    named = {"type": type_, "schema": schema, "basetype": base_type, "objecttype": objecttype}
    present = {name: value for name, value in named.items() if value is not None}
    return "," + msgspec.json.encode(present)[1:-1].decode()


@lru_cache(maxsize=4096)
def _tail(actor: Actor | None) -> str:
    """What follows the event's members up to the record's end."""
    if actor is None:
        return "}}"
    record: dict[str, object] = {"user": {"_id": actor.user_id, "_generated_displayname": actor.displayname}}
    if actor.session is not None:
        record["_session"] = {"token": actor.session}
    return "}," + msgspec.json.encode(record)[1:].decode()
