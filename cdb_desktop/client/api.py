"""The client: a coroutine for each call of the interface, and the session that signs them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import msgspec

from cdb_desktop.client import responses
from cdb_desktop.client.backoff import Backoff, kind_of, may_pass
from cdb_desktop.client.dialect import SETTINGS
from cdb_desktop.client.errors import (
    ClientError,
    ProxyLoginError,
    ServiceError,
    SessionLostError,
    SlowAnswerError,
    TooLargeError,
)
from cdb_desktop.client.exchange import Exchange, RequestForm, Watch, decoded, request_text, watched
from cdb_desktop.client.generation5.calls import Calls as SessionCalls
from cdb_desktop.client.network import NetworkOptions, ProxyLogin
from cdb_desktop.client.query import CsvOptions, EventFilter, Sort
from cdb_desktop.client.records import (
    Capabilities,
    Event,
    EventPage,
    FaultInjection,
    Instance,
    ObjectVersion,
    Polled,
    Record,
    ServerErrorDetails,
    Session,
    Settings,
    Unreadable,
)
from cdb_desktop.client.redaction import MaskingWriter, known_secrets
from cdb_desktop.client.request import MEGABYTE, Call, Parts, Request, Response
from cdb_desktop.client.transport import Transport, Wire

Result = TypeVar("Result")

AskProxyLogin = Callable[[ProxyLoginError], Awaitable[ProxyLogin]]

_ALL = EventFilter()
_PLAIN_CSV = CsvOptions()
_ENDLESS = 10.0  # seconds between calls whose answers have no end
_MOST_IN_PARTS = 64 * MEGABYTE  # bytes of all responses of a page that is read in parts
_HALVINGS = 4  # of the limit, in a row, before single records are requested
_UNKNOWN_CALL, _NOT_FOUND = "error.api.invalid_api", 404


class Client:
    """An asynchronous client of one Content Database Service.

    >>> async def newest(url):
    ...     async with Client(url) as client:
    ...         session = await client.authenticate("root", "admin")
    ...         page = await client.list_events(EventFilter(date_from=date(2000, 1, 1)), limit=3)
    ...         return session.user.login, len(page.events)
    >>> asyncio.run(newest(url))
    ('root', 3)

    Every method raises a ClientError (see errors.py), and none repeats a call that may have had an effect.
    ``timeout`` is in seconds for each step of a call; commit_schema has none.
    """

    def __init__(
        self,
        base_url: str,
        timeout: float = 30.0,
        transport: Wire | None = None,
        *,
        backs_off: bool = False,
        network: NetworkOptions | None = None,
    ) -> None:
        """Opens no connection. Raises UnreachableError for an invalid address.

        ``backs_off``: while the service fails, calls wait (see `Backoff`). ``network``: proxy and
        certificates, by default those of the system. For an https address certificates are read here, which
        blocks for up to 50 ms. Raises NetworkOptionsError.
        """
        self._transport = Transport(base_url, timeout=timeout, wire=transport, network=network)
        self._backoff = Backoff() if backs_off else None
        self._calls = SessionCalls()
        self._session: Session | None = None
        self._sign_ins = self._unproven_sign_ins = 0
        self._renew: Callable[[], Awaitable[object]] | None = None
        self._proxy_login: AskProxyLogin | None = None
        self._watch: Watch | None = None
        self._too_large: set[str] = set()  # kinds of calls whose smallest response is too large
        self._answered_at: dict[str, float] = {}  # time of the last response by kind of call
        self._in_turn = asyncio.Lock()  # for reading a page in parts

    def __repr__(self) -> str:
        return f"Client({self._transport.address!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections. The session stays valid until it expires."""
        await self._transport.close()

    @property
    def pause(self) -> float:
        """Seconds until the next automatic try at a failing service; 0 while it does not fail."""
        return self._backoff.pause if self._backoff is not None else 0.0

    def try_now(self) -> None:
        """Lets the next call to a failing service through at once."""
        if self._backoff is not None:
            self._backoff.try_now()

    @property
    def unproven_sign_ins(self) -> int:
        """The number of sign-ins since a call of a session was last accepted."""
        return self._unproven_sign_ins

    @property
    def address(self) -> str:
        """The address of the service, without secrets."""
        return self._transport.address

    @property
    def session(self) -> Session | None:
        """The session as last read, None before the first."""
        return self._session

    @property
    def capabilities(self) -> Capabilities:
        """What the service offers; all that its generation may offer while its version is unknown."""
        instance = self._session.instance if self._session is not None else Instance()
        return self._calls.capabilities(instance.server_version, instance.solution)

    def renew_with(self, renew: Callable[[], Awaitable[object]]) -> None:
        """Awaits ``renew`` when a call has lost its session, then repeats the call once.

        ``renew`` signs in again with `authenticate`; what it raises is raised by the call. Several calls may
        wait for it at the same time. A call refused for its session has had no effect.
        """
        self._renew = renew

    def proxy_login_with(self, ask: AskProxyLogin) -> None:
        """Awaits ``ask`` when the proxy requires a login, then repeats the call.

        ``ask`` gets the error and returns the login; what it raises is raised by the call. Several calls may
        wait for it at the same time. A call refused by the proxy has had no effect.
        """
        self._proxy_login = ask

    def watch_with(self, watch: Watch | None) -> None:
        """Calls ``watch`` with every finished exchange; None for no watcher."""
        self._watch = watch

    async def start_session(self) -> Session:
        """Starts a new session, not signed in, and signs later calls with it (wire §2)."""
        return await self._enter(self._calls.start_session())

    async def read_session(self) -> Session:
        """Reads the session again, or starts one if there is none (wire §2).

        A session that was signed out elsewhere counts as lost: most calls refuse it, but a poll returns
        nothing without an error (§4.2).
        """
        if self._session is None:
            return await self.start_session()
        self._session = await self._repeated(self._read_session)
        return self._session

    async def authenticate(self, login: str, password: str, method: str = "easydb") -> Session:
        """Signs in, in a new session if there is none or it is lost. Raises LoginRefusedError."""
        if self._token:
            try:
                return await self._sign_in(login, password, method)
            except SessionLostError:
                pass
        await self.start_session()
        return await self._sign_in(login, password, method)

    async def deauthenticate(self) -> Session:
        """Signs out; the session continues without a user (wire §2)."""
        return await self._enter(self._calls.deauthenticate(self._token))

    async def event(self, event_id: int) -> Event:
        """One complete event (§4.1). Raises NotFoundError."""
        return await self._run(self._calls.read_event(event_id))

    async def poll(self, last_max_id: int | None = None, limit: int = 0) -> Polled:
        """Pollable events newer than ``last_max_id`` by ascending id, at most 1000 (§4.2).

        None means the session's current_max_event_id, the lowest cursor; limit 0 means 1000. Returns
        fewer events if they are too large together. Raises TooLargeError if a single one is.
        """
        async with self._shrinking(self._calls.poll_events(last_max_id, 1)):
            while True:
                try:
                    return await self._run(self._calls.poll_events(last_max_id, limit))
                except TooLargeError as error:
                    if limit == 1 or error.is_bomb:
                        raise
                    limit = max((limit or 1000) // 4, 1)

    async def list_events(
        self,
        filter: EventFilter = _ALL,  # noqa: A002
        *,
        sort: Sequence[Sort] = (),
        limit: int = 1000,
        offset: int = 0,
        full: bool = False,
        skip_count: bool = False,
    ) -> EventPage:
        """A slice of at most 1000 of the matching events, newest first unless ``sort`` is given (§4.3).

        ``full`` records have all fields (since 5.140); ``skip_count`` leaves out the count (since 5.139).
        """

        def call(limit: int, offset: int, *, counts: bool) -> Call[EventPage]:
            return self._calls.list_events(filter, sort, limit, offset, full=full, skip_count=not counts)

        async with self._shrinking(call(1, offset, counts=False)):
            try:
                return await self._run(call(limit, offset, counts=not skip_count))
            except TooLargeError as error:
                if limit <= 1 or error.is_bomb:
                    raise
            # One page at a time, to limit the memory.
            async with self._in_turn:
                return await self._in_parts(call, limit, offset, counts=not skip_count)

    def listing_text(
        self,
        form: RequestForm,
        filter: EventFilter,  # noqa: A002
        sort: Sequence[Sort] = (),
        *,
        limit: int = 1000,
        full: bool = False,
    ) -> str:
        """The call that lists the matching events from the first on, as text for another program."""
        call = self._calls.list_events(filter, sort, limit, 0, full=full, skip_count=False)
        return request_text(form, self.address, call.request)

    async def list_csv(
        self,
        filter: EventFilter = _ALL,  # noqa: A002
        csv: CsvOptions = _PLAIN_CSV,
        *,
        sort: Sequence[Sort] = (),
        limit: int = 1000,
        offset: int = 0,
    ) -> bytes:
        """A slice of at most 1000 of the matching events as CSV with a header line (§4.3)."""
        return await self._run(self._calls.list_csv(filter, csv, sort, limit, offset))

    async def stream_csv(
        self,
        write: Callable[[bytes], object],
        filter: EventFilter = _ALL,  # noqa: A002
        csv: CsvOptions = _PLAIN_CSV,
        *,
        sort: Sequence[Sort] = (),
        limit: int = 1000,
        offset: int = 0,
        guard: bool = False,
    ) -> int:
        """Like `list_csv`, but passes the file to ``write`` in pieces; returns its size in bytes.

        ``guard`` escapes formulas, if the service can. The session token is masked.
        Nothing is written unless the response is a file; after an error a part of it may have been. Also
        raises the OSError of ``write``.
        """
        writer = MaskingWriter(write, (self._token,))

        def take(data: bytes) -> None:
            try:
                writer.write(data)
            except OSError as error:
                raise _WriteError(error) from error  # to distinguish it from network errors

        call = self._calls.list_csv(filter, csv, sort, limit, offset, guard=guard)
        try:
            await self._run(Call(replace(call.request, sink=take), responses.streamed))
        except _WriteError as error:
            raise error.cause from None
        writer.end()
        return writer.size

    async def insert_event(
        self,
        type: str,  # noqa: A002
        *,
        info: Mapping[str, object] | None = None,
        object_id: int | None = None,
        object_version: int | None = None,
        objecttype: str | None = None,
        pollable: bool | None = None,
    ) -> Event:
        """Writes a SEARCH or DETAIL_VIEW event and returns the full record (§4.4).

        ``pollable`` is an addition of the reference server; other services may refuse it.
        """
        attributes = {
            "type": type,
            "info": info,
            "object_id": object_id,
            "object_version": object_version,
            "objecttype": objecttype,
            "pollable": pollable,
        }
        return await self._run(self._calls.insert_event(attributes))

    async def delete_events(self, ids: Sequence[int]) -> int:
        """Deletes the events with these ids and returns how many existed (§4.5, ID mode)."""
        # Never sends an empty list, which a service could take for an empty filter.
        return await self._run(self._calls.delete_events(ids)) if ids else 0

    async def schema(self, version: int | str = "HEAD") -> dict[str, object]:
        """The schema document of a number, HEAD or CURRENT (§4.6, wire §5). Raises NotFoundError."""
        return await self._run(self._calls.read_schema(version))

    async def schema_file(self, version: int | str, format: Literal["xml", "svg", "png"]) -> bytes:  # noqa: A002
        """The schema as the service renders it (§4.6). Raises NotFoundError."""
        return await self._run(self._calls.read_schema_file(version, format))

    async def update_schema(self, document: Mapping[str, object]) -> dict[str, object]:
        """Saves HEAD and returns it with generated ids (§4.7).

        Raises VersionMismatchError, MissingRightError.
        """
        return await self._run(self._calls.update_schema(document))

    async def schema_plan(self) -> dict[str, object] | None:
        """What a commit of HEAD would do to the data; None if the service does not know this call."""
        try:
            return await self._run(self._calls.plan_schema())
        except ServiceError as error:
            if error.code == _UNKNOWN_CALL or error.status == _NOT_FOUND:
                return None
            raise

    async def commit_schema(self, *, reindex_generate_events: bool = False) -> None:
        """Makes HEAD the current version and changes the database (§4.8). Raises MissingRightError."""
        await self._run(self._calls.commit_schema(reindex_generate_events=reindex_generate_events))

    async def object_version(
        self, objecttype: str, object_id: int, version: int | None = None
    ) -> ObjectVersion | None:
        """An object in one of its versions, by default the newest one.

        None if the service does not offer it: the interface does not describe this call. Raises
        MissingRightError, NotFoundError.
        """
        return await self._run(self._calls.read_object(objecttype, object_id, version))

    async def settings(self) -> Settings:
        """Name and version of the service, read without a session (wire §6)."""
        return await self._send(SETTINGS)

    async def config(self) -> dict[str, object]:
        """The base configuration (wire §6)."""
        return await self._run(self._calls.config())

    async def l10n(self, version: int | str = "HEAD") -> dict[str, object]:
        """The localised names of a schema version: key to language to text (wire §5, §6)."""
        return await self._run(self._calls.l10n(version))

    async def update_l10n(self, keys: Mapping[str, object]) -> None:
        """Replaces the localised names of HEAD (wire §6)."""
        await self._run(self._calls.update_l10n(keys))

    async def server_error(self, uuid: str) -> ServerErrorDetails:
        """The details of a ServerError, from either address (§7.1, wire §8)."""
        try:
            return await self._run(self._calls.server_error(uuid))
        except ClientError as error:
            if not responses.is_unknown_address(error):
                raise
        return await self._run(self._calls.vendor_server_error(uuid))

    async def fault_injection(self) -> FaultInjection:
        """The faults that a reference server injects that was started with ``--chaos``."""
        return await self._run(self._calls.fault_injection())

    async def inject_faults(
        self, rate: float, faults: Sequence[str] | None = None, *, seed: int = 0
    ) -> FaultInjection:
        """Lets that server inject random faults from now on; see `FaultInjection` for the arguments.

        ``rate`` 0 ends all faults.
        """
        settings = {"rate": rate, "seed": seed, "faults": None if faults is None else list(faults)}
        return await self._run(self._calls.inject_faults(settings if rate else {}))

    @property
    def _token(self) -> str:
        return self._session.token if self._session else ""

    async def _enter(self, call: Call[Session]) -> Session:
        self._session = await self._send(call)
        known_secrets.add(self._session.token)
        return self._session

    async def _sign_in(self, login: str, password: str, method: str) -> Session:
        known_secrets.add(password)
        session = await self._enter(self._calls.authenticate(self._token, login, password, method))
        self._sign_ins += 1
        self._unproven_sign_ins += 1
        return session

    async def _read_session(self) -> Session:
        # Built for each attempt, since the token changes.
        session = await self._send(self._calls.read_session(self._token))
        was_signed_in = self._session is not None and self._session.authenticated
        if was_signed_in and not session.authenticated and session.user is None:
            raise SessionLostError("user", "error.user.not_authenticated", status=400)
        return session

    @asynccontextmanager
    async def _shrinking(self, smallest: Call[Any]) -> AsyncIterator[None]:
        """A block that repeats a call with smaller limits while the response is too large.

        The back-off counts it as one try. After a block has failed, the next one starts with the ``smallest``
        call, so that endless responses of a service are not requested repeatedly.
        """
        kind, began = kind_of(smallest.request.path), time.monotonic()
        try:
            if kind in self._too_large:
                await self._run(smallest)
            yield
        except TooLargeError as error:
            if began > self._answered_at.get(kind, float("-inf")):
                self._too_large.add(kind)
                if self._backoff is not None:
                    self._backoff.failed(kind, error, began, hold=_ENDLESS)
            raise

    async def _in_parts(
        self, call: Callable[..., Call[EventPage]], limit: int, offset: int, *, counts: bool
    ) -> EventPage:
        """Reads a page that is too large in smaller parts; a single record that is too large is unreadable.

        Raises TooLargeError, also if all parts together are larger than a page may be.
        """
        records: list[Record] = []
        step, size, count, failures = limit // 2, 0, None, 1
        while len(records) < limit:
            asked = max(min(step, limit - len(records)), 1)
            sized = _Sized(call(asked, offset + len(records), counts=counts and count is None))
            request = sized.call.request
            if asked > 1:
                request = replace(request, largest=min(request.largest, _MOST_IN_PARTS - size))
            try:
                part = await self._run(Call(request, sized.decode))
            except TooLargeError as error:
                if error.is_bomb:
                    raise
                failures += 1
                if asked == 1 and records and isinstance(records[-1], Unreadable):
                    raise  # many large records, or the service ignores the limit
                if asked == 1:
                    records.append(Unreadable("too_large"))
                step = max(asked // 2, 1) if failures < _HALVINGS else 1
                continue
            failures = 0
            count = part.count if count is None else count
            records += part.records
            size += sized.size
            if size > _MOST_IN_PARTS:
                raise TooLargeError(_MOST_IN_PARTS)
            if len(part.records) < asked:
                break
            # Usually only a few records are large.
            step = min(2 * step, limit // 2)
        events = tuple(one for one in records if isinstance(one, Event))
        unreadable = tuple(
            msgspec.structs.replace(one, place=place)
            for place, one in enumerate(records)
            if isinstance(one, Unreadable)
        )
        return EventPage(events, count, limit, offset, unreadable)

    async def _run(self, call: Call[Result]) -> Result:
        if not call.request.signed:
            return await self._send(call)
        return await self._repeated(lambda: self._send(call))

    async def _repeated(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        sign_ins = self._sign_ins
        try:
            return await self._proven(attempt)
        except SessionLostError:
            if self._renew is None:
                raise
            # Another call may have signed in meanwhile.
            if self._sign_ins == sign_ins:
                await self._renew()
        return await self._proven(attempt)

    async def _proven(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        result = await attempt()
        self._unproven_sign_ins = 0
        return result

    async def _send(self, call: Call[Result]) -> Result:
        backoff, kind = self._backoff, kind_of(call.request.path)
        if backoff is None:
            return self._note_answer(kind, await self._perform(call))
        await backoff.permit(kind)
        sent = time.monotonic()
        try:
            result = await self._perform(call)
        except ClientError as error:
            if isinstance(error, TooLargeError) and call.request.shrinks:
                pass  # reported by `_shrinking`
            elif may_pass(error):
                backoff.failed(kind, error, sent)
            elif not isinstance(error, SlowAnswerError):
                backoff.succeeded(kind)  # a refusal is a response
            raise
        backoff.succeeded(kind)
        return self._note_answer(kind, result)

    def _note_answer(self, kind: str, result: Result) -> Result:
        self._answered_at[kind] = time.monotonic()
        self._too_large.discard(kind)
        return result

    async def _perform(self, call: Call[Result]) -> Result:
        if self._watch is not None:
            return await watched(call, self._deliver, self._report_exchange)
        return await decoded(call, await self._deliver(call.request))

    def _report_exchange(self, exchange: Exchange) -> None:
        # It may have been removed meanwhile.
        if self._watch is not None:
            self._watch(exchange)

    async def _deliver(self, request: Request) -> Response:
        transport = self._transport
        while True:
            login = transport.proxy_login
            try:
                return await transport.send(request, self._token)
            except ProxyLoginError as error:
                if self._proxy_login is None:
                    raise
                # Another call may have signed in meanwhile.
                if transport.proxy_login == login:
                    transport.use_proxy_login(await self._proxy_login(error))


class _WriteError(Exception):
    """Streamed data cannot be written."""

    def __init__(self, cause: OSError) -> None:
        super().__init__()
        self.cause = cause


class _Sized:
    """Decodes the response of a call and stores its size in bytes."""

    def __init__(self, call: Call[EventPage]) -> None:
        self.call = call
        self.size = 0

    def decode(self, answer: Response) -> EventPage | Parts[EventPage]:
        self.size = len(answer.body)
        return self.call.decode(answer)
