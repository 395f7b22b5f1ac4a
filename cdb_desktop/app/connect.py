"""The way to a service: an embedded one or one on the network, signed in. Knows no window."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress

import msgspec
from msgspec.structs import replace

from cdb_desktop.app.aside import aside
from cdb_desktop.client import (
    AnswerError,
    AskProxyLogin,
    Client,
    ClientError,
    NetworkOptions,
    NotFoundError,
    Session,
    load_libraries,
)
from cdb_desktop.embedded import EmbeddedServer, ServerLostError
from cdb_desktop.ui.connection.entry import Entry
from cdb_desktop.ui.widgets.home import Home
from cdb_desktop.vocabulary.sentences import Language, Sentence, fault, sentence

_DEMO_COLOUR = "#0C8A7B"
_GOODBYE = 2.0  # seconds for signing out

Remembered = Callable[[], Awaitable[str]]


class Access(msgspec.Struct, frozen=True):
    """The way through the network; ``ask`` is asked for user name and password of a proxy."""

    options: NetworkOptions = NetworkOptions()
    ask: AskProxyLogin | None = None


class Connection(msgspec.Struct, frozen=True):
    """A service that has let somebody in; ``server`` is there when it is the program's own.

    ``remembered`` gives the password for signing in again, empty if nobody knows it.
    """

    client: Client
    session: Session
    entry: Entry
    remembered: Remembered
    server: EmbeddedServer | None = None

    @property
    def home(self) -> Home:
        """Whose is what stays of it; port and log-in of the program's own server are others at each start."""
        return Home(self.entry.address, self.entry.login) if self.server is None else Home("demo")


class SessionStormError(Exception):
    """The service accepts sign-ins, and then refuses each call of the session as not signed in."""


@asynccontextmanager
async def demo_connection(server: EmbeddedServer) -> AsyncIterator[Connection]:
    """Signs in at the program's own server; out at its end, and stops it. ServerLostError or ClientError."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(server)
        await aside(load_libraries)
        url = await server.url()
        client = await stack.enter_async_context(Client(url, backs_off=True))
        session = await client.authenticate(server.login.name, server.login.password)
        entry = Entry(url, server.login.name, _name(session), _DEMO_COLOUR)

        async def remembered() -> str:
            return server.login.password

        async with _signed_in(client):
            yield Connection(client, session, entry, remembered, server)


@asynccontextmanager
async def service_connection(
    entry: Entry, password: str, remembered: Remembered, access: Access
) -> AsyncIterator[Connection]:
    """Signs in at a service, and out at the end. Raises ClientError."""
    async with await _client(entry, access, backs_off=True) as client:
        with _as_a_service():
            session = await client.authenticate(entry.login, password)
        async with _signed_in(client):
            named = replace(entry, name=entry.name or _name(session))
            yield Connection(client, session, named, remembered)


@asynccontextmanager
async def _signed_in(client: Client) -> AsyncIterator[None]:
    """Signs out at the end; a service that is gone or out of breath ends the session by itself."""
    try:
        yield
    finally:
        with suppress(ClientError, TimeoutError):
            async with asyncio.timeout(_GOODBYE):
                await client.deauthenticate()


async def _client(entry: Entry, access: Access, *, backs_off: bool = False) -> Client:
    """A client for a service, made on a thread, where certificates may be read."""

    def make() -> Client:
        load_libraries()
        return Client(entry.address, backs_off=backs_off, network=access.options)

    client = await aside(make)
    if access.ask is not None:
        client.proxy_login_with(access.ask)
    return client


async def probe(entry: Entry, password: str, access: Access) -> Session:
    """What the service tells about itself; with log-in and password also whether they are accepted.

    Raises ClientError.
    """
    async with await _client(entry, access) as client:
        with _as_a_service():
            session = await client.start_session()
            if not (entry.login and password):
                return session
            session = await client.authenticate(entry.login, password)
            await client.deauthenticate()
            return session


def words_in(language: Language) -> Callable[[BaseException], Sentence]:
    """The words for whatever can go wrong, in one language."""

    def words(error: BaseException) -> Sentence:
        if isinstance(error, ServerLostError):
            return fault("demo", language, {"log": str(error.log)})
        if isinstance(error, SessionStormError):
            return fault("storm", language, {})
        return sentence(error, language)

    return words


@contextmanager
def _as_a_service() -> Iterator[None]:
    try:
        yield
    except NotFoundError as error:
        if error.code:
            raise
        # Something else answers there: a service of this kind knows sessions.
        reason = "there is no such call"
        raise AnswerError(reason, status=error.status, content_type="application/json") from None


def _name(session: Session) -> str:
    return session.instance.name or session.instance.solution
