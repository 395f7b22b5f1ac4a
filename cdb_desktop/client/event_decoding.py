"""Reads event records (wire §3): typed and fast where all is as known, else member by member."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import field

from cdb_desktop.client import lenient
from cdb_desktop.client.decode import json_members, json_raw
from cdb_desktop.client.failures import answer_error
from cdb_desktop.client.records import Event, EventPage, Polled, Record, Unreadable
from cdb_desktop.client.unusual_record import unusual_record
from cdb_desktop.client.wire import Answer

_Moment = Annotated[datetime, msgspec.Meta(tz=True)]  # one without offset takes the other way


# One that does not go into 64 bits takes the other way, where it is told.
_Id = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class _Body(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    id: _Id = field(name="_id")
    type: str = ""
    timestamp: _Moment | None = None
    schema: str | None = None
    objecttype: str | None = None
    global_object_id: str | None = None
    basetype: str | None = None
    object_id: int | None = None
    object_version: int | None = None
    session_self: bool = False
    pollable: bool | None = None
    info: msgspec.Raw = msgspec.Raw()
    ipv4_address: str | None = None


class _Origin(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    token: str | None = None
    created: _Moment | None = None
    expired: _Moment | None = None


class _Record(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    event: _Body
    user: dict[str, object] | None = None
    documented_user: dict[str, object] | None = field(name="_user", default=None)
    session: _Origin = field(name="_session", default=_Origin())


class _Memory:
    """What stands in many records of an answer, such as users and sessions: one of each is kept."""

    def __init__(self) -> None:
        self.texts: dict[str | None, str | None] = {}
        self.users: dict[int, dict[str, object]] = {}
        self.sessions: dict[str | None, _Origin] = {}


_NOTHING: dict[str, object] = {}  # one for all events: each of its own would be a tenth of an event
_known = msgspec.json.Decoder(_Record)


def event(answer: Answer) -> Event:
    """The one record of an answer (§4.1, §4.4). Raises AnswerError, ServiceError."""
    raw = json_raw(answer)
    found = _usual(raw, _Memory()) or unusual_record(raw)
    if isinstance(found, str):
        raise answer_error(answer, found, "event")
    return found


def polled(answer: Answer) -> Polled:
    """The records of a poll (§4.2), a bare array. Raises AnswerError for anything else, ServiceError."""
    found = lenient.items(json_raw(answer))
    if found is None:
        raise answer_error(answer, "not an array")
    return Polled(*_parted(found))


def page(answer: Answer, limit: int, offset: int) -> EventPage:
    """One slice of a list (§4.3); ``limit`` and ``offset`` are those asked for, if the answer tells none.

    What came beyond ``limit`` is left out: it is the next slice. Raises AnswerError, ServiceError.
    """
    found = json_members(answer)
    objects = lenient.items(found.get("objects"))
    if objects is None:
        raise answer_error(answer, "no array", "objects")
    told = {key: lenient.amount(found.get(key)) for key in ("count", "limit", "offset")}
    if objects and told["offset"] not in (None, offset):
        raise answer_error(answer, f"not the records from {offset} on that were asked for", "offset")
    events, unreadable = _parted(objects[:limit])
    told_limit = limit if told["limit"] is None else told["limit"]
    return EventPage(events, told["count"], told_limit, offset, unreadable)


def _parted(found: list[msgspec.Raw]) -> tuple[tuple[Event, ...], tuple[Unreadable, ...]]:
    """One record that cannot be read keeps no other from being read."""
    events: list[Event] = []
    unreadable: list[Unreadable] = []
    memory = _Memory()
    for place, raw in enumerate(found):
        one = _usual(raw, memory) or _unusual(raw, place)
        if isinstance(one, Unreadable):
            unreadable.append(one)
        else:
            events.append(one)
    return tuple(events), tuple(unreadable)


def _usual(raw: msgspec.Raw, memory: _Memory) -> Event | None:
    try:
        return _flat(_known.decode(raw), memory)
    except msgspec.MsgspecError:
        return None


def _unusual(raw: msgspec.Raw, place: int) -> Record:
    found = unusual_record(raw)
    return Unreadable(found, bytes(raw), place) if isinstance(found, str) else found


def _flat(record: _Record, memory: _Memory) -> Event:
    body, session = record.event, record.session
    user = record.user or record.documented_user or _NOTHING
    user_id, displayname = user.get("_id"), user.get("_generated_displayname")
    if isinstance(user_id, int):
        known = memory.users.setdefault(user_id, user)
        user = known if known == user else user
    origin = memory.sessions.setdefault(session.token, session)
    session = origin if origin == session else session
    one = memory.texts.setdefault
    return Event(
        id=body.id,
        type=one(body.type, body.type) or "",
        timestamp=body.timestamp,
        schema=one(body.schema, body.schema),
        objecttype=one(body.objecttype, body.objecttype),
        global_object_id=body.global_object_id,
        basetype=one(body.basetype, body.basetype),
        object_id=body.object_id,
        object_version=body.object_version,
        session_self=body.session_self,
        pollable=body.pollable,
        info=body.info.copy() if body.info else None,  # a view would keep the whole answer alive
        ipv4_address=one(body.ipv4_address, body.ipv4_address),
        user_id=user_id if isinstance(user_id, int) else None,
        user_displayname=one(displayname, displayname) if isinstance(displayname, str) else None,
        user=user,
        session_token=session.token,
        session_created=session.created,
        session_expired=session.expired,
        unknown=_NOTHING,
    )
