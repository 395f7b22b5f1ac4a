"""What differs between the generations of the service: its calls, and what it offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from cdb_desktop.client import decoding
from cdb_desktop.client.query import CsvOptions, EventFilter, Sort
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
from cdb_desktop.client.request import API, Call, Request

Result = TypeVar("Result")

SETTINGS: Call[Settings] = Call(Request("GET", f"{API}settings", signed=False), decoding.settings)


class Dialect(Protocol):
    """The calls of one generation as values: a request, and the function that decodes the response."""

    most_deleted: int

    def capabilities(self, version: str, solution: str) -> Capabilities:
        """What a service offers."""

    def read_session(self, token: str) -> Call[Session]:
        """The session of ``token``."""

    def read_event(self, event_id: int) -> Call[Event]:
        """A full event."""

    def poll_events(self, last_max_id: int | None, limit: int) -> Call[Polled]:
        """Events newer than ``last_max_id``; a limit of 0 means 1000."""

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
        """One slice of the matching events."""

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
        """One slice of the matching events as a CSV file with its header line."""

    def insert_event(self, attributes: Mapping[str, object]) -> Call[Event]:
        """Writes an event; attributes that are None are left out."""

    def delete_events(self, ids: Sequence[int]) -> Call[int | None]:
        """Deletes exactly these events, at most ``most_deleted``; how many existed, None if unknown."""

    def delete_event(self, event_id: int) -> Call[None]:
        """Deletes an event. Its decoder raises NotFoundError where there is none, if the service says so."""

    def read_schema(self, version: int | str) -> Call[dict[str, object]]:
        """The document of ``version``: a number, HEAD or CURRENT."""

    def read_schema_file(self, version: int | str, kind: str) -> Call[bytes]:
        """The file of ``version`` as xml, svg or png."""

    def update_schema(self, document: Mapping[str, object]) -> Call[dict[str, object]]:
        """Saves ``document`` as HEAD; the response is the stored document."""

    def commit_schema(
        self, *, reindex_generate_events: bool, answers: Mapping[str, str]
    ) -> Call[tuple[CommitQuestion, ...]]:
        """Makes HEAD the current version, or returns questions that ``answers`` has to answer before."""

    def plan_schema(self) -> Call[dict[str, object]] | None:
        """The steps of a commit of HEAD; None if the service has no such call."""

    def count_all_objects(self) -> Call[dict[str, int]] | None:
        """The number of objects in each objecttype; None if the service has no such call."""

    def count_objects(self, table: int) -> Call[int | None] | None:
        """The number of objects in an objecttype by its id, None if unknown; None without such a call."""

    def read_object(self, objecttype: str, object_id: int, version: int | None) -> Call[ObjectVersion | None]:
        """An object in a version, None for the newest one."""

    def config(self) -> Call[dict[str, object]]:
        """The base configuration."""

    def l10n(self, version: int | str) -> Call[dict[str, object]]:
        """The localised names of a schema version."""

    def update_l10n(self, keys: Mapping[str, object]) -> Call[None]:
        """Replaces the localised names of HEAD."""

    def masks(self, version: int | str) -> Call[dict[str, object]] | None:
        """The masks of a schema version; None if the service has no such call."""

    def server_errors(self, uuid: str) -> tuple[Call[ServerErrorDetails], ...]:
        """Details of a server error, at each address that it may have."""

    def fault_injection(self) -> Call[FaultInjection]:
        """The faults that the reference server injects; no other service knows this call."""

    def inject_faults(self, settings: Mapping[str, object]) -> Call[FaultInjection]:
        """Sets the faults that the reference server injects; empty settings end them."""


Build = Callable[[Dialect], Call[Result]]  # makes a call for the dialect of the service
