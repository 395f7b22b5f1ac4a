"""The calls of generation 6 as values: a request, and the function that decodes the response."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from functools import partial

import msgspec

from cdb_desktop.client import decoding, lenient_json, responses
from cdb_desktop.client.query import (
    CsvOptions,
    EventFilter,
    Sort,
    filter_query,
    page_query,
    ranges_of,
    sort_query,
)
from cdb_desktop.client.records import (
    Capabilities,
    CommitQuestion,
    Event,
    EventPage,
    FaultInjection,
    ObjectVersion,
    Polled,
    ServerErrorDetails,
    Session,
)
from cdb_desktop.client.request import API, MEGABYTE, Call, Method, Query, Request, Response, segment

_EVENT = f"{API}event"
_LIST = f"{_EVENT}/list"
_SCHEMA = f"{API}schema/"
_MOST_POLLED = 1000
_LARGEST_LIST, _LARGEST_POLL, _LARGEST_FILE = 64 * MEGABYTE, 16 * MEGABYTE, 1024 * MEGABYTE
_LARGEST = 128 * MEGABYTE


class Calls:
    """The calls of a service whose tokens come from OAuth 2.0, and travel in a header."""

    most_deleted = 500  # they are in the address, which may have 8,000 characters at least

    def capabilities(self, version: str, solution: str) -> Capabilities:
        """What a service of any version offers."""
        is_ours = solution == "reference"
        return Capabilities(
            skip_count=False,
            re2_only=is_ours,
            error_details=False,
            event_groups=True,
            sessions=False,
            filters_by_object=True,
            id_ranges=True,
            stream=True,
            commit_plan=False,
            asks_before_commit=True,
            csv_options=False,
            extended_schema=True,
        )

    def read_session(self, token: str) -> Call[Session]:
        """Who is signed in."""
        return Call(_signed("GET", f"{API}user/session"), partial(_session, token=token))

    def read_event(self, event_id: int) -> Call[Event]:
        """An event."""
        return Call(_signed("GET", f"{_EVENT}/{event_id:d}"), decoding.event)

    def poll_events(self, last_max_id: int | None, limit: int) -> Call[Polled]:
        """Pollable events newer than ``last_max_id``, of all if it is None; a limit of 0 means 1000."""
        query = (("limit", str(limit or _MOST_POLLED)),)
        request = _signed("GET", f"{_EVENT}/poll/{last_max_id or 0:d}", query)
        return Call(replace(request, largest=_LARGEST_POLL, shrinks=True), decoding.polled)

    def list_events(
        self,
        chosen: EventFilter,
        sort: Sequence[Sort],
        limit: int,
        offset: int,
        *,
        full: bool,
        skip_count: bool,
    ) -> Call[EventPage]:
        """One slice of the matching events, always whole and with their number."""
        query = (*_filter(chosen), *sort_query(sort), *page_query(limit, offset), ("format", "json"))
        request = replace(_signed("GET", _LIST, query), largest=_LARGEST_LIST, shrinks=True)
        return Call(request, partial(decoding.page, limit=limit, offset=offset))

    def list_csv(
        self,
        chosen: EventFilter,
        options: CsvOptions,
        sort: Sequence[Sort],
        limit: int,
        offset: int,
        *,
        guard: bool = False,
    ) -> Call[bytes]:
        """One slice of the matching events as a CSV file with its header line, in the service's own form."""
        query = (*_filter(chosen), *sort_query(sort), *page_query(limit, offset), ("format", "csv"))
        request = replace(_signed("GET", _LIST, query), largest=_LARGEST_LIST, largest_file=_LARGEST_FILE)
        return Call(request, responses.file)

    def insert_event(self, attributes: Mapping[str, object]) -> Call[Event]:
        """Writes an event; attributes that are None are left out."""
        body = {name: value for name, value in attributes.items() if value is not None}
        return Call(_posted(_EVENT, {"event": body}), decoding.event)

    def delete_events(self, ids: Sequence[int]) -> Call[int | None]:
        """Deletes exactly these events. Raises ValueError without any: no filter means all events."""
        chosen = EventFilter(ids=ranges_of(ids))
        if chosen.is_empty:
            raise ValueError("no ids of events to delete")
        return Call(_signed("DELETE", _LIST, filter_query(chosen)), responses.nothing)

    def delete_event(self, event_id: int) -> Call[None]:
        """Deletes an event."""
        return Call(_signed("DELETE", f"{_EVENT}/{event_id:d}"), responses.nothing)

    def read_schema(self, version: int | str) -> Call[dict[str, object]]:
        """The document of ``version``: a number, HEAD or CURRENT."""
        return Call(_schema(version), responses.json_mapping)

    def read_schema_file(self, version: int | str, kind: str) -> Call[bytes]:
        """The file of ``version`` as svg or png."""
        return Call(_schema(version, (("format", kind),)), responses.file)

    def update_schema(self, document: Mapping[str, object]) -> Call[dict[str, object]]:
        """Saves ``document`` as HEAD; the response is the stored document."""
        request = replace(_posted(f"{_SCHEMA}user/HEAD", document), largest=_LARGEST)
        return Call(request, responses.json_mapping)

    def commit_schema(
        self, *, reindex_generate_events: bool, answers: Mapping[str, str]
    ) -> Call[tuple[CommitQuestion, ...]]:
        """Makes HEAD the current version, or returns questions that ``answers`` has to answer before."""
        request = _signed("POST", f"{_SCHEMA}commit", tuple(answers.items()))
        return Call(replace(request, timeout_factor=math.inf), _questions)

    def count_all_objects(self) -> Call[dict[str, int]]:
        """The number of objects in each objecttype, which not everybody may read."""
        return Call(_signed("GET", f"{API}system/status"), _counts)

    def count_objects(self, table: int) -> Call[int | None]:
        """The number of objects in an objecttype by its id, None if the service counts only files."""
        return Call(_signed("GET", f"{API}objecttype/{table:d}/stats"), _count)

    def read_object(self, objecttype: str, object_id: int, version: int | None) -> Call[ObjectVersion | None]:
        """An object in a version, None for the newest one."""
        query = () if version is None else (("version", f"{version:d}"),)
        request = _signed("GET", f"{API}db/{segment(objecttype)}/_all_fields/{object_id:d}", query)
        decode = partial(decoding.object_version, objecttype=objecttype, object_id=object_id, version=version)
        return Call(request, decode)

    def plan_schema(self) -> None:
        """The service does not know what a commit would do."""

    def config(self) -> Call[dict[str, object]]:
        """The part of the base configuration that a user may know."""
        return Call(_signed("GET", f"{API}user/session"), _config)

    def l10n(self, version: int | str) -> Call[dict[str, object]]:
        """The localised names of a schema version."""
        request = replace(_signed("GET", f"{API}l10n/user/{segment(version)}"), largest=_LARGEST)
        return Call(request, responses.json_mapping)

    def update_l10n(self, keys: Mapping[str, object]) -> Call[None]:
        """Replaces all localised names of HEAD: keys that are left out are cleared."""
        return Call(_posted(f"{API}l10n/user/HEAD", keys), responses.nothing)

    def masks(self, version: int | str) -> Call[dict[str, object]]:
        """The masks of a schema version."""
        request = replace(_signed("GET", f"{API}mask/{segment(version)}"), largest=_LARGEST)
        return Call(request, responses.json_mapping)

    def server_errors(self, uuid: str) -> tuple[Call[ServerErrorDetails], ...]:
        """The service offers no details of its errors."""
        return ()

    def fault_injection(self) -> Call[FaultInjection]:
        """The faults that the reference server injects; no other service knows this call."""
        return Call(_signed("GET", f"{API}chaos"), decoding.fault_injection)

    def inject_faults(self, settings: Mapping[str, object]) -> Call[FaultInjection]:
        """Sets the faults that the reference server injects; empty settings end them."""
        request = replace(_posted(f"{API}chaos", settings), method="PUT")
        return Call(request, decoding.fault_injection)


def _signed(method: Method, path: str, query: Query = ()) -> Request:
    return Request(method, path, query, bearer=True)


def _posted(path: str, document: object) -> Request:
    request = _signed("POST", path)
    return replace(request, body=msgspec.json.encode(document), content_type="application/json")


def _schema(version: int | str, query: Query = ()) -> Request:
    return replace(_signed("GET", f"{_SCHEMA}user/{segment(version)}", query), largest=_LARGEST)


def _filter(chosen: EventFilter) -> Query:
    """The parameters of the filter; dates have a time and an offset."""
    dates = (_moment(chosen.date_from, time.min), _moment(chosen.date_to, time.max))
    chosen = msgspec.structs.replace(chosen, date_from=dates[0], date_to=dates[1])
    return filter_query(chosen, base_type="basetype")


def _moment(bound: date | None, otherwise: time) -> datetime | None:
    if bound is None:
        return None
    moment = bound if isinstance(bound, datetime) else datetime.combine(bound, otherwise)
    return moment if moment.tzinfo else moment.astimezone()


def _questions(answer: Response) -> tuple[CommitQuestion, ...]:
    """The questions in an answer, none if the commit took place."""
    found = responses.json_mapping(answer).get("tasks")
    try:
        return msgspec.convert(_without_null(found or ()), tuple[CommitQuestion, ...], strict=False)
    except msgspec.ValidationError:
        raise responses.answer_error(answer, "not_object", "tasks") from None


def _without_null(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _without_null(each) for name, each in value.items() if each is not None}
    return [_without_null(each) for each in value] if isinstance(value, list) else value


def _counts(answer: Response) -> dict[str, int]:
    found = lenient_json.items(responses.json_members(answer).get("objecttypes")) or ()
    types = [lenient_json.members(one) or {} for one in found]
    counts = {
        lenient_json.text(one.get("type_name")): lenient_json.amount(one.get("total_count")) for one in types
    }
    return {name: count for name, count in counts.items() if name and count is not None}


def _count(answer: Response) -> int | None:
    found = responses.json_members(answer)
    return lenient_json.amount(found.get("total_count", found.get("count")))


def _config(answer: Response) -> dict[str, object]:
    return lenient_json.mapping(responses.json_members(answer).get("config"))


def _session(answer: Response, token: str) -> Session:
    found = responses.json_members(answer)
    arguments, _ = lenient_json.fields(Session, found)
    user = decoding.user(found.get("user"))
    return Session(
        **arguments
        | {
            "token": token,
            "authenticated": user is not None,
            "method": "oauth2",
            "user": user,
            "groups": tuple(
                lenient_json.mapping(one) for one in lenient_json.items(found.get("groups")) or ()
            ),
            "system_rights": decoding.rights(found.get("system_rights") or found.get("_system_rights")),
        }
    )
