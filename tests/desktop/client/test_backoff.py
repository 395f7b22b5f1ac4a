"""Unit tests of the back-off of a connection; `tests/faults` tests it with a real service."""

from __future__ import annotations

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


async def _pause(backoff: Backoff) -> float:
    """The wait of a caller that does not repeat a call."""
    backoff.failed("event/list", _bad_gateway(), float("inf"))
    return backoff.pause
