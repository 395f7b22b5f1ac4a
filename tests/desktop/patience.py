"""Waits until a condition holds, in coroutines and in tests of other processes."""

import asyncio
import time
from collections.abc import Callable

LONGEST = 60.0  # seconds; only a failing test waits so long, also on a busy machine


async def until(condition: Callable[[], object], seconds: float = LONGEST) -> None:
    """Returns as soon as ``condition`` holds; raises TimeoutError if it does not within ``seconds``."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  # conditions are of any kind
            await asyncio.sleep(0.01)


async def process_events() -> None:
    """Returns when Qt has processed what was pending.

    `QApplication.processEvents` in a coroutine would run steps of other tasks in its middle, which asyncio
    refuses: those tasks would never be resumed.
    """
    await asyncio.sleep(0.01)


def wait_until(condition: Callable[[], object], seconds: float = LONGEST) -> None:
    """Waits without an event loop."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not true within {seconds:g} s")
        time.sleep(0.02)
