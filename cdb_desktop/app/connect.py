"""The way to a service: an embedded one or one on the network, signed in. Knows no window."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from cdb_desktop.app.options import Options
from cdb_desktop.client import Client, Session
from cdb_desktop.embedded import EmbeddedServer, ServerLostError
from cdb_desktop.vocabulary.sentences import Language, Sentence, fault, sentence

_DEMO_LOGIN, _DEMO_PASSWORD = "root", "admin"  # public: the demo listens on loopback only
_DEMO_COLOUR, _SERVER_COLOUR = "#0E9F8A", "#2F6FDB"


@dataclass(frozen=True, slots=True)
class Connection:
    """A service that has let somebody in; ``server`` is there when it is the program's own."""

    client: Client
    session: Session
    service: str
    colour: str
    server: EmbeddedServer | None = None


@asynccontextmanager
async def demo_connection(server: EmbeddedServer) -> AsyncIterator[Connection]:
    """Signs in at the program's own server and stops it at the end. Raises ServerLostError, ClientError."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(server)
        client = await stack.enter_async_context(Client(await server.url()))
        session = await client.authenticate(_DEMO_LOGIN, _DEMO_PASSWORD)
        yield Connection(client, session, _name(session), _DEMO_COLOUR, server)


@asynccontextmanager
async def server_connection(options: Options) -> AsyncIterator[Connection]:
    """Signs in at the service that the command line names. Raises ClientError."""
    async with Client(options.server) as client:
        session = await client.authenticate(options.login, options.password)
        yield Connection(client, session, _name(session), _SERVER_COLOUR)


def words_in(language: Language) -> Callable[[BaseException], Sentence]:
    """The words for whatever can go wrong, in one language."""

    def words(error: BaseException) -> Sentence:
        if isinstance(error, ServerLostError):
            return fault("demo", language, {"log": str(error.log)})
        return sentence(error, language)

    return words


def _name(session: Session) -> str:
    return session.instance.name or session.instance.solution
