"""The loopback address at which the browser brings the code of a sign-in.

Other programs and web pages can reach it, too: a request counts only if a browser was led there by its
address bar, with the ``state`` of this sign-in, and only the first one.
"""

from __future__ import annotations

import asyncio
import html
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from secrets import compare_digest, token_urlsafe
from urllib.parse import parse_qs, urlsplit

import msgspec

from cdb_desktop.client.errors import SignInError
from cdb_desktop.client.generation6.sign_in import Endpoints, OAuthClient, authorization_url, refused
from cdb_desktop.client.network import is_loopback
from cdb_desktop.client.redaction import redact

_LARGEST = 16 * 1024  # bytes of a request
_SECONDS = 10.0  # for a request
_LAST_PORT = 65535
_LONGEST = 300  # characters of a description
_ONCE = ("code", "state", "error", "iss")  # parameters
_HEAD = """HTTP/1.1 {status} {phrase}
content-type: text/html; charset=utf-8
content-length: {size}
cache-control: no-store
content-security-policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'
referrer-policy: no-referrer
x-content-type-options: nosniff
connection: close

"""
_PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>{title}</title>
<style>body {{ font: 1.1em sans-serif; max-width: 34em; margin: 18vh auto; padding: 0 1em }}</style></head>
<body><h1>{title}</h1><p>{text}</p></body></html>
"""


class Redirect(msgspec.Struct, frozen=True):
    """A loopback address; ``port`` is 0 for a free one."""

    host: str = "127.0.0.1"
    port: int = 0
    path: str = "/"

    @property
    def url(self) -> str:
        """The whole address, as it is registered with the service."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{self.path}"


def parse_redirect(address: str) -> Redirect | None:
    """The parts of a loopback address, the default for an empty one; None for anything else."""
    if not address.strip():
        return Redirect()
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname or "", parts.port or 0
    except ValueError:
        return None
    plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    is_usable = parts.scheme == "http" and plain and is_loopback(host) and parts.path.isascii()
    return Redirect(host, port, parts.path) if is_usable and port <= _LAST_PORT else None


class BrowserTexts(msgspec.Struct, frozen=True):
    """Texts for the browser: after the sign-in, after an error of the service, and for all other requests."""

    title: str
    done: str
    failed: str
    refused: str


@dataclass(frozen=True, slots=True)
class Authorization:
    """A sign-in in the browser: ``url`` is to be opened there, then `code` waits for the browser."""

    url: str = field(repr=False)
    redirect: str
    verifier: str = field(repr=False)
    _code: asyncio.Future[str] = field(repr=False)

    async def code(self) -> str:
        """The code that the browser brings. Raises SignInError."""
        return await asyncio.shield(self._code)


@asynccontextmanager
async def authorization(
    endpoints: Endpoints, client: OAuthClient, texts: BrowserTexts
) -> AsyncIterator[Authorization]:
    """Listens for the browser during a block. Raises SignInError (``port_taken``)."""
    wanted = parse_redirect(client.redirect) or Redirect()
    state, verifier = token_urlsafe(24), token_urlsafe(48)
    listener = _Listener(texts, state, endpoints.issuer)
    host = "127.0.0.1" if wanted.host == "localhost" else wanted.host  # one address, so one port
    try:
        server = await asyncio.start_server(listener.serve, host, wanted.port, limit=_LARGEST)
    except OSError:
        raise SignInError("port_taken", value=str(wanted.port)) from None
    try:
        port = server.sockets[0].getsockname()[1]
        listener.redirect = msgspec.structs.replace(wanted, port=port)
        redirect = listener.redirect.url
        url = authorization_url(endpoints, client, redirect, state, verifier)
        yield Authorization(url, redirect, verifier, listener.code)
    finally:
        server.close()
        listener.close()


class _Listener:
    """Answers all requests, and takes the code of the first one that is valid."""

    def __init__(self, texts: BrowserTexts, state: str, issuer: str) -> None:
        self.redirect = Redirect()
        self.code: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._texts = texts
        self._state = state
        self._issuer = issuer
        self._writers: set[asyncio.StreamWriter] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers one request, and closes the connection."""
        self._writers.add(writer)
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                status, text = self._answer(head.decode("latin-1"))
                body = _PAGE.format(title=html.escape(self._texts.title), text=html.escape(text)).encode()
                lines = _HEAD.format(status=status.value, phrase=status.phrase, size=len(body))
                writer.write(lines.replace("\n", "\r\n").encode() + body)
                await writer.drain()
        self._writers.discard(writer)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    def close(self) -> None:
        """Ends all connections, and the waiting for the code."""
        for writer in self._writers:
            writer.close()
        self.code.cancel()

    def _answer(self, head: str) -> tuple[HTTPStatus, str]:
        line, *lines = head.split("\r\n")
        method, _space, target = line.rpartition(" ")[0].partition(" ")
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (one.partition(":") for one in lines)
        }
        if method != "GET":
            return HTTPStatus.METHOD_NOT_ALLOWED, self._texts.refused
        if not self._is_navigation(headers):
            return HTTPStatus.FORBIDDEN, self._texts.refused
        path, _, query = target.partition("?")
        if path != (self.redirect.path or "/"):
            return HTTPStatus.NOT_FOUND, self._texts.refused
        return self._take(query)

    def _is_navigation(self, headers: Mapping[str, str]) -> bool:
        """Whether a browser shows the answer as a page, rather than another page having requested it."""
        # Another host name means that a foreign one was resolved to this address.
        own = urlsplit(self.redirect.url).netloc
        is_own = headers.get("host") in {own, own.removesuffix(":80")}  # browsers leave out the usual port
        mode, target = headers.get("sec-fetch-mode", "navigate"), headers.get("sec-fetch-dest", "document")
        return is_own and "origin" not in headers and (mode, target) == ("navigate", "document")

    def _take(self, query: str) -> tuple[HTTPStatus, str]:
        try:
            found = parse_qs(query, keep_blank_values=True, max_num_fields=20)
        except ValueError:
            return HTTPStatus.BAD_REQUEST, self._texts.refused
        code, state, error, issuer = (found.get(name, [""])[0] for name in _ONCE)
        is_single = all(len(found.get(name, ())) <= 1 for name in _ONCE)
        is_own = compare_digest(state.encode(), self._state.encode())
        is_known = not (issuer and self._issuer) or issuer == self._issuer
        if not (is_single and is_own and is_known) or bool(code) == bool(error):
            return HTTPStatus.BAD_REQUEST, self._texts.refused
        if self.code.done():
            return HTTPStatus.CONFLICT, self._texts.refused
        if error:
            description = redact(found.get("error_description", [""])[0])[:_LONGEST]
            failure = refused("authorization_code", error[:40], description, value=self.redirect.url)
            self.code.set_exception(failure)
            self.code.exception()  # retrieved, in case nobody waits any more
            return HTTPStatus.OK, self._texts.failed
        self.code.set_result(code)
        return HTTPStatus.OK, self._texts.done
