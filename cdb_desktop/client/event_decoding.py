"""Reads event records (wire §3): typed and fast where all is as known, else member by member."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import field

from cdb_desktop.client import lenient
from cdb_desktop.client.decode import json_raw
from cdb_desktop.client.failures import answer_error
from cdb_desktop.client.records import Event, EventPage, Polled, Unreadable
from cdb_desktop.client.unusual_record import unusual_record
from cdb_desktop.client.wire import Answer

_Moment = Annotated[datetime, msgspec.Meta(tz=True)]  # one without offset takes the other way


class _Body(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    id: int = field(name="_id")
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


_known = msgspec.json.Decoder(_Record)


def event(answer: Answer) -> Event:
    """The one record of an answer (§4.1, §4.4). Raises AnswerError, ServiceError."""
    raw = json_raw(answer)
    return _usual(raw) or _unusual(answer, raw, "event")


def polled(answer: Answer) -> Polled:
    """The records of a poll (§4.2), a bare array. Raises AnswerError for anything else, ServiceError."""
    found = lenient.items(json_raw(answer))
    if found is None:
        raise answer_error(answer, "not an array")
    events: list[Event] = []
    unreadable: list[Unreadable] = []
    for raw in found:
        one = _usual(raw) or unusual_record(raw)
        if isinstance(one, str):
            unreadable.append(Unreadable(one, lenient.value(raw)))
        else:
            events.append(one)
    return Polled(tuple(events), tuple(unreadable))


def page(answer: Answer, limit: int, offset: int) -> EventPage:
    """One slice of a list (§4.3); ``limit`` and ``offset`` are those asked for, if the answer tells none."""
    found = lenient.members(json_raw(answer)) or {}
    objects = lenient.items(found.get("objects"))
    if objects is None:
        raise answer_error(answer, "no array", "objects")
    told = {key: lenient.value(found.get(key)) for key in ("count", "limit", "offset")}
    return EventPage(
        _events(answer, objects, "objects"),
        count=told["count"] if isinstance(told["count"], int) else None,
        limit=told["limit"] if isinstance(told["limit"], int) else limit,
        offset=told["offset"] if isinstance(told["offset"], int) else offset,
    )


def _events(answer: Answer, found: list[msgspec.Raw], place: str) -> tuple[Event, ...]:
    return tuple(_usual(raw) or _unusual(answer, raw, f"{place}[{index}]") for index, raw in enumerate(found))


def _usual(raw: msgspec.Raw) -> Event | None:
    try:
        return _flat(_known.decode(raw))
    except msgspec.MsgspecError:
        return None


def _unusual(answer: Answer, raw: msgspec.Raw, place: str) -> Event:
    found = unusual_record(raw)
    if isinstance(found, str):
        raise answer_error(answer, found, place)
    return found


def _flat(record: _Record) -> Event:
    body, session = record.event, record.session
    user = record.user or record.documented_user or {}
    user_id, displayname = user.get("_id"), user.get("_generated_displayname")
    return Event(
        id=body.id,
        type=body.type,
        timestamp=body.timestamp,
        schema=body.schema,
        objecttype=body.objecttype,
        global_object_id=body.global_object_id,
        basetype=body.basetype,
        object_id=body.object_id,
        object_version=body.object_version,
        session_self=body.session_self,
        pollable=body.pollable,
        info=body.info.copy() if body.info else None,  # a view would keep the whole answer alive
        ipv4_address=body.ipv4_address,
        user_id=user_id if isinstance(user_id, int) else None,
        user_displayname=displayname if isinstance(displayname, str) else None,
        user=user,
        session_token=session.token,
        session_created=session.created,
        session_expired=session.expired,
    )
