"""Exchanges with the service, reported to the watcher of a client, and requests as text for other programs.

They contain no token and no password. In texts ``$TOKEN`` is in its place: a shell puts the variable there,
Python reads it from the environment.
"""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import Awaitable, Callable, Generator
from dataclasses import replace
from datetime import UTC, datetime
from enum import Enum
from typing import TypeVar
from urllib.parse import quote, urlencode

import msgspec

from cdb_desktop.client.errors import ServiceError, SlowAnswerError, UnreachableError
from cdb_desktop.client.records import EventPage, Polled
from cdb_desktop.client.request import LARGE, Call, Request, Response

Result = TypeVar("Result")

_LARGEST = 16_384  # bytes of a request body that is kept for copying


class Exchange(msgspec.Struct, frozen=True):
    """One request and its answer.

    ``status`` is 0 where none came; ``rows`` is None where the answer has none. ``failure`` is the code of
    the service's error, ``unreachable.<kind>``, ``slow``, ``cancelled``, ``answer`` for one that cannot be
    read, or empty. ``uuid`` is that of a failure of the service itself.
    """

    request: Request
    withheld: bool
    started: datetime
    seconds: float
    status: int
    size: int
    rows: int | None
    failure: str
    uuid: str = ""

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.request.method

    @property
    def path(self) -> str:
        """The path below the service's address."""
        return f"/{self.request.path}"

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Names and values of the query, without the token."""
        return self.request.query

    def text(self, form: RequestForm, address: str) -> str:
        """The request as text for another program; ``address`` is that of the service."""
        return request_text(form, address, self.request, withheld=self.withheld)


Watch = Callable[[Exchange], None]


async def watched(call: Call[Result], send: Callable[[Request], Awaitable[Response]], watch: Watch) -> Result:
    """Sends a call and returns its result; calls ``watch`` in any case."""
    started, clock = datetime.now(UTC), time.perf_counter()
    answer: Response | None = None
    seconds, rows, failure, uuid = 0.0, None, "", ""
    try:
        answer = await send(call.request)
        seconds = time.perf_counter() - clock
        result = await decoded(call, answer)
        rows = _rows(result)
    except BaseException as error:
        failure = _failure(error)
        uuid = error.uuid if isinstance(error, ServiceError) else ""
        raise
    else:
        return result
    finally:
        request, withheld = _harmless(call.request)
        status_and_size = (answer.status, len(answer.body)) if answer else (0, 0)
        seconds = seconds or time.perf_counter() - clock
        watch(Exchange(request, withheld, started, seconds, *status_and_size, rows, failure, uuid))


async def decoded(call: Call[Result], answer: Response) -> Result:
    """The decoded response. Other tasks run between its parts; large ones are decoded in a thread."""
    results: list[Result] = []

    def parts() -> Generator[None, None, None]:
        found = call.decode(answer)
        results.append((yield from found) if isinstance(found, Generator) else found)

    if len(answer.body) > LARGE:
        await asyncio.to_thread(list, parts())
    else:
        for _ in parts():
            await asyncio.sleep(0)
    return results[0]


def _harmless(request: Request) -> tuple[Request, bool]:
    """The request without what is secret in it or too large to keep, and whether anything was taken out."""
    withheld = bool(request.secrets) or len(request.body or b"") > _LARGEST
    return replace(request, body=None if withheld else request.body, secrets=(), sink=None), withheld


def _rows(result: object) -> int | None:
    if isinstance(result, EventPage | Polled):
        return len(result.events) + len(result.unreadable)
    return result if isinstance(result, int) else None


def _failure(error: BaseException) -> str:
    if isinstance(error, ServiceError):
        return error.code or "answer"
    if isinstance(error, UnreachableError):
        return f"unreachable.{error.kind}"
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return "slow" if isinstance(error, SlowAnswerError) else "answer"


TOKEN, BODY = "$TOKEN", "$BODY"  # names of variables


class RequestForm(Enum):
    """The form of the text."""

    URL = "url"
    CURL = "curl"
    HTTPX = "httpx"


def request_text(form: RequestForm, address: str, request: Request, *, withheld: bool = False) -> str:
    """``request`` to the service at ``address``; a ``withheld`` body is a variable like the token."""
    if form is RequestForm.URL:
        # A token in a header has no place in an address.
        signature = f"token={TOKEN}" if request.signed and not request.bearer else ""
        return f"{_unsigned(address, request)}{signature}".rstrip("?&")
    if form is RequestForm.CURL:
        return _curl(address, request, withheld=withheld)
    return _python(address, request, withheld=withheld)


def _unsigned(address: str, request: Request) -> str:
    """The address without the value of the token."""
    query = urlencode(request.query, quote_via=quote)
    return f"{address}/{request.path}?{query}{'&' if query else ''}"


def _curl(address: str, request: Request, *, withheld: bool) -> str:
    arguments = ["curl"]
    if request.method != "GET":
        arguments += ["-X", request.method]
    for name, value in request.headers.items():
        arguments += ["-H", shlex.quote(f"{name}: {value}")]
    if request.signed and request.bearer:
        arguments += ["-H", f'"authorization: Bearer {TOKEN}"']
    if withheld:
        arguments += ["--data-raw", f'"{BODY}"']
    elif request.body is not None:
        arguments += ["--data-raw", shlex.quote(request.body.decode("utf-8", "replace"))]
    url = _unsigned(address, request)
    # The shell replaces variables in double quotes only.
    in_query = request.signed and not request.bearer
    signed = f'{shlex.quote(f"{url}token=")}"{TOKEN}"' if in_query else shlex.quote(url.rstrip("?&"))
    return " ".join([*arguments, signed])


def _python(address: str, request: Request, *, withheld: bool) -> str:
    reads = request.signed or withheld
    lines = ["import os", "", "import httpx", ""] if reads else ["import httpx", ""]
    lines += ["answer = httpx.request(", f"    {request.method!r},", f"    {f'{address}/{request.path}'!r},"]
    lines += ["    params={", *(f"        {name!r}: {value!r}," for name, value in request.query)]
    token = f"os.environ[{TOKEN.removeprefix('$')!r}]"
    if request.signed and not request.bearer:
        lines.append(f"        'token': {token},")
    lines.append("    },")
    if withheld:
        lines.append(f"    content=os.environ[{BODY.removeprefix('$')!r}],")
    elif request.body is not None:
        lines.append(f"    content={request.body!r},")
    headers = [f"{name!r}: {value!r}" for name, value in request.headers.items()]
    if request.signed and request.bearer:
        headers.append(f"'authorization': 'Bearer ' + {token}")
    if headers:
        lines.append(f"    headers={{{', '.join(headers)}}},")
    return "\n".join([*lines, "    timeout=60,", ")", "answer.raise_for_status()", "print(answer.text)", ""])
