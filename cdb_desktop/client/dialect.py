"""What differs between the generations of the service, and the calls that both have."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import msgspec

from cdb_desktop.client import decoding, responses
from cdb_desktop.client.query import CsvOptions, EventFilter, Sort, page_query, sort_query
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
    Settings,
)
from cdb_desktop.client.request import API, MEGABYTE, Call, Method, Query, Request, Response, segment

Result = TypeVar("Result")

SETTINGS: Call[Settings] = Call(Request("GET", f"{API}settings", signed=False), decoding.settings)
LARGEST = 128 * MEGABYTE  # of a schema document
_MOST_POLLED = 1000  # events
_LARGEST_LIST, _LARGEST_POLL = 64 * MEGABYTE, 16 * MEGABYTE
_LARGEST_FILE = 1024 * MEGABYTE  # streamed


class Dialect(ABC):
    """The calls of one generation as values: a request, and the function that decodes the response.

    What only one generation has is None or empty here, unless the other one has something else in its place.

    ``most_deleted`` is the number of events that a call can delete, ``bearer`` whether the token travels in a
    header, ``json_format`` what is asked for with a schema document.
    """

    most_deleted: int
    bearer: bool
    json_format: Query

    def request(self, method: Method, path: str, query: Query = ()) -> Request:
        """A call of the interface with the token."""
        return Request(method, f"{API}{path}", query, bearer=self.bearer)

    def sent(self, method: Method, path: str, document: object) -> Request:
        """A call with ``document`` as JSON body."""
        body = msgspec.json.encode(document)
        return replace(self.request(method, path), body=body, content_type="application/json")

    @abstractmethod
    def capabilities(self, version: str, solution: str) -> Capabilities:
        """What a service offers."""

    @abstractmethod
    def read_session(self, token: str) -> Call[Session]:
        """The session of ``token``."""

    # Events

    def read_event(self, event_id: int) -> Call[Event]:
        """A full event (§4.1)."""
        return Call(self.request("GET", f"event/{event_id:d}"), decoding.event)

    def poll_events(self, last_max_id: int | None, limit: int) -> Call[Polled]:
        """Events newer than ``last_max_id`` (§4.2); a limit of 0 means 1000."""
        request = self.request("GET", self.poll_path(last_max_id), (("limit", str(limit or _MOST_POLLED)),))
        return Call(replace(request, largest=_LARGEST_POLL, shrinks=True), decoding.polled)

    @abstractmethod
    def poll_path(self, last_max_id: int | None) -> str:
        """Where events after an id are polled, or from the beginning."""

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
        query = (*self._slice(chosen, sort, limit, offset), *self.list_form(full=full, skip_count=skip_count))
        request = replace(self.request("GET", "event/list", query), largest=_LARGEST_LIST, shrinks=True)
        return Call(request, partial(decoding.page, limit=limit, offset=offset))

    @abstractmethod
    def list_form(self, *, full: bool, skip_count: bool) -> Query:
        """What is asked for of a slice as records."""

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
        form = (("format", "csv"), *self.csv_form(options, guard=guard))
        request = self.request("GET", "event/list", (*self._slice(chosen, sort, limit, offset), *form))
        return Call(replace(request, largest=_LARGEST_LIST, largest_file=_LARGEST_FILE), responses.file)

    def csv_form(self, options: CsvOptions, *, guard: bool) -> Query:
        """What is asked for of a slice as CSV; empty if the service has its own form."""
        return ()

    def _slice(self, chosen: EventFilter, sort: Sequence[Sort], limit: int, offset: int) -> Query:
        return (*self.filters(chosen), *sort_query(sort), *page_query(limit, offset))

    @abstractmethod
    def filters(self, chosen: EventFilter) -> Query:
        """The parameters of a filter. Raises ValueError for one that the service does not have."""

    def insert_event(self, attributes: Mapping[str, object]) -> Call[Event]:
        """Writes an event (§4.4); attributes that are None are left out."""
        given = {name: value for name, value in attributes.items() if value is not None}
        return Call(self.sent("POST", "event", self.inserted(given)), decoding.event)

    @abstractmethod
    def inserted(self, attributes: Mapping[str, object]) -> Mapping[str, object]:
        """The body with the attributes of an event."""

    @abstractmethod
    def delete_events(self, ids: Sequence[int]) -> Call[int | None]:
        """Deletes exactly these events, at most ``most_deleted``; how many existed, None if unknown."""

    @abstractmethod
    def delete_event(self, event_id: int) -> Call[None]:
        """Deletes an event. Its decoder raises NotFoundError where there is none, if the service says so."""

    # Schema and objects

    def read_schema(self, version: int | str) -> Call[dict[str, object]]:
        """The document of ``version``: a number, HEAD or CURRENT (§4.6)."""
        return Call(self._version("schema", version, self.json_format), responses.json_mapping)

    def read_schema_file(self, version: int | str, kind: str) -> Call[bytes]:
        """The file of ``version`` as xml, svg or png (§4.6)."""
        return Call(self._version("schema", version, (("format", kind),)), responses.file)

    def _version(self, what: str, version: int | str, query: Query = ()) -> Request:
        return replace(self.request("GET", f"{what}/user/{segment(version)}", query), largest=LARGEST)

    def update_schema(self, document: Mapping[str, object], if_match: str = "") -> Call[dict[str, object]]:
        """Saves ``document`` as HEAD; the response is the stored document (§4.7)."""
        request = self.sent("POST", "schema/user/HEAD", document)
        request = replace(request, largest=LARGEST, if_match=if_match)
        return Call(request, responses.json_mapping)

    def commit_schema(
        self, *, reindex_generate_events: bool, answers: Mapping[str, str]
    ) -> Call[tuple[CommitQuestion, ...]]:
        """Makes HEAD the current version, or returns questions that ``answers`` has to answer before."""
        query = tuple(
            {**answers, **self.commit_form(reindex_generate_events=reindex_generate_events)}.items()
        )
        # A commit rebuilds tables with data, which may take long.
        request = replace(self.request("POST", "schema/commit", query), timeout_factor=math.inf)
        return Call(request, self.questions)

    def commit_form(self, *, reindex_generate_events: bool) -> Mapping[str, str]:
        """The parameters of a commit beside answers."""
        return {}

    @staticmethod
    def questions(answer: Response) -> tuple[CommitQuestion, ...]:
        """The questions in the answer to a commit, none if it took place."""
        responses.nothing(answer)
        return ()

    def plan_schema(self) -> Call[dict[str, object]] | None:
        """The steps of a commit of HEAD; None if the service has no such call."""
        return None

    def count_all_objects(self) -> Call[dict[str, int]] | None:
        """The number of objects in each objecttype; None if the service has no such call."""
        return None

    def count_objects(self, table: int) -> Call[int | None] | None:
        """The number of objects in an objecttype by its id, None if unknown; None without such a call."""
        return None

    def read_object(self, objecttype: str, object_id: int, version: int | None) -> Call[ObjectVersion | None]:
        """An object in a version, None for the newest one; not every service knows this call."""
        query = () if version is None else (("version", f"{version:d}"),)
        request = self.request("GET", f"db/{segment(objecttype)}/_all_fields/{object_id:d}", query)
        decode = partial(decoding.object_version, objecttype=objecttype, object_id=object_id, version=version)
        return Call(request, decode)

    @abstractmethod
    def config(self) -> Call[dict[str, object]]:
        """The base configuration, or the part of it that a user may know."""

    def l10n(self, version: int | str) -> Call[dict[str, object]]:
        """The localised names of a schema version."""
        return Call(self._version("l10n", version), responses.json_mapping)

    def update_l10n(self, keys: Mapping[str, object]) -> Call[None]:
        """Replaces all localised names of HEAD: keys that are left out are cleared."""
        return Call(self.sent("POST", "l10n/user/HEAD", keys), responses.nothing)

    def masks(self, version: int | str) -> Call[dict[str, object]] | None:
        """The masks of a schema version; None if the service has no such call."""
        return None

    # Errors and faults

    def server_errors(self, uuid: str) -> tuple[Call[ServerErrorDetails], ...]:
        """Details of a server error, at each address that it may have."""
        return ()

    def fault_injection(self) -> Call[FaultInjection]:
        """The faults that the reference server injects; no other service knows this call."""
        return Call(self.request("GET", "chaos"), decoding.fault_injection)

    def inject_faults(self, settings: Mapping[str, object]) -> Call[FaultInjection]:
        """Sets the faults that the reference server injects; empty settings end them."""
        return Call(self.sent("PUT", "chaos", settings), decoding.fault_injection)


Build = Callable[[Dialect], Call[Result]]  # makes a call for the dialect of the service
