"""Ends the program on signals, and brings exceptions to light that nobody waits for."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable
from types import TracebackType

_ENDING = (signal.SIGINT, signal.SIGTERM)


def end_on_signals(end: Callable[[], None]) -> None:
    """Calls ``end`` in the loop when the process is asked to end."""
    loop = asyncio.get_running_loop()
    for number in _ENDING:
        try:
            loop.add_signal_handler(number, end)
        except NotImplementedError:
            signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(end))


def report_slots(report: Callable[[Exception], None]) -> None:
    """Gives ``report`` what slots and callbacks of the loop raise, which Qt would only print."""

    def from_slot(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, Exception):
            report(error)
        else:
            sys.__excepthook__(kind, error, trace)

    def from_loop(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception):
            report(error)
        else:
            loop.default_exception_handler(context)

    sys.excepthook = from_slot
    asyncio.get_running_loop().set_exception_handler(from_loop)
