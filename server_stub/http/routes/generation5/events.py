"""The event calls (§4.1 to §4.5) and the shapes of event records (wire §3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from server_stub.database import Reader
from server_stub.events import CsvOptions, EventQuery, RecordForm
from server_stub.foundation.errors import ApiError, UserError
from server_stub.http.endpoint import Access, Body, Call, Endpoint, Workload, json_of
from server_stub.http.event_texts import MAX_CHARACTERS, check_value
from server_stub.http.parameters import BOOLEAN, INTEGER, OBJECT, JsonSchema, array, either, record, ref
from server_stub.http.responses import Answer, json_answer
from server_stub.http.routes.generation5 import event_parameters as parameters
from server_stub.http.routes.shared import (
    DELETE_EVENTS,
    INSERT_EVENT,
    LIST_EVENTS,
    READ_EVENT,
    draft_of,
    event_csv,
    event_page,
    event_record,
)

_ID: JsonSchema = {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}

# §4.4: what a client may insert; the types are those that the JSON must have. `pollable` is our addition:
# without it, a live feed cannot be tried out with inserted events (§4.2 rule 3).
ATTRIBUTES: Mapping[str, type] = MappingProxyType(
    {
        "type": str,
        "info": dict,
        "object_version": int,
        "object_id": int,
        "objecttype": str,
        "pollable": bool,
    }
)
# §4.4: the types a client may insert, and the base configuration that each needs.
INSERTABLE: Mapping[str, str] = MappingProxyType(
    {"SEARCH": "system.log.search", "DETAIL_VIEW": "system.log.detail_view"}
)
# Databases end a text at such a character, or take none.
_WHOLE_TEXT: JsonSchema = {"type": "string", "pattern": r"^[^\u0000]*$", "maxLength": MAX_CHARACTERS}
_OF_TYPE: Mapping[type, JsonSchema] = {str: _WHOLE_TEXT, dict: OBJECT, int: _ID, bool: BOOLEAN}


def _attribute(name: str) -> JsonSchema:
    return {"enum": list(INSERTABLE)} if name == "type" else _OF_TYPE[ATTRIBUTES[name]]


_FLAT = record({"type": _attribute("type")}, **{n: _attribute(n) for n in ATTRIBUTES if n != "type"})
COMPONENTS: Mapping[str, JsonSchema] = {"EventInsert": either(_FLAT, record({"event": _FLAT}))}


def retrieve(call: Call) -> Answer:
    """§4.1: one full record."""
    found = event_record(call, call.path["id"])
    if found is None:
        raise UserError("event_not_found", id=call.path["id"])
    return found


def poll(call: Call) -> Answer:
    """§4.2: the new events of this session, as an array."""
    session = call.session
    if session.user is None:
        return Answer(b"[]")  # §4.2: an unauthenticated session receives no events
    lowest = session.current_max_event_id or 0
    last = call.path.get("last_max_id", lowest)
    if last < lowest:
        raise ApiError("invalid_value", f"last_max_id is {last}, but this session begins at {lowest}.")
    limit = call.query["limit"] or parameters.MAX_EVENTS
    with call.services.database.reader() as reader:
        records = call.services.log.poll(reader, call.caller, last, limit)
    return Answer(b"[%b]" % records)


def list_events(call: Call) -> Answer:
    """§4.3: a page of events in one of three forms."""
    query = parameters.event_query_of(call.query)
    options = parameters.csv_options_of(call.query, call.request.arguments)
    return call.services.database.read_replicated(lambda reader: _listed(call, reader, query, options))


def _listed(call: Call, reader: Reader, query: EventQuery, options: CsvOptions) -> Answer:
    if call.query["format"] == "csv":
        return event_csv(call, reader, query, options)
    total = (
        b"" if call.query["skip_count"] else b'"count":%d,' % call.services.log.count(reader, query.filter)
    )
    page = b'"limit":%d,"offset":%d' % (query.limit, query.offset)
    form = RecordForm.FULL if call.query["format"] == "json_full" else RecordForm.SHORT
    return event_page(call, reader, query, form, total + page, pretty=call.request.is_pretty)


def insert(call: Call) -> Answer:
    """§4.4: stores an event of the client and returns its full record."""
    given = _checked_attributes(call.request.json_object())
    kind, services = given["type"], call.services
    has_object = "objecttype" in given or "object_id" in given
    with services.database.write() as connection:
        if not services.configuration.value(connection, INSERTABLE[kind]):
            raise UserError("event_type_disabled", event_type=kind)
        draft = draft_of(call, given, "USER" if has_object else None)
        event_id = services.log.append_once(connection, [draft], call.key).start
        record = services.log.full_record(Reader.inside(connection), event_id, call.caller)
    if record is None:  # It was deleted before the request was repeated.
        raise UserError("event_not_found", id=event_id)
    return Answer(record.encode())


def delete(call: Call) -> Answer:
    """§4.5: deletes by a list of ids in the body, else by filter."""
    if call.request.has_content:
        return _delete_ids(call)
    query, event_filter = call.query, parameters.filter_of(call.query)
    return json_answer({"count": call.services.log.delete(event_filter, query["limit"], query["offset"])})


def _delete_ids(call: Call) -> Answer:
    ids = call.request.json_value()
    if call.request.arguments:
        name = call.request.arguments[0][0]
        raise ApiError("attribute_not_accepted", f"With a list of ids only the token is valid, not {name!r}.")
    if not isinstance(ids, list):
        raise ApiError("type_mismatch", "The body must be a JSON list of event ids.")
    for position, value in enumerate(ids):
        if type(value) is not int or not -(2**63) <= value < 2**63:
            raise ApiError("type_mismatch", f"Entry {position} of the list is no event id.")
    return json_answer({"count": call.services.log.delete_ids(sorted(set(ids)))})


def _checked_attributes(body: dict[str, Any]) -> dict[str, Any]:
    """The checked attributes, which may also come wrapped in `event` (wire §3)."""
    given = body["event"] if set(body) == {"event"} else body
    if not isinstance(given, dict):
        raise ApiError("type_mismatch", "event must be a JSON object.")
    for name, value in given.items():
        if name not in ATTRIBUTES:
            raise ApiError("attribute_not_accepted", f"An inserted event takes no attribute {name!r}.")
        check_value(name, value, ATTRIBUTES[name])
    if "type" not in given:
        raise ApiError("attribute_expected", "type is missing.")
    if given["type"] not in INSERTABLE:
        raise ApiError("invalid_value", f"type must be one of {', '.join(INSERTABLE)}.")
    return given


_POLL = Endpoint(
    "GET",
    "/event/poll",
    poll,
    "4.2",
    Access.SESSION,
    parameters=parameters.POLL,
    answers=json_of(array(ref("EventShort"))),
    user_errors=(),
    # One search in the index, and never further back than the session's sign-in.
    workload=Workload.POLL,
    prolongs_session=False,
)

ENDPOINTS = (
    LIST_EVENTS(handler=list_events, parameters=parameters.LIST),
    _POLL,
    replace(_POLL, path="/event/poll/{last_max_id}", path_parameters=(parameters.LAST_MAX_ID,)),
    READ_EVENT(
        path="/event/{id}",
        handler=retrieve,
        path_parameters=(parameters.EVENT_ID,),
        answers=json_of(ref("EventFull")),
        user_errors=("event_not_found",),
    ),
    INSERT_EVENT(
        handler=insert,
        answers=json_of(ref("EventFull")),
        user_errors=("event_type_disabled", "event_not_found"),
    ),
    DELETE_EVENTS(
        path="/event",
        handler=delete,
        parameters=parameters.DELETE,
        body=Body(json_of(ref("EventIds")), required=False),
        answers=json_of(record({"count": INTEGER})),
    ),
)
