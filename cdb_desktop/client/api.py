"""The client: a coroutine for each call of the interface, and the session that signs them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import msgspec

from cdb_desktop.client import responses
from cdb_desktop.client.backoff import Backoff, kind_of, may_pass
from cdb_desktop.client.dialect import SETTINGS, Build, Dialect
from cdb_desktop.client.errors import (
    AnswerError,
    ApiError,
    ClientError,
    NotFoundError,
    ProxyLoginError,
    ServiceError,
    SessionLostError,
    SlowAnswerError,
    TooLargeError,
)
from cdb_desktop.client.exchange import Exchange, RequestForm, Watch, decoded, request_text, watched
from cdb_desktop.client.generation5.calls import Generation5
from cdb_desktop.client.generation6.calls import Generation6
from cdb_desktop.client.generation6.sign_in import Endpoints, OAuthClient, Tokens
from cdb_desktop.client.generation6.stream import EventStream, open_stream
from cdb_desktop.client.generation6.token_lifecycle import TokenLifecycle, nothing_kept
from cdb_desktop.client.network import NetworkOptions, ProxyLogin
from cdb_desktop.client.query import CsvOptions, EventFilter, Sort, ranges_of
from cdb_desktop.client.records import (
    Capabilities,
    CommitQuestion,
    Event,
    EventPage,
    FaultInjection,
    Instance,
    ObjectVersion,
    Polled,
    ServerErrorDetails,
    Session,
    Settings,
)
from cdb_desktop.client.redaction import MaskingWriter, known_secrets
from cdb_desktop.client.request import Call, Request, Response
from cdb_desktop.client.several_calls import newest_id, read_in_parts
from cdb_desktop.client.transport import Transport, Wire

Result = TypeVar("Result")

AskProxyLogin = Callable[[ProxyLoginError], Awaitable[ProxyLogin]]

_ALL = EventFilter()
_PLAIN_CSV = CsvOptions()
_ENDLESS = 10.0  # seconds between calls whose answers have no end
_UNKNOWN_CALL, _NOT_FOUND = "error.api.invalid_api", 404
_GENERATION_5, _GENERATION_6 = Generation5(), Generation6()


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
        oauth: OAuthClient | None = None,
    ) -> None:
        """Opens no connection. Raises UnreachableError for an invalid address.

        ``backs_off``: while the service fails, calls wait (see `Backoff`). ``network``: proxy and
        certificates, by default those of the system. For an https address certificates are read here, which
        blocks for up to 50 ms. ``oauth``: the client of OAuth 2.0. Raises NetworkOptionsError.
        """
        self._transport = Transport(base_url, timeout=timeout, wire=transport, network=network)
        self._backoff = Backoff() if backs_off else None
        self._dialect: Dialect = _GENERATION_5
        self._settings: Settings | None = None  # by which the dialect was chosen
        self._lifecycle = TokenLifecycle(self.address, oauth or OAuthClient(), self._send)
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
        await self._lifecycle.close()
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
        return self._dialect.capabilities(instance.server_version, instance.solution)

    @property
    def generation(self) -> int | None:
        """The generation of the service, for sign-in and for texts about the connection; None if unknown."""
        return self._settings.generation if self._settings is not None else None

    @property
    def service(self) -> Settings | None:
        """The settings by which the generation was detected; None if they could not be read."""
        return self._settings

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of OAuth 2.0, if the session has such."""
        return self._lifecycle.tokens

    def tokens_with(
        self,
        changed: Callable[[Tokens | None], object],
        kept: Callable[[], AbstractAsyncContextManager[str]] = nothing_kept,
    ) -> None:
        """Calls ``changed`` with each new pair of tokens, and with None when they are lost or revoked.

        ``kept`` enters a block in which nobody else uses the stored refresh token, which may have been
        replaced since; ``changed`` is called in it.
        """
        self._lifecycle.kept = kept
        self._lifecycle.changed = changed

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

    async def detect(self) -> Settings:
        """Reads the settings, which tell the generation of the service, and chooses its calls."""
        return self._adapt(await self._send(SETTINGS))

    def _adapt(self, settings: Settings) -> Settings:
        self._settings = settings
        self._dialect = _GENERATION_6 if settings.generation == 6 else _GENERATION_5
        return settings

    async def start_session(self) -> Session:
        """Starts a new session, not signed in, and signs later calls with it (wire §2).

        Of a service without such sessions it has only the description of the service.
        """
        return await self._corrected(self._start_session)

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
        known_secrets.add(password)
        return await self._corrected(lambda: self._authenticate(login, password, method))

    async def endpoints(self) -> Endpoints:
        """The addresses of OAuth 2.0."""
        return await self._lifecycle.endpoints()

    async def redeem(self, code: str, redirect: str, verifier: str) -> Session:
        """Signs in with the ``code`` that the browser has brought to ``redirect``. Raises SignInError."""
        await self._lifecycle.redeem(code, redirect, verifier)
        return await self._enter_with_tokens()

    async def resume(self, refresh: str) -> Session:
        """Signs in with a refresh token that was kept, which is invalid afterwards. Raises SignInError."""
        await self._lifecycle.resume(refresh)
        return await self._enter_with_tokens()

    async def revoke(self, refresh: str) -> None:
        """Ends a sign-in of which the refresh token was kept."""
        await self._lifecycle.end(refresh)

    async def deauthenticate(self) -> Session:
        """Signs out; the session continues without a user (wire §2)."""
        if self._dialect is _GENERATION_5:
            return await self._enter(_GENERATION_5.deauthenticate(self._token))
        await self._lifecycle.revoke()
        self._session = Session(token="", instance=self._instance())
        return self._session

    async def event(self, event_id: int) -> Event:
        """One complete event (§4.1). Raises NotFoundError."""
        return await self._run(lambda calls: calls.read_event(event_id))

    async def poll(self, last_max_id: int | None = None, limit: int = 0) -> Polled:
        """Pollable events newer than ``last_max_id`` by ascending id, at most 1000 (§4.2).

        None means the lowest cursor, such as the session's current_max_event_id; limit 0 means 1000. Returns
        fewer events if they are too large together. Raises TooLargeError if a single one is.
        """

        def call(limit: int) -> Build[Polled]:
            return lambda calls: calls.poll_events(last_max_id, limit)

        async with self._shrinking(call(1)):
            while True:
                try:
                    return await self._run(call(limit))
                except TooLargeError as error:
                    if limit == 1 or error.is_bomb:
                        raise
                    limit = max((limit or 1000) // 4, 1)

    async def open_stream(self) -> EventStream:
        """Opens the stream of new events of a service that has one; the caller must close it.

        Raises StreamRefusedError if the service or a proxy does not open it.
        """
        await self._keep_fresh()
        token, poll = self._lifecycle.access, self._dialect.poll_events(0, 0)
        return await open_stream(self._transport, token, poll, responses.failure)

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

        def call(limit: int, offset: int, *, counts: bool) -> Build[EventPage]:
            return lambda calls: calls.list_events(
                filter, sort, limit, offset, full=full, skip_count=not counts
            )

        async with self._shrinking(call(1, offset, counts=False)):
            try:
                return await self._run(call(limit, offset, counts=not skip_count))
            except TooLargeError as error:
                if limit <= 1 or error.is_bomb:
                    raise
            # One page at a time, to limit the memory.
            async with self._in_turn:
                return await read_in_parts(self._run, call, limit, offset, counts=not skip_count)

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
        call = self._dialect.list_events(filter, sort, limit, 0, full=full, skip_count=False)
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
        return await self._run(lambda calls: calls.list_csv(filter, csv, sort, limit, offset))

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

        def streamed(calls: Dialect) -> Call[None]:
            call = calls.list_csv(filter, csv, sort, limit, offset, guard=guard)
            return Call(replace(call.request, sink=take), responses.streamed)

        try:
            await self._run(streamed)
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
        return await self._run(lambda calls: calls.insert_event(attributes))

    async def delete_events(self, ids: Sequence[int]) -> int:
        """Deletes the events with these ids and returns how many existed (§4.5, ID mode)."""
        most, deleted = self._dialect.most_deleted, 0
        # Never sends an empty list, which a service could take for an empty filter.
        for start in range(0, len(ids), most):
            deleted += await self._delete_some(ids[start : start + most])
        return deleted

    async def _delete_some(self, ids: Sequence[int]) -> int:
        existing = 0
        if self.capabilities.id_ranges:
            # Such a service does not say how many it has deleted.
            if len(ids) == 1:
                return await self._delete_one(ids[0])
            page = await self.list_events(EventFilter(ids=ranges_of(ids)), limit=1)
            existing = page.count or 0
        deleted = await self._run(lambda calls: calls.delete_events(ids))
        return existing if deleted is None else deleted

    async def _delete_one(self, event_id: int) -> int:
        try:
            await self._run(lambda calls: calls.delete_event(event_id))
        except NotFoundError:
            return 0
        return 1

    async def schema(self, version: int | str = "HEAD") -> dict[str, object]:
        """The schema document of a number, HEAD or CURRENT (§4.6, wire §5). Raises NotFoundError."""
        return await self._run(lambda calls: calls.read_schema(version))

    async def schema_file(self, version: int | str, format: Literal["xml", "svg", "png"]) -> bytes:  # noqa: A002
        """The schema as the service renders it (§4.6). Raises NotFoundError."""
        return await self._run(lambda calls: calls.read_schema_file(version, format))

    async def update_schema(self, document: Mapping[str, object], if_match: str = "") -> dict[str, object]:
        """Saves HEAD, if it still has the tag ``if_match``, and returns it with generated ids (§4.7).

        Raises VersionMismatchError, MissingRightError.
        """
        return await self._run(lambda calls: calls.update_schema(document, if_match))

    async def schema_plan(self) -> dict[str, object] | None:
        """What a commit of HEAD would do to the data; None if the service does not know this call."""
        call = self._dialect.plan_schema()
        if call is None:
            return None
        try:
            return await self._repeated(lambda: self._send(call))
        except ServiceError as error:
            if error.code == _UNKNOWN_CALL or error.status == _NOT_FOUND:
                return None
            raise

    async def commit_schema(
        self, *, reindex_generate_events: bool = False, answers: Mapping[str, str] | None = None
    ) -> tuple[CommitQuestion, ...]:
        """Makes HEAD the current version and changes the database (§4.8). Raises MissingRightError.

        Returns the questions that the service asks before, if it does; nothing has changed then, and the call
        is repeated with ``answers``, values by the names of fields and buttons.
        """
        return await self._run(
            lambda calls: calls.commit_schema(
                reindex_generate_events=reindex_generate_events, answers=answers or {}
            )
        )

    async def object_counts(self, tables: Mapping[int, str]) -> dict[str, int]:
        """The number of objects in each of these top-level tables, given by id and name, as far as known."""
        whole = self._dialect.count_all_objects()
        if whole is None:
            return {}
        with suppress(
            ServiceError, AnswerError
        ):  # Not everybody may read them, and not all services have it.
            found = await self._repeated(lambda: self._send(whole))
            return {name: found[name] for name in tables.values() if name in found}
        counts: dict[str, int] = {}
        for id_, name in tables.items():
            call = self._dialect.count_objects(id_)
            count = None if call is None else await self._repeated(partial(self._send, call))
            if count is not None:
                counts[name] = count
        return counts

    async def object_version(
        self, objecttype: str, object_id: int, version: int | None = None
    ) -> ObjectVersion | None:
        """An object in one of its versions, by default the newest one.

        None if the service does not offer it: the interface does not describe this call. Raises
        MissingRightError, NotFoundError.
        """
        return await self._run(lambda calls: calls.read_object(objecttype, object_id, version))

    async def settings(self) -> Settings:
        """Name and version of the service, read without a session (wire §6)."""
        return await self._send(SETTINGS)

    async def config(self) -> dict[str, object]:
        """The base configuration (wire §6)."""
        return await self._run(lambda calls: calls.config())

    async def l10n(self, version: int | str = "HEAD") -> dict[str, object]:
        """The localised names of a schema version: key to language to text (wire §5, §6)."""
        return await self._run(lambda calls: calls.l10n(version))

    async def update_l10n(self, keys: Mapping[str, object]) -> None:
        """Replaces the localised names of HEAD (wire §6)."""
        await self._run(lambda calls: calls.update_l10n(keys))

    async def masks(self, version: int | str = "HEAD") -> dict[str, object]:
        """The masks of a schema version, nothing from a service that does not offer them."""
        call = self._dialect.masks(version)
        return {} if call is None else await self._repeated(lambda: self._send(call))

    async def server_error(self, uuid: str) -> ServerErrorDetails:
        """The details of a ServerError, from any of its addresses (§7.1, wire §8)."""
        *others, last = self._dialect.server_errors(uuid) or (None,)
        if last is None:
            raise ApiError("api", "UnknownEndpointMethod", status=400)
        for call in others:
            try:
                return await self._details(call)
            except ClientError as error:
                if not responses.is_unknown_address(error):
                    raise
        return await self._details(last)

    async def _details(self, call: Call[ServerErrorDetails]) -> ServerErrorDetails:
        return await self._repeated(lambda: self._send(call))

    async def fault_injection(self) -> FaultInjection:
        """The faults that a reference server injects that was started with ``--chaos``."""
        return await self._run(lambda calls: calls.fault_injection())

    async def inject_faults(
        self, rate: float, faults: Sequence[str] | None = None, *, seed: int = 0
    ) -> FaultInjection:
        """Lets that server inject random faults from now on; see `FaultInjection` for the arguments.

        ``rate`` 0 ends all faults.
        """
        settings = {"rate": rate, "seed": seed, "faults": None if faults is None else list(faults)}
        return await self._run(lambda calls: calls.inject_faults(settings if rate else {}))

    @property
    def _token(self) -> str:
        return self._session.token if self._session else ""

    async def _corrected(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        """The result of an attempt to enter, which is repeated if the service is of another generation."""
        if self._settings is None:
            # A service that refuses this call is one of the contract, or none at all.
            with suppress(ServiceError, AnswerError):
                await self.detect()
        try:
            return await attempt()
        except ServiceError as error:
            if not await self._is_of_another_generation(error):
                raise
        return await attempt()

    async def _is_of_another_generation(self, error: ServiceError) -> bool:
        """Whether the calls have to be others, seen by an error that those of the dialect do not have."""
        sign = responses.generation_of(error.code)
        is_unknown = not error.code and error.status == _NOT_FOUND
        if not is_unknown and sign in (None, 6 if self._dialect is _GENERATION_6 else 5):
            return False
        before = self._dialect
        try:
            await self.detect()
        except ClientError:  # the one that led here says more
            if sign is not None and self._settings is None:
                self._adapt(Settings(generation=sign))
        if self._dialect is before:
            return False
        self._lifecycle.forget()
        self._session = None
        return True

    async def _start_session(self) -> Session:
        if self._dialect is _GENERATION_5:
            return await self._enter(_GENERATION_5.start_session())
        self._session = Session(token="", instance=self._instance())
        return self._session

    async def _authenticate(self, login: str, password: str, method: str) -> Session:
        if self._dialect is _GENERATION_6:
            await self._lifecycle.sign_in(login, password)
            return await self._enter_with_tokens()
        if self._token:
            try:
                return await self._sign_in(login, password, method)
            except SessionLostError:
                pass
        await self._start_session()
        return await self._sign_in(login, password, method)

    def _instance(self) -> Instance:
        found = self._settings or Settings()
        return Instance(
            server_version=found.version, solution=found.solution, name=found.name, db_name=found.instance
        )

    async def _enter(self, call: Call[Session]) -> Session:
        self._session = await self._send(call)
        known_secrets.add(self._session.token)
        return self._session

    async def _sign_in(self, login: str, password: str, method: str) -> Session:
        session = await self._enter(_GENERATION_5.authenticate(self._token, login, password, method))
        self._count_sign_in()
        return session

    async def _enter_with_tokens(self) -> Session:
        if self._settings is None:
            await self.detect()
        self._session = await self._send(_GENERATION_6.read_session(self._lifecycle.access))
        newest = self._session.current_max_event_id
        if newest is None:
            newest = await newest_id(self._send, self._session)
        session = msgspec.structs.replace(
            self._session, instance=self._instance(), current_max_event_id=newest
        )
        self._session = session
        self._count_sign_in()
        return session

    def _count_sign_in(self) -> None:
        self._sign_ins += 1
        self._unproven_sign_ins += 1

    async def _read_session(self) -> Session:
        # Built for each attempt, since the token changes.
        session = await self._send(self._dialect.read_session(self._token))
        before = self._session
        was_signed_in = before is not None and before.authenticated
        if was_signed_in and not session.authenticated and session.user is None:
            raise SessionLostError("user", "error.user.not_authenticated", status=400)
        if self._dialect is _GENERATION_6 and before is not None:
            session = msgspec.structs.replace(
                session, instance=before.instance, current_max_event_id=before.current_max_event_id
            )
        return session

    @asynccontextmanager
    async def _shrinking(self, smallest: Build[Any]) -> AsyncIterator[None]:
        """A block that repeats a call with smaller limits while the response is too large.

        The back-off counts it as one try. After a block has failed, the next one starts with the ``smallest``
        call, so that endless responses of a service are not requested repeatedly.
        """
        kind, began = kind_of(smallest(self._dialect).request.path), time.monotonic()
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

    async def _run(self, build: Build[Result]) -> Result:
        # Built for each attempt: with another sign-in the calls may be those of another dialect.
        return await self._repeated(lambda: self._send(build(self._dialect)))

    async def _repeated(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        sign_ins = self._sign_ins
        await self._keep_fresh()
        token = self._token
        try:
            try:
                return await self._proven(attempt)
            except ServiceError as error:
                if not await self._may_be_repeated(error, token):
                    raise
            return await self._proven(attempt)
        except SessionLostError:
            if self._renew is None:
                raise
            # Another call may have signed in meanwhile.
            if self._sign_ins == sign_ins:
                await self._renew()
        return await self._proven(attempt)

    async def _keep_fresh(self) -> None:
        if self.tokens is not None:
            await self._lifecycle.keep_fresh()
            self._use_access_token()

    async def _may_be_repeated(self, error: ServiceError, token: str) -> bool:
        """Renews a refused access token. Raises SessionLostError if the service is of another generation."""
        if await self._is_of_another_generation(error):
            raise SessionLostError(error.realm, error.code, status=error.status)
        if not isinstance(error, SessionLostError) or self.tokens is None:
            return False
        if not await self._lifecycle.renew(token):
            return False
        self._use_access_token()
        return True

    def _use_access_token(self) -> None:
        if self._session is not None and self._session.token != self._lifecycle.access:
            self._session = msgspec.structs.replace(self._session, token=self._lifecycle.access)

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
                return await transport.send(request, self._token_of(request))
            except ProxyLoginError as error:
                if self._proxy_login is None:
                    raise
                # Another call may have signed in meanwhile.
                if transport.proxy_login == login:
                    transport.use_proxy_login(await self._proxy_login(error))

    def _token_of(self, request: Request) -> str:
        """The token for a request. One that belongs into a header is never put into a query."""
        if request.bearer:
            return self._lifecycle.access
        return "" if self.tokens is not None else self._token


class _WriteError(Exception):
    """Streamed data cannot be written."""

    def __init__(self, cause: OSError) -> None:
        super().__init__()
        self.cause = cause
