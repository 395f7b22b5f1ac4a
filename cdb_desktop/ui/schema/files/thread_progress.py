"""Shows the progress of work on a thread, and stops the work when its task is cancelled."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.ui.tasks import Tasks

Result = TypeVar("Result")

_INTERVAL = 0.1  # seconds between two values that are shown


class _StoppedError(Exception):
    """The task of this work has been cancelled."""


async def run_with_progress(
    tasks: Tasks, name: str, title: str, work: Callable[[Callable[[float], None]], Result]
) -> Result:
    """Calls ``work`` on a thread with a function that takes the part that is done, from 0 to 1.

    That function raises an exception once the task ``name``, which awaits this, is cancelled.
    """
    loop = asyncio.get_running_loop()
    is_stopped = threading.Event()
    shown = 0.0

    def show(done: float) -> None:
        nonlocal shown
        if is_stopped.is_set():
            raise _StoppedError
        now = time.monotonic()
        if now - shown >= _INTERVAL:
            shown = now
            loop.call_soon_threadsafe(tasks.show_progress, name, title, min(done, 1.0))

    try:
        return await run_in_thread(work, show)
    finally:
        is_stopped.set()
