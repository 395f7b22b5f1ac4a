"""One event before it is stored, and the JSON texts in its row (wire §3)."""

from enum import Enum
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Select,
    Subquery,
    Text,
    bindparam,
    case,
    func,
    literal,
    literal_column,
    select,
)

from server_stub.database.dialects import concatenated, json_text, utf8
from server_stub.database.tables import event, session
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


def event_row(draft: EventDraft, instance: str) -> tuple[Any, ...]:
    """The row of an event without its id, in the order of columns; `instance` completes global object ids."""
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


# Parameter: the public reference of the calling session.
CALLER = bindparam("caller", type_=Text)


def _text(constant: str) -> ColumnElement[str]:
    return literal_column(f"'{constant}'", Text)


_own = case((event.c.session == CALLER, _text(',"session_self":true')))
_opening = (_text('{"event":{"_id":'), event.c.id, _text(","), event.c.head, _own)
POLLABLE = case((event.c.pollable == 1, _text("true")), else_=_text("false"))
# `head` begins with the time as the wire has it, whose text is of one length.
TIMESTAMP = func.substr(event.c.head, len('"timestamp":"') + 1, 25)
_address = _text(',"ipv4_address":"') + event.c.ipv4_address + _text('"')
_details = (_text(',"pollable":'), POLLABLE, _text(',"info":'), event.c.info, _address)
# The times of the session go before the last two braces of the record, which follow a quotation mark.
_timed = session.c.record.is_not(None)
_sql_tail = case((_timed, func.rtrim(event.c.tail, _text("}"))), else_=event.c.tail)
_times = (session.c.record, case((_timed, _text("}}"))))

SHORT: Select[str] = select(concatenated(*_opening, event.c.tail).label("record"))
FULL: Select[str] = select(
    concatenated(*_opening, *_details, _sql_tail, *_times).label("record")
).outerjoin_from(event, session, event.c.session == session.c.reference)


# The types that generation 6 names otherwise, by the names under which this server stores them.
TYPES_OF_GENERATION_6 = MappingProxyType(
    {"SCHEMA_COMMIT": "DATAMODEL_COMMIT", "LOGIN_FAILED": "USER_LOGIN_FAILED"}
)
# Parameter: the part of global object ids after the `@`.
_INSTANCE = bindparam("instance", type_=Text)
# An event of an object with its type; NAMED tells which these are faster than a null would.
NAMED = event.c.object_id.is_not(None) & event.c.objecttype.is_not(None) & (event.c.schema == "USER")
OBJECT_NAME = event.c.objecttype.concat(_text(":")).concat(event.c.object_id)


def _whole_record() -> Select[str]:
    """The records of generation 6: what is the same in both is copied from the stored text.

    Short texts are joined by `||`, which is faster for them than `concatenated`.
    """
    head = event.c.head
    stored_id = _text('"global_object_id":"').concat(event.c.object_id).concat(_text("@"))
    stored_id = stored_id.concat(_INSTANCE).concat(_text('"'))
    given_id = _text('"global_object_id":').concat(json_text(OBJECT_NAME))
    renamed = [
        (event.c.type == old, func.replace(head, _text(f'"type":"{old}"'), _text(f'"type":"{new}"')))
        for old, new in TYPES_OF_GENERATION_6.items()
    ]
    members = case(*renamed, (NAMED, func.replace(head, stored_id, given_id)), else_=head)
    # An imported event may have any info: it is changed if nothing but the members after the first are taken.
    version = func.ltrim(func.rtrim(event.c.info, _text("}")), _text('{"schema":'))
    is_known = (event.c.info == _text('{"schema":').concat(version).concat(_text("}"))) & (version != "")
    commit = _text('{"version":').concat(version).concat(_text(',"committed_at":"'))
    committed = commit.concat(TIMESTAMP).concat(_text('"}'))
    info = case(((event.c.type == "SCHEMA_COMMIT") & is_known, committed), else_=event.c.info)
    name = json_text(event.c.user_displayname)
    user = _text('},"user":{"_basetype":"user","user":{"_id":').concat(event.c.user_id)
    user = user.concat(_text(',"_generated_displayname":')).concat(name).concat(_text("}}}"))
    # Imported records of generation 6 have the form already, also for groups.
    start = '},"user":{"_basetype"'
    is_given = func.substr(event.c.tail, 1, len(start)) == _text(start)
    record = concatenated(
        _text('{"_basetype":"event","event":{"_id":'),
        event.c.id,
        _text(","),
        members,
        _text(',"pollable":'),
        POLLABLE,
        _text(',"info":'),
        info,
        _text(',"remote_addr":"') + event.c.ipv4_address + _text('"'),
        case((event.c.user_id.is_not(None), _text(',"user_generated_displayname":').concat(name))),
        case((is_given, event.c.tail), (event.c.user_id.is_(None), _text("}}")), else_=user),
    )
    return select(record.label("record"))


class RecordForm(Enum):
    """What a record contains; WHOLE is the one form of generation 6."""

    SHORT = 1
    FULL = 2
    WHOLE = 6


RECORDS = MappingProxyType(
    {RecordForm.SHORT: SHORT, RecordForm.FULL: FULL, RecordForm.WHOLE: _whole_record()}
)


def global_id(instance: str) -> ColumnElement[str | None]:
    """The id of a user object that is unique over all instances (wire §3); null for other events."""
    is_object = (event.c.schema == "USER") & event.c.object_id.is_not(None)
    return case((is_object, concatenated(event.c.object_id, literal(f"@{instance}", Text))))


def separate_records(records: Select[Any]) -> Select[bytes]:
    """The records one by one, each as UTF-8 text."""
    (record,) = records.selected_columns
    return records.with_only_columns(utf8(record).label("record"))


def joined_records(records: Select[Any]) -> Select[bytes]:
    """One UTF-8 text of all the records, comma-separated in their order."""
    rows: Subquery = records.subquery()
    return select(utf8(func.aggregate_strings(rows.c.record, ",")))
