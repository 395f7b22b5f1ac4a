"""The event calls: filters in the query, whole records, deletion by filters, and the stream of new events."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import Any

from server_stub.accounts import ROOT, allows
from server_stub.database import Reader
from server_stub.events import Caller, CsvOptions, EventDraft, EventFilter, EventQuery, RecordForm
from server_stub.events.query import NEWEST_FIRST, SORT_FIELDS
from server_stub.events.record import TYPES_OF_GENERATION_6
from server_stub.foundation.errors import ApiError, UserError
from server_stub.http.dialect import Stream
from server_stub.http.endpoint import Body, Call, Endpoint, Workload, json_of
from server_stub.http.event_texts import check_value
from server_stub.http.parameters import (
    FLAG,
    WHOLE_NUMBER,
    WORD,
    Parameter,
    ParameterType,
    array,
    at_least,
    either,
    listed,
    one_of,
    ref,
)
from server_stub.http.responses import Answer, json_answer
from server_stub.http.routes.generation6.errors import RefusalError
from server_stub.http.routes.shared import (
    DELETE_EVENTS,
    EVENT_FILTER,
    INSERT_EVENT,
    LIST_EVENTS,
    READ_EVENT,
    draft_of,
    event_csv,
    event_page,
    event_record,
    sort_parameter,
)
from server_stub.http.services import Services

_WHOLE = RecordForm.WHOLE
_UNLIMITED = 2**63 - 1
_DEFAULT_LIMIT = 1000
_MAX_POLLED = 1000
_DEFAULT_POLLED = 25
_MAX_RANGES = 500
_MAX_LISTED_BYTES = 16 << 20
# The types that clients may insert, beside those of plugins.
_INSERTABLE = frozenset({"SEARCH", "DETAIL_VIEW", "FRONTEND_ERROR", "ASSET_DOWNLOAD_CONFIRMATION_MESSAGE"})
_PLUGIN = "PLUGIN_"
# What is taken from an inserted event; the rest is the server's to say, and ignored.
_ATTRIBUTES: Mapping[str, type] = MappingProxyType(
    {
        "type": str,
        "schema": str,
        "basetype": str,
        "objecttype": str,
        "object_id": int,
        "object_version": int,
        "pollable": bool,
        "info": dict,
    }
)
_SCHEMAS = ("USER", "BASE")
_DONE = {"status": {"acknowledged": "ok"}}

# Types that have another name here are stored under that of generation 5.
_STORED_TYPES = {new: (old, new) for old, new in TYPES_OF_GENERATION_6.items()} | dict.fromkeys(
    TYPES_OF_GENERATION_6, ()
)


# Reading


def retrieve(call: Call) -> Answer:
    """GET event/<id>: one record."""
    found = event_record(call, call.path["eventId"], _WHOLE)
    if found is None:
        raise _not_found(call.path["eventId"])
    return found


def poll(call: Call) -> Answer:
    """GET event/poll/<id>: the pollable events after an id, oldest first; never waits for one."""
    with call.services.database.reader() as reader:
        last, limit = call.path["fromEventId"], call.query["limit"]
        records = call.services.log.poll(reader, call.caller, last, limit, _WHOLE)
    return Answer(b"[%b]" % records)


def stream(_: Call) -> Answer:
    """GET event/stream by a request that is none for a WebSocket.

    `http/stream.py` serves the others.
    """
    raise RefusalError("ServerGeneric", "This call is the request for a WebSocket: it needs an Upgrade.")


def _poll(services: Services, reader: Reader, caller: Caller, last: int, limit: int) -> bytes:
    """The frames of the stream."""
    return services.log.poll(reader, caller, last, limit, _WHOLE)


def list_events(call: Call) -> Answer:
    """GET event/list: a page of events as JSON or CSV."""
    limit = call.query["limit"] or _UNLIMITED
    query = EventQuery(_filter_of(call.query), _order_of(call.query["sort"]), limit, call.query["offset"])
    return call.services.database.read_replicated(lambda reader: _listed(call, reader, query))


def _listed(call: Call, reader: Reader, query: EventQuery) -> Answer:
    if call.query["format"] == "csv":
        return event_csv(call, reader, query, CsvOptions(max_length=0), _WHOLE)
    count = call.services.log.count(reader, query.filter)
    head = b'"count":%d,"limit":%d,"offset":%d' % (count, call.query["limit"], query.offset)
    return event_page(call, reader, query, _WHOLE, head, pretty=False)


def _order_of(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The order by what is stored: where no event has a value, there is nothing to sort."""
    return tuple(field for field in given if field.name in SORT_FIELDS) or NEWEST_FIRST


def _filter_of(query: Mapping[str, Any]) -> EventFilter:
    names = [parameter.name for parameter in _FILTER if parameter.name in query]
    given = {_FIELDS.get(name, name): query[name] for name in names}
    if given["type"] is not None:
        given["type"] = tuple(stored for name in given["type"] for stored in _STORED_TYPES.get(name, (name,)))
    return EventFilter(**given)


# Writing


def insert(call: Call) -> Answer:
    """POST event: stores an event of the frontend or a plugin; root may store any with skip_constraints."""
    records = _stored(call, [call.request.json_object()])
    return _background() if call.query["background"] else Answer(records[0])


def insert_list(call: Call) -> Answer:
    """POST event/list: stores several events in one transaction, or none."""
    given = call.request.json_value()
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise ApiError("type_mismatch", "The body must be a JSON list of objects.")
    records = _stored(call, given)
    return _background() if call.query["background"] else Answer(b"[%b]" % b",".join(records))


def _background() -> Answer:
    # The events are stored already: an event that is lost after all helps nobody.
    return json_answer({"background": "ok"})


def _stored(call: Call, bodies: list[dict[str, Any]]) -> list[bytes]:
    may_all = bool(call.query["skip_constraints"]) and allows(call.user.rights, ROOT)
    drafts = [_draft(call, body, takes_any_type=may_all) for body in bodies]
    log = call.services.log
    with call.services.database.write() as connection:
        ids = log.append_once(connection, drafts, call.key)
        if call.query["background"]:
            return [b""] * len(bodies)
        reader = Reader.inside(connection)
        records = {each: log.full_record(reader, each, call.caller, _WHOLE) for each in ids}
    for event_id, record in records.items():
        if record is None:  # It was deleted before the request was repeated.
            raise UserError("event_not_found", id=event_id)
    return [record.encode() for record in records.values() if record]


def _draft(call: Call, body: dict[str, Any], *, takes_any_type: bool) -> EventDraft:
    event = body.get("event")
    if not isinstance(event, dict):
        raise ApiError("type_mismatch", "event must be a JSON object.")
    given = {name: event[name] for name in _ATTRIBUTES if event.get(name) is not None}
    for name, value in given.items():
        check_value(name, value, _ATTRIBUTES[name])
    kind = given.get("type")
    if not kind:
        raise ApiError("attribute_expected", "type is missing.")
    if not (takes_any_type or kind in _INSERTABLE or kind.startswith(_PLUGIN)):
        raise RefusalError("EventTypeNotAllowed", f"Clients do not insert {kind} events.", type=kind)
    is_of_object = "objecttype" in given or "object_id" in given
    schema = given.get("schema") or ("BASE" if "basetype" in given else "USER" if is_of_object else None)
    if schema is not None and schema not in _SCHEMAS:
        raise ApiError("invalid_value", f"schema must be one of {', '.join(_SCHEMAS)}.")
    return draft_of(call, given, schema)


def delete_one(call: Call) -> Answer:
    """DELETE event/<id>: deletes one event."""
    event_id = call.path["eventId"]
    if not call.services.log.delete_ids([event_id]):
        raise _not_found(event_id)
    return json_answer(_DONE)


def delete(call: Call) -> Answer:
    """DELETE event/list: deletes the events that match the filters, without one all of them."""
    if call.request.has_content:
        # Ids in a body, as generation 5 takes them, would be no filter, and everything be deleted.
        raise ApiError("invalid_content", "This call takes no body: filters are in the query.")
    call.services.log.delete(_filter_of(call.query), call.query["limit"] or _UNLIMITED)
    return json_answer(_DONE)


def _not_found(event_id: object) -> RefusalError:
    return RefusalError("EventNotFound", f"There is no event {event_id}.", event=event_id)


# Parameters

_RANGE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?", re.ASCII)


def _range(text: str) -> tuple[int, int]:
    found = _RANGE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is neither an id nor a range such as 2-30")
    first, last = int(found[1]), int(found[2] or found[1])
    if first > last:
        raise ValueError(f"the range {text} ends before it begins")
    return first, last


_RANGES = listed(ParameterType(_range, {"type": "string", "pattern": r"^[0-9]{1,18}(-[0-9]{1,18})?$"}))


def _ranges(text: str) -> tuple[tuple[int, int], ...]:
    found = _RANGES.read(text)
    if len(found) > _MAX_RANGES:
        raise ValueError(f"there are {len(found)} ids and ranges, more than {_MAX_RANGES}")
    return found


_ID = at_least(0)


def _event_id(text: str) -> int:
    try:
        return _ID.read(text)
    except ValueError:
        raise _not_found(text) from None


_EVENT_ID = Parameter("eventId", ParameterType(_event_id, _ID.schema), meaning="The event's id.")


def _last_id(text: str) -> int:
    """What any number means: later events have ids above it."""
    number = Decimal("NaN")
    with suppress(InvalidOperation):
        number = Decimal(text)
    if not number.is_finite():
        raise RefusalError("UnknownEndpointMethod", f"event/poll takes the id of an event, not {text!r}.")
    return int(min(max(number, Decimal(0)), Decimal(_UNLIMITED)))


_FROM = Parameter("fromEventId", ParameterType(_last_id, _ID.schema), meaning="The last id seen.")
_POLLED = Parameter(
    "limit",
    at_least(1, maximum=_MAX_POLLED),
    _DEFAULT_POLLED,
    "Most events returned.",
    tolerant=True,
)
_LIMIT = Parameter("limit", at_least(0), 0, "Most events taken; 0 takes all.")
# The fields of the filter of which the parameter has another name.
_FIELDS = {"id": "ids", "basetype": "base_type"}
_FILTER = (
    Parameter("id", ParameterType(_ranges, _RANGES.schema), None, "Ids and ranges of ids: 1,2-30,4."),
    *EVENT_FILTER,
    Parameter("basetype", listed(WORD), None, "Filter on basetype."),
    Parameter("objecttype", listed(WORD), None, "Filter on objecttype."),
    Parameter("object_id", listed(WHOLE_NUMBER), None, "Filter on object_id."),
    Parameter("system_object_id", listed(WHOLE_NUMBER), None, "Filter on system_object_id."),
)
_DELETION = tuple(each for each in _FILTER if each.name in {"id", "type", "date_from", "date_to"})
_SORTABLE = (
    "_id",
    "type",
    "schema",
    "object_id",
    "system_object_id",
    "object_version",
    "timestamp",
    "user_generated_displayname",
)
_LIST = (
    Parameter("limit", at_least(0), _DEFAULT_LIMIT, _LIMIT.meaning),
    Parameter("offset", at_least(0), 0, "Entries skipped in the result set."),
    *_FILTER,
    sort_parameter(_SORTABLE),
    Parameter("format", one_of("json", "csv"), "json", "Form of the answer."),
)
_INSERTION = (
    Parameter("background", FLAG, False, "Answer without the stored records."),
    Parameter("skip_constraints", FLAG, False, "Root may insert events of any type."),
)

_INSERT = INSERT_EVENT(
    handler=insert,
    parameters=_INSERTION,
    answers=json_of(either(ref("Event"), ref("Background"))),
    user_errors=("EventTypeNotAllowed", "EventNotFound"),
)
_DELETE = DELETE_EVENTS(
    path="/event/list",
    handler=delete,
    parameters=(_LIMIT, *_DELETION),
    answers=json_of(ref("Acknowledged")),
)
_OF_ONE: Any = {
    "path": "/event/{eventId}",
    "path_parameters": (_EVENT_ID,),
    "user_errors": ("EventNotFound",),
}

_STREAM = Endpoint(
    "GET",
    "/event/stream",
    stream,
    "9",
    answers={},
    other_answers={101: {}},
    user_errors=(),
    workload=Workload.POLL,
    prolongs_session=False,
)

# The paths with fixed names come before that of an id.
ENDPOINTS = (
    _STREAM,
    LIST_EVENTS(handler=list_events, parameters=_LIST),
    replace(
        _INSERT,
        path="/event/list",
        handler=insert_list,
        body=Body(json_of(array(ref("EventInsert"))), max_bytes=_MAX_LISTED_BYTES),
        answers=json_of(either(array(ref("Event")), ref("Background"))),
    ),
    _DELETE,
    Endpoint(
        "GET",
        "/event/poll/{fromEventId}",
        poll,
        "4.2",
        allows_unknown=True,
        parameters=(_POLLED,),
        path_parameters=(_FROM,),
        answers=json_of(array(ref("Event"))),
        user_errors=(),
        workload=Workload.POLL,
    ),
    READ_EVENT(handler=retrieve, answers=json_of(ref("Event")), **_OF_ONE),
    replace(_DELETE, handler=delete_one, parameters=(), **_OF_ONE),
    _INSERT,
)

STREAM = Stream(_STREAM, _poll)
