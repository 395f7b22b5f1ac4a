"""Results of the calls and their HTTP responses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import IO

import msgspec
from starlette.background import BackgroundTask
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

JSON = "application/json; charset=utf-8"
_IN_MEMORY_BYTES = 4 << 20
_PART_BYTES = 64 << 10


class Answer(msgspec.Struct, frozen=True):
    """The result of a call; `after` runs in the background after the response has been sent.

    A large body is a temporary file, which is sent from its beginning and then closed. `is_formatted` says
    that JSON has been indented already where that was asked for.
    """

    body: bytes | IO[bytes]
    media_type: str = JSON
    status: int = 200
    filename: str | None = None
    is_formatted: bool = False
    after: Callable[[], object] | None = None
    headers: Mapping[str, str] = {}


def json_answer(
    value: object,
    *,
    status: int = 200,
    after: Callable[[], object] | None = None,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Answer:
    """Returns an answer with a value as JSON."""
    return Answer(msgspec.json.encode(value), status=status, after=after, headers=headers)


def spooled(parts: Iterable[bytes]) -> bytes | IO[bytes]:
    """Joins the parts of a body: in memory if it is small, otherwise in a temporary file.

    A large body or a slow client therefore occupies no memory, thread or transaction, and an error while the
    parts are created is still answered by an error object.
    """
    head: list[bytes] = []
    size, rest = 0, iter(parts)
    for part in rest:
        head.append(part)
        size += len(part)
        if size > _IN_MEMORY_BYTES:
            break
    else:
        return b"".join(head)
    file = TemporaryFile()  # noqa: SIM115 - it is closed once it is sent
    try:
        file.writelines(head)
        head.clear()
        file.writelines(rest)
    except BaseException:
        file.close()
        raise
    return file


class SpooledResponse(Response):
    """Sends a temporary file part by part, as fast as the client takes it, and closes it."""

    def __init__(self, file: IO[bytes], status_code: int, headers: dict[str, str], media_type: str) -> None:
        size = str(file.tell())
        file.seek(0)
        self._file = file
        super().__init__(None, status_code, headers | {"content-length": size}, media_type)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        with self._file:
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            # It was written a moment ago, so it is read from the page cache.
            while part := self._file.read(_PART_BYTES):
                await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


def build_response(answer: Answer, dialect_headers: Mapping[str, str], *, pretty: bool) -> Response:
    """Returns the HTTP response of an answer, with JSON indented or as short as it is (wire §1)."""
    headers = {"cache-control": "no-cache", **dialect_headers, **answer.headers}
    if answer.filename is not None:
        headers["content-disposition"] = f'attachment; filename="{answer.filename}"'
    body = answer.body
    if not isinstance(body, bytes):
        return SpooledResponse(body, answer.status, headers, answer.media_type)
    if pretty and not answer.is_formatted and answer.media_type.startswith("application/json"):
        body = msgspec.json.format(body, indent=1)
    after = None if answer.after is None else BackgroundTask(answer.after)
    return Response(body, answer.status, headers, answer.media_type, after)
