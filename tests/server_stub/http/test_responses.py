"""Responses of calls."""

from collections.abc import Iterator

import pytest
from starlette.types import Message

from server_stub.http.responses import Answer, build_response, spooled

MANY = 5 << 20


def _parts(size: int) -> Iterator[bytes]:
    for _ in range(size // 1000):
        yield b"x" * 1000


async def _receive() -> Message:
    return {"type": "http.disconnect"}


async def test_a_large_body_is_sent_from_a_file_in_parts() -> None:
    """The length of a large body is announced, and its file is closed afterwards."""
    file = spooled(_parts(MANY))
    assert not isinstance(file, bytes)
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    response = build_response(Answer(file, "text/csv; charset=utf-8"), {}, pretty=True)
    await response({"type": "http"}, _receive, send)
    bodies = [message["body"] for message in sent[1:]]
    assert sum(map(len, bodies)) == int(response.headers["content-length"]) == MANY // 1000 * 1000
    assert max(map(len, bodies)) <= 64 << 10
    assert [message.get("more_body", False) for message in sent[-2:]] == [True, False]
    assert file.closed


async def test_the_file_is_closed_where_sending_fails() -> None:
    """The file is closed if the client disconnects."""
    file = spooled(_parts(MANY))
    assert not isinstance(file, bytes)

    async def send(_: Message) -> None:
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await build_response(Answer(file), {}, pretty=True)({"type": "http"}, _receive, send)
    assert file.closed


def test_a_small_body_stays_in_memory() -> None:
    """JSON in a small body is indented if requested and not yet done."""
    assert spooled([b'{"a":', b"1}"]) == b'{"a":1}'
    assert build_response(Answer(b'{"a":1}'), {}, pretty=True).body == b'{\n "a": 1\n}'
    assert build_response(Answer(b'{"a":1}'), {}, pretty=False).body == b'{"a":1}'
    assert build_response(Answer(b'{"a":1}', is_formatted=True), {}, pretty=True).body == b'{"a":1}'
