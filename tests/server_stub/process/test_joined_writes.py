"""What is written in one turn of the loop goes out at once, and nothing of it is lost at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from server_stub.process.connection_limits import JoinedWrites


class _Sent(asyncio.Transport):
    """Keeps what goes out, each call of the system apart."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.calls: list[bytes] = []

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        self.calls.append(b"".join(list_of_data))

    def close(self) -> None:
        self.calls.append(b"closed")


async def test_one_turn_is_one_call() -> None:
    """Head and body go together; what is written in the next turn goes by itself."""
    sent = _Sent()
    joined = JoinedWrites(sent)
    joined.write(b"head ")
    joined.write(b"body")
    assert sent.calls == []
    await asyncio.sleep(0)
    joined.write(b"next")
    await asyncio.sleep(0)
    assert sent.calls == [b"head body", b"next"]


async def test_a_whole_answer_waits_for_no_turn() -> None:
    """Who knows that it is whole has it sent at once; the turn's end sends nothing of it again."""
    sent = _Sent()
    joined = JoinedWrites(sent)
    joined.write(b"head ")
    joined.write(b"body")
    joined.send()
    assert sent.calls == [b"head body"]
    await asyncio.sleep(0)
    assert sent.calls == [b"head body"]


async def test_the_end_comes_after_everything() -> None:
    """An answer that ends the connection is sent whole before."""
    sent = _Sent()
    joined = JoinedWrites(sent)
    joined.write(b"last")
    joined.close()
    await asyncio.sleep(0)
    assert sent.calls == [b"last", b"closed"]


async def test_everything_else_is_the_transports() -> None:
    """Whoever asks for addresses gets those of the connection."""
    assert JoinedWrites(_Sent()).get_extra_info("peername") == ("127.0.0.1", 1)
