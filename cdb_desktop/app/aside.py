"""Runs blocking calls on a thread that the end of the program does not wait for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


async def aside(work: Callable[[], Result]) -> Result:
    """Returns what ``work`` returns, called on a thread of its own, or raises what it raises.

    The threads of an event loop's executor would delay the end of the program.
    """
    future: Future[Result] = Future()
    # Whoever waits may be cancelled; the thread resolves the future all the same.
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001  # raised again where somebody waits
            future.set_exception(error)

    threading.Thread(target=run, name="aside", daemon=True).start()
    return await asyncio.wrap_future(future)
