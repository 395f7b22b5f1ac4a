"""Runs what blocks on a thread that the program's end does not wait for, unless told so. Knows no task."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


async def aside(work: Callable[[], Result], *, loads: bool = False) -> Result:
    """What ``work`` gives, called on a thread of its own; a loop's own threads would hold the end up.

    The end does wait for what ``loads`` modules: Qt's, cut off half-way, take the process with them.
    """
    future: Future[Result] = Future()
    # Whoever waits may be cancelled; the thread resolves the future all the same.
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001  # raised again where somebody waits
            future.set_exception(error)

    threading.Thread(target=run, name="aside", daemon=not loads).start()
    return await asyncio.wrap_future(future)
