"""Runs coroutines by name: a new one ends the old one of its name, and no failure is lost. Knows no pane."""

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
    """Work that is shown to the user; ``title`` says what it does, ``done`` how much of it, from 0 to 1."""

    name: str
    title: str
    done: float | None = None


class Tasks(QObject):
    """The one place where tasks are made.

    Signals: ``running_changed`` with a tuple of Running, whenever work that has a title begins, ends
    or tells how far it is.
    """

    running_changed = Signal(tuple)

    def __init__(self, report: Handler, parent: QObject | None = None) -> None:
        """``report`` is told every failure that nobody else takes."""
        super().__init__(parent)
        self._report = report
        self._current: dict[str, asyncio.Task[None]] = {}
        self._titles: dict[str, str] = {}
        self._done: dict[str, float | None] = {}
        self._if_given_up: dict[str, Act] = {}
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
        """The work that has a title, oldest first."""
        named = ((name, self._titles[name]) for name in self._current)
        return tuple(RunningTask(name, title, self._done.get(name)) for name, title in named if title)

    def is_running(self, name: str) -> bool:
        """Whether work of this name is under way."""
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
        """Begins ``work`` and cancels what ran under ``name``; failures go to ``on_error`` or the report.

        ``on_given_up`` is called when the user ends it, not when newer work of its name does. After ``close``
        nothing is begun any more.
        """
        if self._is_closed:
            work.close()
            return
        before = self._end(name)
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._current[name] = task
        self._titles[name] = title
        if on_given_up is not None:
            self._if_given_up[name] = on_given_up
        self._all.add(task)
        task.add_done_callback(partial(self._ended, name, on_error or self._report))
        # Once: what takes the place of its like is the same work to whoever looks on.
        self._tell(title or before)

    def show_progress(self, name: str, title: str, done: float | None) -> None:
        """Tells how far the work of this name is; ``done`` is from 0 to 1, None while nobody knows."""
        if name in self._current:
            self._titles[name] = title
            self._done[name] = done
            self._tell(title)

    def cancel(self, name: str) -> None:
        """Cancels what runs under ``name``, if anything does."""
        self._tell(self._end(name))

    def give_up(self, name: str) -> None:
        """The same because the user does not want it any more, which whoever began it is told."""
        act = self._if_given_up.get(name)
        self.cancel(name)
        if act is not None:
            act()

    async def close(self) -> None:
        """Cancels everything and waits until it has ended."""
        while self._all:
            for name in tuple(self._current):
                self.cancel(name)
            await asyncio.wait(self._all)
        # Only now: work that is given up may begin something for its last word.
        self._is_closed = True

    def _ended(self, name: str, handle: Handler, task: asyncio.Task[None]) -> None:
        self._all.discard(task)
        if self._current.get(name) is task:
            self._tell(self._end(name))
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            handle(error)

    def _end(self, name: str) -> str:
        """Forgets the work of this name, cancelled unless it is done; gives the title that it had."""
        task = self._current.pop(name, None)
        if task is not None:
            task.cancel()
        self._done.pop(name, None)
        self._if_given_up.pop(name, None)
        return self._titles.pop(name, "")

    def _tell(self, title: str) -> None:
        if title:
            self.running_changed.emit(self.running)
