"""Works on plain values in a thread, so that the window goes on meanwhile."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class Aside:
    """Keeps the collector of circles quiet while a thread works.

    It runs in whatever thread happens to allocate. Circles that it ends there may hold Qt's objects, and
    those crash the program when they end in a thread that is not theirs.
    """

    def __init__(self) -> None:
        self._working = 0
        self._was_on = False

    async def run(
        self, function: Callable[_Given, _Result], *given: _Given.args, **named: _Given.kwargs
    ) -> _Result:
        """What the function gives; it must not touch anything of Qt, and goes on when nobody waits for it."""
        self._begin()
        work = asyncio.get_running_loop().run_in_executor(None, partial(function, *given, **named))
        work.add_done_callback(self._end)
        return await asyncio.shield(work)

    def _begin(self) -> None:
        if not self._working:
            self._was_on = gc.isenabled()
            gc.disable()
        self._working += 1

    def _end(self, work: asyncio.Future[Any]) -> None:
        """Called in the window's own thread: what has gathered meanwhile is collected there."""
        self._working -= 1
        if not self._working and self._was_on:
            gc.enable()
        if not work.cancelled():
            work.exception()  # somebody may have stopped waiting for it
