"""Opens connections: creates the client, signs in, and signs out at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cdb_desktop.app.connection.passwords import Secrets
from cdb_desktop.app.connection.store import ConnectionStore
from cdb_desktop.client import (
    AnswerError,
    AskProxyLogin,
    Client,
    ClientError,
    NetworkOptions,
    NotFoundError,
    OAuthClient,
    Session,
    Settings,
    SignInError,
    Tokens,
    load_libraries,
)
from cdb_desktop.embedded import (
    EmbeddedServer,
    LogProgress,
    LogReport,
    fill_log,
    log_server_command,
    open_log_folder,
)
from cdb_desktop.foundation.errors import FaultError
from cdb_desktop.foundation.threads import open_in_thread, run_in_thread
from cdb_desktop.queries.links import LinkOrigin
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.vocabulary.profile_key import ProfileKey

_DEMO_COLOUR, _LOG_COLOUR = "#0C8A7B", "#B7791F"
_SIGN_OUT_TIMEOUT = 2.0  # seconds

SecretsLookup = Callable[[], Awaitable[Secrets]]
Browser = Callable[[Client, OAuthClient], Awaitable[Session]]


class NetworkAccess(msgspec.Struct, frozen=True):
    """How to reach a service; ``ask`` returns user name and password for a proxy."""

    options: NetworkOptions = NetworkOptions()
    ask: AskProxyLogin | None = None


class BrowserAccess(msgspec.Struct, frozen=True):
    """How to sign in in the browser.

    ``open`` does it. ``store`` keeps the tokens; without it they are revoked at the end.
    """

    open: Browser
    store: ConnectionStore | None = None


class OpenedLog(msgspec.Struct, frozen=True):
    """The file of a log, and what was read of it."""

    file: Path
    report: LogReport


class Connection(msgspec.Struct, frozen=True):
    """A client that is signed in; ``server`` is the embedded server of the demo or of a ``log``, if any.

    ``remembered`` returns the secrets for signing in again. ``browser`` signs in in the browser, where the
    connection does that.
    """

    client: Client
    session: Session
    profile: ConnectionProfile
    remembered: SecretsLookup
    server: EmbeddedServer | None = None
    log: OpenedLog | None = None
    browser: Callable[[], Awaitable[Session]] | None = None

    @property
    def demo(self) -> EmbeddedServer | None:
        """The server of the demo, if it is that."""
        return None if self.log is not None else self.server

    async def sign_in(self, secrets: Secrets) -> Session:
        """Signs in again, without the browser. Raises ClientError."""
        if secrets.refresh:
            return await self.client.resume(secrets.refresh)
        return await self.client.authenticate(self.profile.login, secrets.password)

    @property
    def key(self) -> ProfileKey:
        """The key of its stored state. Port and login of the embedded server change with each start."""
        if self.log is not None:
            return ProfileKey(f"file:{self.log.file}")
        if self.server is not None:
            return ProfileKey("demo")
        return ProfileKey(self.profile.address, self.profile.login)

    @property
    def origin(self) -> LinkOrigin:
        """The connection as links name it, for the demo without its address."""
        return LinkOrigin(self.profile.title, "" if self.server is not None else self.profile.address)


class SessionStormError(FaultError):
    """The service accepts each sign-in, and then refuses the calls of the session as not signed in."""

    def __init__(self, shortcut: str) -> None:
        """``shortcut`` is the key to sign in again."""
        super().__init__("storm", shortcut=shortcut)


@asynccontextmanager
async def demo_connection(server: EmbeddedServer) -> AsyncIterator[Connection]:
    """Signs in at the embedded server; at the end signs out and stops it.

    Raises ServerLostError or ClientError.
    """
    async with _embedded_connection(server, None) as connection:
        yield connection


@asynccontextmanager
async def log_connection(
    file: Path, folder: Path, on_progress: Callable[[LogProgress], None]
) -> AsyncIterator[Connection]:
    """Reads a log file into a temporary database below ``folder``, and signs in at a server of it.

    At the end stops the server and removes the database. Raises OSError, LogFileError, ServerLostError or
    ClientError.
    """
    opened = await open_in_thread(partial(open_log_folder, folder))
    try:
        report = await fill_log(opened, file, on_progress)
        server = EmbeddedServer(opened, log_server_command)
    except BaseException:
        await asyncio.to_thread(opened.close)
        raise
    async with _embedded_connection(server, OpenedLog(file, report)) as connection:
        yield connection


@asynccontextmanager
async def _embedded_connection(server: EmbeddedServer, log: OpenedLog | None) -> AsyncIterator[Connection]:
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(server)
        await run_in_thread(load_libraries)
        url = await server.url()
        client = await stack.enter_async_context(Client(url, backs_off=True))
        session = await client.authenticate(server.login.name, server.login.password)
        colour = _DEMO_COLOUR if log is None else _LOG_COLOUR
        profile = ConnectionProfile(url, server.login.name, _name(session), colour)

        async def remembered() -> Secrets:
            return Secrets(server.login.password)

        async with _signed_in(client):
            yield Connection(client, session, profile, remembered, server, log)


@asynccontextmanager
async def service_connection(
    profile: ConnectionProfile,
    secrets: Secrets,
    remembered: SecretsLookup,
    access: NetworkAccess,
    browser: BrowserAccess | None = None,
) -> AsyncIterator[Connection]:
    """Signs in at a service, and signs out at the end unless the tokens are kept. Raises ClientError."""
    if profile.sign_in.method != "browser":
        browser = None
    oauth = profile.sign_in.oauth_client(secrets.client)
    async with await _client(profile, access, oauth, backs_off=True) as client:
        if browser is not None and browser.store is not None and secrets.refresh:
            _keep_tokens(client, profile, browser.store)
        with _as_service():
            session = await _sign_in(client, profile, secrets, browser)
        login = profile.login if browser is None else _login(session, profile)
        named = replace(profile, name=profile.name or _name(session), login=login)
        connection = Connection(client, session, named, remembered)
        if browser is not None:
            connection = replace(connection, browser=partial(_sign_in_again, connection, browser, oauth))
            if browser.store is not None:
                _keep_tokens(client, named, browser.store)
                # A kept sign-in is stored already. Another window may have replaced it since.
                if named.refresh_key != profile.refresh_key or not secrets.refresh:
                    browser.store.keep_tokens(named, client.tokens)
                yield connection
                return
        async with _signed_in(client):
            yield connection


def _keep_tokens(client: Client, profile: ConnectionProfile, store: ConnectionStore) -> None:
    def keep(tokens: Tokens | None) -> None:
        # Lost tokens may have been replaced by another window.
        if tokens is not None:
            store.keep_tokens(profile, tokens)

    client.tokens_with(keep, partial(store.kept_token, profile))


async def _sign_in_again(connection: Connection, browser: BrowserAccess, oauth: OAuthClient) -> Session:
    """Signs in in the browser as the same user, to whom all that is open belongs."""
    session = await browser.open(connection.client, oauth)
    if _login(session, connection.profile) != connection.profile.login:
        with suppress(ClientError):
            await connection.client.deauthenticate()
        if browser.store is not None:
            browser.store.keep_tokens(connection.profile, None)
        raise SignInError("other_user", value=connection.profile.login)
    return session


async def _sign_in(
    client: Client, profile: ConnectionProfile, secrets: Secrets, browser: BrowserAccess | None
) -> Session:
    if profile.sign_in.method != "browser":
        return await client.authenticate(profile.login, secrets.password)
    await client.detect()
    if client.capabilities.sessions:
        raise SignInError("password_only")
    if secrets.refresh:
        try:
            return await client.resume(secrets.refresh)
        except SignInError as error:
            # Otherwise it would be tried with every start.
            if error.problem == "revoked" and browser is not None and browser.store is not None:
                browser.store.keep_tokens(profile, None)
            raise
    if browser is None:
        raise SignInError("browser_only")
    return await browser.open(client, profile.sign_in.oauth_client(secrets.client))


@asynccontextmanager
async def _signed_in(client: Client) -> AsyncIterator[None]:
    """Signs out at the end. An unreachable service lets the session expire."""
    try:
        yield
    finally:
        with suppress(ClientError, TimeoutError):
            async with asyncio.timeout(_SIGN_OUT_TIMEOUT):
                await client.deauthenticate()


async def _client(
    profile: ConnectionProfile,
    access: NetworkAccess,
    oauth: OAuthClient | None = None,
    *,
    backs_off: bool = False,
) -> Client:
    """A client for a service, created on a thread because it may read certificates."""

    def make() -> Client:
        load_libraries()
        return Client(profile.address, backs_off=backs_off, network=access.options, oauth=oauth)

    client = await run_in_thread(make)
    if access.ask is not None:
        client.proxy_login_with(access.ask)
    return client


async def look_at(profile: ConnectionProfile, access: NetworkAccess) -> Settings:
    """Which service answers at the address of a profile. Raises ClientError."""
    async with await _client(profile, access) as client:
        return await client.detect()


async def sign_out(profile: ConnectionProfile, secrets: Secrets, access: NetworkAccess) -> None:
    """Revokes a refresh token that was kept, if the service can be reached."""
    oauth = profile.sign_in.oauth_client(secrets.client)
    with suppress(ClientError):
        async with await _client(profile, access, oauth) as client:
            await client.revoke(secrets.refresh)


async def probe(
    profile: ConnectionProfile, secrets: Secrets, access: NetworkAccess
) -> tuple[Settings, Session]:
    """The service that answers; with login and password also tries whether they are accepted.

    Raises ClientError.
    """
    async with await _client(profile, access, profile.sign_in.oauth_client(secrets.client)) as client:
        with _as_service():
            session = await client.start_session()
            if profile.login and secrets.password:
                session = await client.authenticate(profile.login, secrets.password)
                await client.deauthenticate()
            return client.service or Settings(), session


@contextmanager
def _as_service() -> Iterator[None]:
    try:
        yield
    except NotFoundError as error:
        if error.code:
            raise
        # Every service has sessions, so something else answers at this address.
        raise AnswerError("unknown_call", status=error.status, content_type="application/json") from None


def _login(session: Session, profile: ConnectionProfile) -> str:
    """The log-in of the user; of one without, the number."""
    user = session.user
    return profile.login if user is None else user.login or str(user.id or "")


def _name(session: Session) -> str:
    return session.instance.name or session.instance.solution
