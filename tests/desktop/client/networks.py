"""A simulated corporate network: a forward proxy, and services with certificates of a test authority."""

import asyncio
import base64
import os
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from unittest import mock
from urllib.parse import urlsplit

import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

USER, PROXY_PASSWORD, PASSPHRASE = "anna", "swordfish-proxy", "swordfish-key"
HOST = "cdb.example"
_HEAD_END = b"\r\n\r\n"
_OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"


@dataclass
class ForwardProxy:
    """Forwards requests and tunnels to ``upstream``, for any host.

    With ``password`` it requires Basic authentication as USER; ``methods`` are those that it announces.
    ``request_lines`` has the first line of each request, ``heads`` its whole head.
    """

    upstream: str = ""
    password: str = PROXY_PASSWORD
    methods: tuple[str, ...] = ('Basic realm="corporate"',)
    url: str = ""
    request_lines: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    connections: list[asyncio.StreamWriter] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers the requests of one connection, until one of them becomes a tunnel."""
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, OSError):
                while await self._serve_one(reader, writer):
                    pass
        finally:
            writer.close()
            with suppress(ConnectionError, OSError, ssl.SSLError):
                await writer.wait_closed()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(_HEAD_END)
        text = head.decode("latin-1")
        line = text.split("\r\n", 1)[0]
        self.request_lines.append(line)
        self.heads.append(text)
        body = await reader.readexactly(_length(text))
        if not self._is_allowed(text):
            methods = "".join(f"proxy-authenticate: {one}\r\n" for one in self.methods)
            writer.write(f"HTTP/1.1 407 Who are you\r\n{methods}content-length: 0\r\n\r\n".encode())
            await writer.drain()
            return True
        parts = urlsplit(self.upstream)
        there, back = await asyncio.open_connection(parts.hostname, parts.port)
        self.connections.append(back)
        try:
            if line.startswith("CONNECT "):
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await asyncio.gather(_forward(reader, back), _forward(there, writer))
            else:
                method, target, version = line.split(" ")
                url = urlsplit(target)
                own = f"{method} {url.path}?{url.query} {version}"
                rest = [
                    one
                    for one in text.split("\r\n")[1:-2]
                    if not one.lower().startswith(("proxy-", "connection"))
                ]
                back.write("\r\n".join([own, *rest, "connection: close", "", ""]).encode("latin-1") + body)
                await _forward(there, writer)
        finally:
            back.close()
        return False

    def _is_allowed(self, head: str) -> bool:
        if not self.password:
            return True
        expected = base64.b64encode(f"{USER}:{self.password}".encode()).decode()
        return f"proxy-authorization: Basic {expected}".lower() in head.lower()


def _length(head: str) -> int:
    for line in head.split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            return int(value)
    return 0


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError, OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with suppress(OSError, RuntimeError):
        if writer.can_write_eof():
            writer.write_eof()
        else:
            writer.close()  # TLS has no half-closed connections


@asynccontextmanager
async def forward_proxy(
    upstream: str, context: ssl.SSLContext | None = None, password: str = PROXY_PASSWORD
) -> AsyncIterator[ForwardProxy]:
    """A proxy in front of ``upstream``, for the length of a block; with ``context`` it uses TLS."""
    proxy = ForwardProxy(upstream, password=password)
    async with _serving(proxy.serve, context, proxy.connections) as address:
        proxy.url = f"{'http' if context is None else 'https'}://{address}"
        yield proxy


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def _serving(
    serve: Serve, context: ssl.SSLContext | None, connections: list[asyncio.StreamWriter]
) -> AsyncIterator[str]:
    """The address of a server; at the end of the block its connections are closed and its tasks finished."""
    tasks: list[asyncio.Task[None]] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.append(task)
        connections.append(writer)
        await serve(reader, writer)

    server = await asyncio.start_server(take, "127.0.0.1", 0, ssl=context)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for writer in connections:
            # Python 3.11.2 raises it for a connection whose handshake has not finished.
            with suppress(AttributeError):
                writer.transport.abort()
        await asyncio.gather(*tasks)
        await asyncio.sleep(0.01)  # until the closed connections have released their sockets


@dataclass
class TlsService:
    """A service that answers every request with an empty object; ``requests`` has their heads."""

    url: str = ""
    requests: list[bytes] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers the requests of one connection."""
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, OSError):
                while True:
                    self.requests.append(await reader.readuntil(_HEAD_END))
                    writer.write(_OK)
        finally:
            writer.close()


@asynccontextmanager
async def tls_service(context: ssl.SSLContext | None) -> AsyncIterator[TlsService]:
    """A service with the certificate of ``context`` or without TLS, for the length of a block."""
    service = TlsService()
    async with _serving(service.serve, context, []) as address:
        service.url = f"{'http' if context is None else 'https'}://{address}"
        yield service


@contextmanager
def strict_tls_service(context: ssl.SSLContext) -> Iterator[str]:
    """The address of a service that sends the TLS alert of a refusal, which asyncio's servers do not."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _address = listening.accept()
                connection.settimeout(5)
                secure = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
                with secure, suppress(OSError):
                    try:
                        secure.do_handshake()
                    except ssl.SSLError:
                        # Closing a connection with unread data resets it, and the alert is lost.
                        while socket.socket.recv(secure, 65536):
                            pass
                    else:
                        secure.recv(65536)
                        secure.sendall(_OK)
                        secure.recv(65536)

    thread = threading.Thread(target=serve, name="strict", daemon=True)
    thread.start()
    try:
        yield f"https://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(10)


class Certificates:
    """An authority and its certificates, as files in ``folder``.

    ca.pem · client.pem with key.pem · both.pem with certificate and key · locked.pem, the key with
    PASSPHRASE · other-key.pem, the key of another · stranger.pem with key, of another authority · letter.txt
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority = trustme.CA(organization_name="Museum authority")
        self.authority.cert_pem.write_to_path(folder / "ca.pem")
        client = self.authority.issue_cert("anna@museum.example", common_name="anna")
        client.cert_chain_pems[0].write_to_path(folder / "client.pem")
        client.private_key_pem.write_to_path(folder / "key.pem")
        client.private_key_and_cert_chain_pem.write_to_path(folder / "both.pem")
        key = load_pem_private_key((folder / "key.pem").read_bytes(), None)
        encryption = BestAvailableEncryption(PASSPHRASE.encode())
        (folder / "locked.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption))
        self.authority.issue_cert("x.example").private_key_pem.write_to_path(folder / "other-key.pem")
        stranger = trustme.CA().issue_cert("stranger@museum.example")
        stranger.private_key_and_cert_chain_pem.write_to_path(folder / "stranger.pem")
        (folder / "letter.txt").write_text("Dear museum, ")
        (folder / "client.p12").write_bytes(b"\x30\x82\x01\x02\x02")

    def file(self, name: str) -> str:
        """The path of one of the files."""
        return str(self.folder / name)

    def context(
        self,
        *names: str,
        until: datetime | None = None,
        wants_client: bool = False,
        sends_authority: bool = False,
        newest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3,
    ) -> ssl.SSLContext:
        """The TLS context of a service with a certificate for ``names``."""
        issued = self.authority.issue_cert(
            *(names or ("127.0.0.1", HOST)), common_name="Museum", not_after=until
        )
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.maximum_version = newest
        if sends_authority:
            chain = self.folder / "chain.pem"
            issued.private_key_and_cert_chain_pem.write_to_path(chain)
            self.authority.cert_pem.write_to_path(chain, append=True)
            context.load_cert_chain(chain)
        else:
            issued.configure_cert(context)
        if wants_client:
            context.verify_mode = ssl.CERT_REQUIRED
            self.authority.configure_trust(context)
        return context


@contextmanager
def environment_proxy(url: str, exceptions: str = "") -> Iterator[None]:
    """Sets the proxy of the environment, for the length of a block."""
    named = {"http_proxy": url, "https_proxy": url, "no_proxy": exceptions, "NO_PROXY": exceptions}
    with mock.patch.dict(os.environ, named):
        yield
