"""Requests as text for other programs: an address, a curl line, lines of Python. The token is never in it.

It is replaced by ``$TOKEN``: a shell puts the variable there, Python reads it from the environment.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from enum import Enum
from urllib.parse import quote, urlencode

from cdb_desktop.client import calls
from cdb_desktop.client.query import EventFilter, Sort
from cdb_desktop.client.request import Request

TOKEN, BODY = "$TOKEN", "$BODY"  # names of variables


class RequestForm(Enum):
    """The form of the text."""

    URL = "url"
    CURL = "curl"
    HTTPX = "httpx"


def request_text(form: RequestForm, address: str, request: Request, *, withheld: bool = False) -> str:
    """``request`` to the service at ``address``; a ``withheld`` body is a variable like the token."""
    if form is RequestForm.URL:
        return f"{_unsigned(address, request)}{f'token={TOKEN}' if request.signed else ''}".rstrip("?&")
    if form is RequestForm.CURL:
        return _curl(address, request, withheld=withheld)
    return _python(address, request, withheld=withheld)


def listing_text(
    form: RequestForm,
    address: str,
    chosen: EventFilter,
    sort: Sequence[Sort] = (),
    *,
    limit: int = 1000,
    full: bool = False,
) -> str:
    """The call that lists the matching events from the first on (§4.3)."""
    call = calls.list_events(chosen, sort, limit, 0, full=full, skip_count=False)
    return request_text(form, address, call.request)


def _unsigned(address: str, request: Request) -> str:
    """The address without the value of the token."""
    query = urlencode(request.query, quote_via=quote)
    return f"{address}/{request.path}?{query}{'&' if query else ''}"


def _curl(address: str, request: Request, *, withheld: bool) -> str:
    arguments = ["curl"]
    if request.method != "GET":
        arguments += ["-X", request.method]
    if request.content_type:
        arguments += ["-H", shlex.quote(f"content-type: {request.content_type}")]
    if withheld:
        arguments += ["--data-raw", f'"{BODY}"']
    elif request.body is not None:
        arguments += ["--data-raw", shlex.quote(request.body.decode("utf-8", "replace"))]
    url = _unsigned(address, request)
    # The shell replaces variables in double quotes only.
    signed = f'{shlex.quote(f"{url}token=")}"{TOKEN}"' if request.signed else shlex.quote(url.rstrip("?&"))
    return " ".join([*arguments, signed])


def _python(address: str, request: Request, *, withheld: bool) -> str:
    reads = request.signed or withheld
    lines = ["import os", "", "import httpx", ""] if reads else ["import httpx", ""]
    lines += ["answer = httpx.request(", f"    {request.method!r},", f"    {f'{address}/{request.path}'!r},"]
    lines += ["    params={", *(f"        {name!r}: {value!r}," for name, value in request.query)]
    if request.signed:
        lines.append(f"        'token': os.environ[{TOKEN.removeprefix('$')!r}],")
    lines.append("    },")
    if withheld:
        lines.append(f"    content=os.environ[{BODY.removeprefix('$')!r}],")
    elif request.body is not None:
        lines.append(f"    content={request.body!r},")
    if request.content_type:
        lines.append(f"    headers={{'content-type': {request.content_type!r}}},")
    return "\n".join([*lines, "    timeout=60,", ")", "answer.raise_for_status()", "print(answer.text)", ""])
