"""Decodes what both dialects have in common: events (wire §3), the service (wire §6), objects, users.

Events are decoded all at once if they are as documented, else member by member. Of the others any part may
be missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, NamedTuple

import msgspec
from msgspec import field

from cdb_desktop.client import lenient_json
from cdb_desktop.client.errors import NotFoundError, ServiceError
from cdb_desktop.client.records import (
    Event,
    EventPage,
    Fault,
    FaultInjection,
    ObjectVersion,
    Polled,
    Record,
    Settings,
    Unreadable,
    UnreadableReason,
    User,
)
from cdb_desktop.client.request import LARGE, Parts, Response
from cdb_desktop.client.responses import (
    STATE,
    answer_error,
    failure,
    http_date,
    is_unknown_address,
    is_word,
    json_members,
    json_raw,
    require_success,
)

_PART = 250  # records that are decoded without a break

_Moment = Annotated[datetime, msgspec.Meta(tz=True)]  # others are decoded member by member


# Larger ones are reported by `unusual_record`.
_Id = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]

_NOTHING: dict[str, object] = {}  # shared: an empty dict takes a tenth of the memory of an event
_users = msgspec.json.Decoder(dict[str, object] | None)
_Slice = tuple[lenient_json.Members, tuple[Event, ...], tuple[Unreadable, ...]]
_PARTS = ("event", "user", "_user", "_session", "_basetype")
_ALIASES = {  # spellings of §2.1 in flat records
    "base_type": "basetype",
    "user_generated_displayname": "user_displayname",
}
_OF_USER = {"_id": "user_id", "_generated_displayname": "user_displayname"}
_AROUND_USER = ("user", "_basetype")
_OF_GROUP = _OF_USER | {"_id": "group_id"}
_OF_SESSION = {"token": "session_token", "created": "session_created", "expired": "session_expired"}
_IDS = range(-(2**63), 2**63)  # 64 bits


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
    system_object_id: int | None = None
    session_self: bool = False
    pollable: bool | None = None
    info: msgspec.Raw = msgspec.Raw()
    ipv4_address: str | None = None
    remote_addr: str | None = None
    user_generated_displayname: str | None = None


class _Origin(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    token: str | None = None
    created: _Moment | None = None
    expired: _Moment | None = None


class _Record(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    event: _Body
    user: msgspec.Raw = msgspec.Raw()
    documented_user: msgspec.Raw = field(name="_user", default=msgspec.Raw())
    session: msgspec.Raw = field(name="_session", default=msgspec.Raw())
    basetype: msgspec.Raw = field(name="_basetype", default=msgspec.Raw())  # that of all events


class _Page(msgspec.Struct, gc=False):
    objects: list[_Record]
    count: msgspec.Raw = msgspec.Raw()
    limit: msgspec.Raw = msgspec.Raw()
    offset: msgspec.Raw = msgspec.Raw()


class _Person(NamedTuple):
    user: dict[str, object]
    id: int | None = None
    displayname: str | None = None
    group_id: int | None = None


class _Memory:
    """Values shared by many records of a response, such as users and sessions, are kept once."""

    def __init__(self) -> None:
        self.texts: dict[str | None, str | None] = {}
        self._persons: dict[bytes, _Person] = {b"": _Person({})}
        self._sessions: dict[bytes, _Origin] = {b"": _Origin()}
        self._infos: dict[bytes, msgspec.Raw] = {}

    def info(self, given: msgspec.Raw) -> msgspec.Raw:
        """An info, not as a view, which would keep the whole response in memory. Raises RecursionError."""
        raw = bytes(given)
        found = self._infos.get(raw)
        if found is None:
            if lenient_json.is_too_deep(raw):
                raise RecursionError
            found = self._infos[raw] = msgspec.Raw(raw)
        return found

    def person(self, record: _Record) -> _Person:
        """The user of a record, under either key. Raises MsgspecError, RecursionError."""
        found = self._person(bytes(record.user))
        return found if found.user else self._person(bytes(record.documented_user))

    def session(self, record: _Record) -> _Origin:
        """The session of a record. Raises MsgspecError."""
        raw = bytes(record.session)
        found = self._sessions.get(raw)
        if found is None:
            found = self._sessions[raw] = _origins.decode(raw)
        return found

    def _person(self, raw: bytes) -> _Person:
        found = self._persons.get(raw)
        if found is None:
            if lenient_json.is_too_deep(raw):
                raise RecursionError
            user = _flat_user(_users.decode(raw) or {})
            group = user.get("group")
            named = group if isinstance(group, dict) else user
            number, name = named.get("_id"), named.get("_generated_displayname")
            number = number if isinstance(number, int) else None
            name = name if isinstance(name, str) else None
            found = _Person(user, number, name) if named is user else _Person(user, None, name, number)
            self._persons[raw] = found
        return found


def _flat_user(record: dict[str, object]) -> dict[str, object]:
    """A user whose values are under ``user``, as in a record of its own; a group stays under ``group``."""
    inner = record.get("user")
    if not isinstance(inner, dict):
        return record
    return {key: one for key, one in record.items() if key not in _AROUND_USER} | inner


_known = msgspec.json.Decoder(_Record)
_pages = msgspec.json.Decoder(_Page)
_origins = msgspec.json.Decoder(_Origin)


def event(answer: Response) -> Event:
    """The single record of a response (§4.1, §4.4). Raises AnswerError, ServiceError."""
    raw = json_raw(answer)
    found = _usual(raw, _Memory()) or unusual_record(raw)
    if isinstance(found, str):
        raise answer_error(answer, found, "event")
    return found


def polled(answer: Response) -> Polled:
    """The records of a poll (§4.2), a bare array. Raises AnswerError for anything else, ServiceError."""
    found = lenient_json.items(json_raw(answer))
    if found is None:
        raise answer_error(answer, "not_array")
    memory = _Memory()
    records = [_usual(raw, memory) or _unusual(raw, place) for place, raw in enumerate(found)]
    return Polled(*_parted(records))


def page(answer: Response, limit: int, offset: int) -> Parts[EventPage]:
    """A slice of a list (§4.3); ``limit`` and ``offset`` are those of the request.

    Records beyond ``limit`` belong to the next slice and are dropped. Raises AnswerError, ServiceError.
    """
    require_success(answer)
    if len(answer.body) > LARGE:
        # Decoding all at once would block other threads.
        found = yield from _unusual_page(answer, limit)
    else:
        try:
            found = yield from _usual_page(answer, limit)
        except lenient_json.BROKEN:
            found = yield from _unusual_page(answer, limit)
    members, events, unreadable = found
    first = lenient_json.amount(members.get("offset"))
    if (events or unreadable) and first not in (None, offset):
        raise answer_error(answer, "other_records", "offset", value=str(offset))
    limit_used = lenient_json.amount(members.get("limit"))
    limit_used = limit if limit_used is None else limit_used
    return EventPage(events, lenient_json.amount(members.get("count")), limit_used, offset, unreadable)


def _usual_page(answer: Response, limit: int) -> Parts[_Slice]:
    """Decodes all records at once, in half of the time. Raises one of BROKEN if any is unusual."""
    answer.body.decode()  # msgspec validates strings only when it creates them
    found = _pages.decode(answer.body)
    events: list[Event] = []
    memory = _Memory()
    for start in range(0, min(limit, len(found.objects)), _PART):
        if start:
            yield
        events += (_flat(one, memory) for one in found.objects[start : min(limit, start + _PART)])
    return {"count": found.count, "limit": found.limit, "offset": found.offset}, tuple(events), ()


def _unusual_page(answer: Response, limit: int) -> Parts[_Slice]:
    members = json_members(answer)
    objects = lenient_json.items(members.get("objects"))
    if objects is None:
        raise answer_error(answer, "not_array", "objects")
    records: list[Record] = []
    memory = _Memory()
    for start in range(0, min(limit, len(objects)), _PART):
        if start:
            yield
        for place, raw in enumerate(objects[start : min(limit, start + _PART)], start):
            records.append(_usual(raw, memory) or _unusual(raw, place))
    return members, *_parted(records)


def _parted(records: Sequence[Record]) -> tuple[tuple[Event, ...], tuple[Unreadable, ...]]:
    """Events and unreadable records."""
    events = tuple(one for one in records if isinstance(one, Event))
    return events, tuple(one for one in records if isinstance(one, Unreadable))


def _usual(raw: msgspec.Raw, memory: _Memory) -> Event | None:
    try:
        return _flat(_known.decode(raw), memory)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _unusual(raw: msgspec.Raw, place: int) -> Record:
    found = unusual_record(raw)
    return Unreadable(found, bytes(raw), place) if isinstance(found, str) else found


def _flat(record: _Record, memory: _Memory) -> Event:
    body, person, session = record.event, memory.person(record), memory.session(record)
    one = memory.texts.setdefault
    return Event(
        id=body.id,
        type=one(body.type, body.type) or "",
        timestamp=body.timestamp,
        schema=one(body.schema, body.schema),
        objecttype=one(body.objecttype, body.objecttype),
        global_object_id=one(body.global_object_id, body.global_object_id),
        basetype=one(body.basetype, body.basetype),
        object_id=body.object_id,
        object_version=body.object_version,
        system_object_id=body.system_object_id,
        session_self=body.session_self,
        pollable=body.pollable,
        info=memory.info(body.info) if body.info else None,
        ipv4_address=one(body.ipv4_address, body.ipv4_address),
        remote_addr=one(body.remote_addr, body.remote_addr),
        user_id=person.id,
        group_id=person.group_id,
        user_displayname=person.displayname or body.user_generated_displayname,
        user=person.user,
        session_token=session.token,
        session_created=session.created,
        session_expired=session.expired,
        unknown=_NOTHING,
    )


def unusual_record(raw: msgspec.Raw) -> Event | UnreadableReason:
    """The event, or the reason why the record is unreadable."""
    if lenient_json.is_too_deep(raw):
        return "too_deep"
    record = lenient_json.members(raw)
    if record is None:
        return "not_object"
    members = _flat_members(record)
    arguments, unknown = lenient_json.fields(Event, members)
    if "id" not in arguments:
        return "id_not_integer" if "_id" in members else "no_id"
    return Event(**(arguments | {"unknown": unknown})) if arguments["id"] in _IDS else "id_too_large"


def _flat_members(record: lenient_json.Members) -> dict[str, msgspec.Raw]:
    outside = {key: raw for key, raw in record.items() if key not in _PARTS}
    body = lenient_json.members(record.get("event")) or {}
    found = {_ALIASES.get(key, key): raw for key, raw in (outside | dict(body)).items()}
    return found | _user(record) | _session(record)


def _user(record: lenient_json.Members) -> dict[str, msgspec.Raw]:
    raw = record.get("user") or record.get("_user")
    if raw is None:
        return {}
    members = lenient_json.members(raw) or {}
    group, inner = (lenient_json.members(members.get(key)) for key in ("group", "user"))
    if inner is not None:
        members = {**{key: one for key, one in members.items() if key not in _AROUND_USER}, **inner}
        raw = msgspec.Raw(msgspec.json.encode(members))
    named, names = (members, _OF_USER) if group is None else (group, _OF_GROUP)
    return {"user": raw} | {name: named[key] for key, name in names.items() if key in named}


def _session(record: lenient_json.Members) -> dict[str, msgspec.Raw]:
    raw = record.get("_session")
    members = lenient_json.members(raw)
    if members is None:
        return {} if raw is None else {"_session": raw}
    return {_OF_SESSION.get(key, f"_session.{key}"): one for key, one in members.items()}


def settings(answer: Response) -> Settings:
    """The description of the service (wire §6)."""
    found = json_members(answer)
    state = answer.headers.get(STATE, "")
    version = lenient_json.text(found.get("version")).partition(".")[0]
    names_it = "version_full" in found or (version.isdecimal() and int(version) >= 6)
    is_new = bool(state) or ("api" not in found and names_it)
    arguments, _ = lenient_json.fields(Settings, found)
    arguments.setdefault("server_time", http_date(answer.headers.get("date", "")))
    return Settings(
        **arguments
        | {
            "generation": 6 if is_new else 5,
            "state": state,
            "read_only": lenient_json.mapping(found.get("capabilities")).get("read_only") is True,
        }
    )


def fault_injection(answer: Response) -> FaultInjection:
    """The faults that the reference server injects."""
    found = json_members(answer)
    settings = lenient_json.mapping(found.get("configuration"))
    rate, seed, chosen = (settings.get(name) for name in ("rate", "seed", "faults"))
    faults = (lenient_json.members(one) or {} for one in lenient_json.items(found.get("faults")) or ())
    return FaultInjection(
        active=lenient_json.value(found.get("active")) is True,
        rate=rate if isinstance(rate, int | float) else 0.0,
        seed=seed if isinstance(seed, int) else 0,
        chosen=tuple(map(str, chosen)) if isinstance(chosen, list) else None,
        faults=tuple(Fault(**lenient_json.fields(Fault, one)[0]) for one in faults),
        injected=lenient_json.amount(found.get("injected")) or 0,
    )


def user(raw: msgspec.Raw | None) -> User | None:
    """The user of a session, alone or within a record."""
    outer = lenient_json.members(raw)
    if outer is None:
        return None
    inner = lenient_json.members(outer.get("user"))
    return User(**lenient_json.fields(User, outer if inner is None else inner)[0])


def rights(raw: msgspec.Raw | None) -> dict[str, object]:
    """System rights with their parameters; of a list only the names."""
    names = lenient_json.items(raw)
    return lenient_json.mapping(raw) if names is None else {lenient_json.text(name): {} for name in names}


# Statuses with which services answer calls that they do not know.
_UNKNOWN_CALL = frozenset({404, 405, 501})
_BESIDE = ("_tags", "_pool", "_owner")  # values of an object that may be outside of its fields
# Not values of the object.
_METADATA = frozenset({"_version", "_objecttype", "_mask", "_global_object_id", "_last_modified", "_created"})


def object_version(
    answer: Response, objecttype: str, object_id: int, version: int | None
) -> ObjectVersion | None:
    """The object in a response, alone or in a list of one; None if the service does not offer the version.

    That is so if it does not know the call, or answers with another version. Raises AnswerError,
    ServiceError, NotFoundError where the list has no object.
    """
    if answer.status >= 300 and _is_unknown(answer):
        return None
    raw = json_raw(answer)
    found = lenient_json.items(raw)
    if found is not None and not found:
        if version is not None:
            return None
        raise NotFoundError(
            "user", "error.user.object_not_found", {"id": str(object_id)}, status=answer.status
        )
    members = lenient_json.members(raw if found is None else next(iter(found)))
    if members is None:
        raise answer_error(answer, "not_object", "object")
    inner = _object_fields(members, objecttype)
    read = lenient_json.amount(inner.get("_version", members.get("_version")))
    if version is not None and read not in (None, version):
        return None
    number = lenient_json.amount(inner.get("_id"))
    if number not in (None, object_id):
        raise answer_error(answer, "other_object", "_id", value=str(object_id))
    outer = {key: members[key] for key in _BESIDE if key in members} if inner is not members else {}
    values = {key: lenient_json.value(one) for key, one in {**inner, **outer}.items() if key not in _METADATA}
    return ObjectVersion(
        objecttype=lenient_json.text(members.get("_objecttype")) or objecttype,
        object_id=object_id,
        version=version if read is None else read,
        modified=_modified(members, inner),
        values=values,
    )


def _is_unknown(answer: Response) -> bool:
    """Whether the service does not know the call, rather than the object or the version."""
    error = failure(answer)
    if isinstance(error, ServiceError) and error.code:
        if is_word(error.code):
            return is_unknown_address(error)
        return error.realm == "api" and (is_unknown_address(error) or answer.status in _UNKNOWN_CALL)
    return answer.status in _UNKNOWN_CALL


def _object_fields(members: lenient_json.Members, objecttype: str) -> lenient_json.Members:
    """The fields of the object: under the name of its type, else in the record itself."""
    for name in (objecttype, lenient_json.text(members.get("_objecttype"))):
        inner = lenient_json.members(members.get(name)) if name else None
        if inner is not None:
            return inner
    return members


def _modified(*holders: lenient_json.Members) -> datetime | None:
    found = (lenient_json.moment(one.get("_last_modified")) for one in holders)
    return next((moment for moment in found if moment is not None), None)
