"""Runs coroutines as named tasks of the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from types import TracebackType
from typing import Any, Self

import msgspec
from PySide6.QtCore import QObject, Signal

Work = Coroutine[Any, Any, None]
Handler = Callable[[Exception], None]
Act = Callable[[], None]


class RunningTask(msgspec.Struct, frozen=True):
    """A task that is shown to the user. ``done`` is its progress from 0 to 1, or None if that is unknown."""

    name: str
    title: str
    done: float | None = None


class Tasks(QObject):
    """All tasks of a window or of a connection. A new task replaces the running one of the same name.

    Signals: ``running_changed`` with a tuple of RunningTask when tasks with a title start, end or progress.
    """

    running_changed = Signal(tuple)

    def __init__(self, report: Handler, parent: QObject | None = None) -> None:
        """``report`` is called with each exception for which a task has no handler."""
        super().__init__(parent)
        self._report = report
        self._current: dict[str, asyncio.Task[None]] = {}
        self._titles: dict[str, str] = {}
        self._done: dict[str, float | None] = {}
        self._on_given_up: dict[str, Act] = {}
        self._all: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def running(self) -> tuple[RunningTask, ...]:
        """The tasks with a title, oldest first."""
        named = ((name, self._titles[name]) for name in self._current)
        return tuple(RunningTask(name, title, self._done.get(name)) for name, title in named if title)

    def is_running(self, name: str) -> bool:
        """Whether there is a task of this name."""
        return name in self._current

    def start(
        self,
        name: str,
        work: Work,
        *,
        title: str = "",
        on_error: Handler | None = None,
        on_given_up: Act | None = None,
    ) -> None:
        """Starts ``work``, and cancels the running task of the same name. Does nothing after ``close``.

        ``on_error`` is called if it raises. ``on_given_up`` is called when the user cancels it, but not when
        another task replaces it.
        """
        if self._is_closed:
            work.close()
            return
        title_before = self._remove(name)
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._current[name] = task
        self._titles[name] = title
        if on_given_up is not None:
            self._on_given_up[name] = on_given_up
        self._all.add(task)
        task.add_done_callback(partial(self._ended, name, on_error or self._report))
        # One signal: for the user, a task that replaces another one is the same task.
        self._emit_running(title or title_before)

    def show_progress(self, name: str, title: str, done: float | None) -> None:
        """Shows the progress of a task, from 0 to 1, or None if it is unknown."""
        if name in self._current:
            self._titles[name] = title
            self._done[name] = done
            self._emit_running(title)

    def cancel(self, name: str) -> None:
        """Cancels the task of this name, if there is one."""
        self._emit_running(self._remove(name))

    def give_up(self, name: str) -> None:
        """Cancels a task for the user, and calls its ``on_given_up``."""
        act = self._on_given_up.get(name)
        self.cancel(name)
        if act is not None:
            act()

    async def close(self) -> None:
        """Cancels all tasks, and waits until they have ended."""
        while self._all:
            for name in tuple(self._current):
                self.cancel(name)
            await asyncio.wait(self._all)
        # Only now: a task that is cancelled may start another one to clean up.
        self._is_closed = True

    def _ended(self, name: str, handle: Handler, task: asyncio.Task[None]) -> None:
        self._all.discard(task)
        if self._current.get(name) is task:
            self._emit_running(self._remove(name))
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            handle(error)

    def _remove(self, name: str) -> str:
        """Removes a task, and cancels it unless it is done. Returns its title."""
        task = self._current.pop(name, None)
        if task is not None:
            task.cancel()
        self._done.pop(name, None)
        self._on_given_up.pop(name, None)
        return self._titles.pop(name, "")

    def _emit_running(self, title: str) -> None:
        if title:
            self.running_changed.emit(self.running)
