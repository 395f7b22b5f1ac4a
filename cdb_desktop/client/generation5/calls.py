"""The calls of the contract as values: a request, and the function that decodes the response."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

import msgspec

from cdb_desktop.client import decoding, responses
from cdb_desktop.client.generation5.decoding import server_error, session
from cdb_desktop.client.query import (
    CsvOptions,
    EventFilter,
    Sort,
    csv_query,
    filter_query,
    flag,
    page_query,
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
from cdb_desktop.client.request import API, MEGABYTE, Call, Query, Request, Response, post_json, segment

_SESSION = f"{API}session"

_EVENT = f"{API}event"
_LIST = f"{_EVENT}/list"
_LARGEST_LIST, _LARGEST_POLL = 64 * MEGABYTE, 16 * MEGABYTE
_LARGEST_FILE = 1024 * MEGABYTE  # streamed
_SCHEMA = f"{API}schema/"
_COMMIT_TIMEOUT_FACTOR = math.inf  # a commit rebuilds tables with data, which may take long
_PLAN_TIMEOUT_FACTOR = 20.0
_LARGEST = 128 * MEGABYTE
_FULL_LIST, _SKIP_COUNT = (5, 140), (5, 139)
_REFERENCE = "reference"  # the solution of the embedded server


class Calls:
    """The calls of a service with sessions."""

    most_deleted = 1000

    def capabilities(self, version: str, solution: str) -> Capabilities:
        """What the version of the service offers (§9 rule 2); an unknown one offers all."""
        is_ours = solution == _REFERENCE
        found = re.search(r"(\d+)\.(\d+)", version)
        number = (int(found[1]), int(found[2])) if found else _FULL_LIST
        return Capabilities(
            full_list=number >= _FULL_LIST,
            skip_count=number >= _SKIP_COUNT,
            re2_only=is_ours,
            guards_csv=is_ours,
        )

    def start_session(self) -> Call[Session]:
        """A new session that is not signed in."""
        return Call(Request("GET", _SESSION, signed=False), session)

    def read_session(self, token: str) -> Call[Session]:
        """The session of ``token``."""
        return Call(Request("GET", _SESSION), partial(session, token=token))

    def authenticate(self, token: str, login: str, password: str, method: str) -> Call[Session]:
        """Signs the session in; the password is in the body, since addresses are logged."""
        form = urlencode({"method": method, "login": login, "password": password}).encode()
        request = Request(
            "POST",
            f"{_SESSION}/authenticate",
            body=form,
            content_type="application/x-www-form-urlencoded",
            secrets=(password,),
        )
        return Call(request, partial(session, token=token))

    def deauthenticate(self, token: str) -> Call[Session]:
        """Signs the session out."""
        request = Request("POST", f"{_SESSION}/deauthenticate")
        return Call(request, partial(session, token=token))

    def read_event(self, event_id: int) -> Call[Event]:
        """A full event (§4.1)."""
        return Call(Request("GET", f"{_EVENT}/{event_id:d}"), decoding.event)

    def poll_events(self, last_max_id: int | None, limit: int) -> Call[Polled]:
        """Events newer than ``last_max_id`` (§4.2); a limit of 0 means 1000."""
        path = f"{_EVENT}/poll" if last_max_id is None else f"{_EVENT}/poll/{last_max_id:d}"
        request = Request("GET", path, (("limit", str(limit)),), largest=_LARGEST_POLL, shrinks=True)
        return Call(request, decoding.polled)

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
        """One slice of the matching events (§4.3)."""
        shape = ("format", "json_full" if full else "json")
        skipped = (("skip_count", flag(True)),) if skip_count else ()
        query = (*_filter(chosen), *sort_query(sort), *page_query(limit, offset), shape, *skipped)
        request = Request("GET", _LIST, query, largest=_LARGEST_LIST, shrinks=True)
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
        """One slice of the matching events as a CSV file with its header line (§4.3)."""
        query = (*_filter(chosen), *sort_query(sort), *page_query(limit, offset), ("format", "csv"))
        query += csv_query(options, guard=guard)
        request = Request("GET", _LIST, query, largest=_LARGEST_LIST, largest_file=_LARGEST_FILE)
        return Call(request, responses.file)

    def insert_event(self, attributes: Mapping[str, object]) -> Call[Event]:
        """Writes an event (§4.4); attributes that are None are left out."""
        body = {name: value for name, value in attributes.items() if value is not None}
        return Call(post_json(_EVENT, body), decoding.event)

    def delete_events(self, ids: Sequence[int]) -> Call[int | None]:
        """Deletes exactly these events (§4.5, ID mode)."""
        body = msgspec.json.encode([int(one) for one in ids])
        request = Request("DELETE", _EVENT, body=body, content_type="application/json")
        return Call(request, responses.count)

    def delete_event(self, event_id: int) -> Call[None]:
        """Deletes an event, if there is one (§4.5, ID mode)."""
        return Call(self.delete_events([event_id]).request, responses.nothing)

    def read_schema(self, version: int | str) -> Call[dict[str, object]]:
        """The document of ``version``: a number, HEAD or CURRENT (§4.6)."""
        return Call(_read(version, "json"), responses.json_mapping)

    def read_schema_file(self, version: int | str, kind: str) -> Call[bytes]:
        """The file of ``version`` as xml, svg or png (§4.6)."""
        return Call(_read(version, kind), responses.file)

    def update_schema(self, document: Mapping[str, object]) -> Call[dict[str, object]]:
        """Saves ``document`` as HEAD; the response is the stored document (§4.7)."""
        request = replace(post_json(f"{_SCHEMA}user/HEAD", document), largest=_LARGEST)
        return Call(request, responses.json_mapping)

    def commit_schema(
        self, *, reindex_generate_events: bool, answers: Mapping[str, str]
    ) -> Call[tuple[CommitQuestion, ...]]:
        """Makes HEAD the current version (§4.8), without questions."""
        flags = {"reindex_generate_events": "1"} if reindex_generate_events else {}
        query = tuple({**answers, **flags}.items())
        return Call(
            Request("POST", f"{_SCHEMA}commit", query, timeout_factor=_COMMIT_TIMEOUT_FACTOR), _committed
        )

    def plan_schema(self) -> Call[dict[str, object]]:
        """The steps of a commit of HEAD; not every service knows this call."""
        request = Request(
            "GET", f"{_SCHEMA}user/HEAD/plan", timeout_factor=_PLAN_TIMEOUT_FACTOR, largest=_LARGEST
        )
        return Call(request, responses.json_mapping)

    def count_all_objects(self) -> None:
        """The interface has no call that counts objects."""

    def count_objects(self, table: int) -> None:
        """The interface has no call that counts objects."""

    def read_object(self, objecttype: str, object_id: int, version: int | None) -> Call[ObjectVersion | None]:
        """An object in a version, None for the newest one; not every service knows this call."""
        query = () if version is None else (("version", f"{version:d}"),)
        request = Request("GET", f"{API}db/{segment(objecttype)}/_all_fields/{object_id:d}", query)
        decode = partial(decoding.object_version, objecttype=objecttype, object_id=object_id, version=version)
        return Call(request, decode)

    def config(self) -> Call[dict[str, object]]:
        """The base configuration."""
        return Call(Request("GET", f"{API}config/list"), responses.json_mapping)

    def l10n(self, version: int | str) -> Call[dict[str, object]]:
        """The localised names of a schema version."""
        request = Request("GET", f"{API}l10n/user/{segment(version)}", largest=128 * MEGABYTE)
        return Call(request, responses.json_mapping)

    def update_l10n(self, keys: Mapping[str, object]) -> Call[None]:
        """Replaces the localised names of HEAD."""
        return Call(post_json(f"{API}l10n/user/HEAD", keys), responses.nothing)

    def masks(self, version: int | str) -> None:
        """The interface has no call for masks."""

    def server_errors(self, uuid: str) -> tuple[Call[ServerErrorDetails], ...]:
        """Details of a server error at the contract's address (§7.1), and at the vendor's (wire §8)."""
        requests = (
            Request("GET", "api/server/error", (("uuid", uuid),)),
            Request("GET", f"{API}plugin/base/server/error/{segment(uuid)}"),
        )
        return tuple(Call(request, partial(server_error, uuid=uuid)) for request in requests)

    def fault_injection(self) -> Call[FaultInjection]:
        """The faults that the reference server injects; no other service knows this call."""
        return Call(Request("GET", f"{API}chaos"), decoding.fault_injection)

    def inject_faults(self, settings: Mapping[str, object]) -> Call[FaultInjection]:
        """Sets the faults that the reference server injects; empty settings end them."""
        body = msgspec.json.encode(settings)
        request = Request("PUT", f"{API}chaos", body=body, content_type="application/json")
        return Call(request, decoding.fault_injection)


def _filter(chosen: EventFilter) -> Query:
    if chosen.ids or chosen.objecttype or chosen.object_id:
        raise ValueError("the service has no filters of ids and objects")
    return filter_query(chosen)


def _committed(answer: Response) -> tuple[CommitQuestion, ...]:
    responses.nothing(answer)
    return ()


def _read(version: int | str, kind: str) -> Request:
    return Request("GET", f"{_SCHEMA}user/{segment(version)}", (("format", kind),), largest=_LARGEST)
