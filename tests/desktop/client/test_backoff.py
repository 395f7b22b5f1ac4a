"""Unit tests of the back-off of a connection; `tests/faults` tests it with a real service."""

import asyncio

import pytest

from cdb_desktop.client import AnswerError
from cdb_desktop.client.backoff import Backoff


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divides the waits by a hundred."""
    for name in ("_SLOT", "_FIRST", "_JITTER"):
        monkeypatch.setattr(f"cdb_desktop.client.backoff.{name}", 0.01)


def _bad_gateway() -> AnswerError:
    return AnswerError("not_json", status=502, content_type="text/html")


async def test_a_success_ends_it() -> None:
    """A failed call is let through after its pause; after a success no call waits any longer."""
    backoff = Backoff()
    backoff.failed("list", _bad_gateway(), 0.0)
    assert backoff.pause > 0
    await asyncio.wait_for(backoff.permit("list"), 5)
    backoff.succeeded("list")
    assert backoff.pause == 0


async def test_failures_of_other_calls_do_not_prolong_a_wait() -> None:
    """Repeated failures of counts do not delay a poll whose own wait is over."""
    now = 100.0
    backoff = Backoff(lambda: now)

    async def count() -> None:
        backoff.failed("event/list", _bad_gateway(), now)

    backoff.failed("event/poll", _bad_gateway(), now)
    wait = backoff.pause
    assert wait > 0
    for _ in range(20):
        now += wait / 10
        await asyncio.create_task(count())
    assert backoff.pause == 0
    assert await asyncio.wait_for(asyncio.create_task(_pause(backoff)), 5) > 0


async def test_concurrent_failures_count_once() -> None:
    """Calls that were sent before the first failure do not prolong the pause."""
    now = 100.0
    backoff = Backoff(lambda: now)
    backoff.failed("event/list", _bad_gateway(), now)
    pause = backoff.pause
    for _ in range(5):
        backoff.failed("event/list", _bad_gateway(), now - 1)
    assert backoff.pause == pause


async def test_a_kind_of_call_is_held() -> None:
    """Automatic tries wait for the end of the time; calls of other tasks fail with the known error."""
    now = 100.0
    backoff = Backoff(lambda: now)

    async def ask(kind: str) -> None:
        await backoff.permit(kind)

    await ask("event/list")
    backoff.failed("event/list", _bad_gateway(), now, hold=10.0)
    backoff.failed("event/poll", _bad_gateway(), now)
    now += 5
    with pytest.raises(AnswerError):
        await asyncio.create_task(ask("event/list"))
    now += 1
    await asyncio.create_task(ask("event/poll"))
    backoff.succeeded("event/poll")
    waiting = asyncio.create_task(_repeat(backoff, now))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    waiting.cancel()
    now += 5
    await asyncio.create_task(ask("event/list"))


async def _repeat(backoff: Backoff, sent: float) -> None:
    """A caller that calls again after a failure."""
    backoff.failed("event/list", _bad_gateway(), sent - 100)
    await backoff.permit("event/list")


async def _pause(backoff: Backoff) -> float:
    """The wait of a caller that does not repeat a call."""
    backoff.failed("event/list", _bad_gateway(), float("inf"))
    return backoff.pause
