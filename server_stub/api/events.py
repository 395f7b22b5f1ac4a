"""The event calls (§4.1 to §4.5)."""

from __future__ import annotations

from typing import Any

import msgspec

from server_stub.accounts.rights import EVENT_DELETE, EVENT_GET
from server_stub.api import event_parameters as parameters
from server_stub.api.bodies import json_body, json_object
from server_stub.api.call import Access, Answer, Call, Route, json_answer
from server_stub.errors import ApiError, UserError
from server_stub.events import EventDraft
from server_stub.events.sheet import event_sheet

# §4.4: the types a client may insert, and the base configuration that each needs.
_INSERTABLE = {"SEARCH": "system.log.search", "DETAIL_VIEW": "system.log.detail_view"}
_ATTRIBUTES: dict[str, type] = {
    "type": str,
    "info": dict,
    "object_version": int,
    "object_id": int,
    "objecttype": str,
}


def retrieve(call: Call) -> Answer:
    """§4.1: one full record."""
    event_id = parameters.event_id(call.path["id"])
    with call.rooms.database.read() as connection:
        record = call.rooms.log.full_record(connection, event_id, call.asker)
    if record is None:
        raise UserError("event_not_found", id=event_id)
    return Answer(record.encode())


def poll(call: Call) -> Answer:
    """§4.2: what is new for this session, as an array."""
    if call.session.user is None:
        return Answer(b"[]")  # §4.2: an unauthenticated session receives no events
    lowest = call.session.current_max_event_id or 0
    last = parameters.event_id(call.path["last_max_id"]) if "last_max_id" in call.path else lowest
    if last < lowest:
        raise ApiError("invalid_value", f"last_max_id is {last}, but this session begins at {lowest}.")
    limit = min(call.query["limit"] or parameters.MOST_EVENTS, parameters.MOST_EVENTS)
    with call.rooms.database.read() as connection:
        records = call.rooms.log.poll(connection, call.asker, last, limit)
    return Answer(b"[%b]" % records)


def list_events(call: Call) -> Answer:
    """§4.3: a page of events in one of three forms."""
    listing = parameters.listing_of(call.query)
    options = parameters.csv_options_of(call.query, call.incoming.query)
    log = call.rooms.log
    with call.rooms.database.read() as connection:
        if call.query["format"] == "csv":
            sheet = event_sheet(connection, log.instance, listing, options)
            return Answer(sheet, "text/csv; charset=utf-8", filename="events.csv")
        found = log.records(connection, call.asker, listing, full=call.query["format"] == "json_full")
        count = None if call.query["skip_count"] else log.count(connection, listing.wanted)
    total = b"" if count is None else b'"count":%d,' % count
    page = b'"limit":%d,"offset":%d' % (listing.limit, listing.offset)
    return Answer(b'{%b%b,"objects":[%b]}' % (total, page, found))


def insert(call: Call) -> Answer:
    """§4.4: stores an event of the client and answers its full record."""
    given = _inserted(json_object(call.incoming))
    kind, rooms = given["type"], call.rooms
    has_object = "objecttype" in given or "object_id" in given
    with rooms.database.write() as connection:
        if not rooms.configuration.value(connection, _INSERTABLE[kind]):
            raise UserError("event_type_disabled", event_type=kind)
        draft = EventDraft(
            kind,
            rooms.now(),
            call.actor,
            schema="USER" if has_object else None,
            objecttype=given.get("objecttype"),
            object_id=given.get("object_id"),
            object_version=given.get("object_version"),
            info=_info_text(given.get("info", {})),
        )
        event_id = rooms.log.append(connection, [draft])[-1]
        record = rooms.log.full_record(connection, event_id, call.asker)
    return Answer((record or "").encode())


def delete(call: Call) -> Answer:
    """§4.5: deletes by a list of ids in the body, else by filter."""
    if call.incoming.body.strip():
        return _delete_ids(call)
    query = call.query
    with call.rooms.database.write() as connection:
        limit = min(query["limit"], parameters.MOST_EVENTS)
        wanted = parameters.filter_of(query)
        return json_answer(
            {"count": call.rooms.log.delete_matching(connection, wanted, limit, query["offset"])}
        )


def _delete_ids(call: Call) -> Answer:
    ids = json_body(call.incoming)
    if call.incoming.query:
        name = call.incoming.query[0][0]
        raise ApiError("attribute_not_accepted", f"With a list of ids only the token is valid, not {name!r}.")
    if not isinstance(ids, list):
        raise ApiError("type_mismatch", "The body must be a JSON list of event ids.")
    for position, value in enumerate(ids):
        if type(value) is not int or not -(2**63) <= value < 2**63:
            raise ApiError("type_mismatch", f"Entry {position} of the list is no event id.")
    with call.rooms.database.write() as connection:
        return json_answer({"count": call.rooms.log.delete_ids(connection, sorted(set(ids)))})


def _inserted(body: dict[str, Any]) -> dict[str, Any]:
    """The checked attributes, which may also come wrapped in `event` (wire §3)."""
    given = body["event"] if set(body) == {"event"} else body
    if not isinstance(given, dict):
        raise ApiError("type_mismatch", "event must be a JSON object.")
    for name, value in given.items():
        if name not in _ATTRIBUTES:
            raise ApiError("attribute_not_accepted", f"An inserted event takes no attribute {name!r}.")
        if type(value) is not _ATTRIBUTES[name]:
            raise ApiError("type_mismatch", f"{name} must be of type {_ATTRIBUTES[name].__name__}.")
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ApiError("invalid_value", f"{name} is out of range.")
    if "type" not in given:
        raise ApiError("attribute_expected", "type is missing.")
    if given["type"] not in _INSERTABLE:
        raise ApiError("invalid_value", f"type must be one of {', '.join(_INSERTABLE)}.")
    return given


def _info_text(info: dict[str, Any]) -> str:
    try:
        return msgspec.json.encode(info).decode()
    except OverflowError as error:
        raise ApiError("invalid_value", f"info holds a number that is too large: {error}.") from error


ROUTES = (
    Route("GET", "/event/list", list_events, "4.3", right=EVENT_GET, parameters=parameters.LIST),
    Route("GET", "/event/poll", poll, "4.2", Access.SESSION, parameters=parameters.POLL),
    Route("GET", "/event/poll/{last_max_id}", poll, "4.2", Access.SESSION, parameters=parameters.POLL),
    Route("GET", "/event/{id}", retrieve, "4.1", right=EVENT_GET),
    Route("POST", "/event", insert, "4.4"),
    Route("DELETE", "/event", delete, "4.5", right=EVENT_DELETE, parameters=parameters.DELETE),
)
