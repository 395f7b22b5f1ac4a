"""Who may draw when: few drawings at a time, one for each caller, and few callers that wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

_T = TypeVar("_T")


class QueueExceededError(Exception):
    """Too many wait, or the time to wait is over."""


class DrawingQueue:
    """Turns in order of arrival; a caller whose drawing runs is passed over.

    `drawing` drawings run at a time and `waiting` threads wait, of them `of_one_caller` for the same caller.
    """

    def __init__(self, drawing: int, waiting: int, of_one_caller: int) -> None:
        self._most_drawing = drawing
        self._most_waiting = waiting
        self._most_of_one = of_one_caller
        self._changed = threading.Condition()
        self._drawing: set[str] = set()
        # The callers that wait for their turn, and those that wait for the same picture as another.
        self._waiting: list[tuple[str, object]] = []
        self._sharing: list[str] = []

    @contextmanager
    def turn(self, caller: str, deadline: float) -> Iterator[None]:
        """Waits until the caller may draw, at most until `deadline` on the monotonic clock.

        Raises QueueExceededError, at once if too many wait.
        """
        place = (caller, object())
        with self._changed:
            self._waiting.append(place)
            try:
                if not self._is_next(place):
                    self._check_waiting(caller)
                seconds = max(0.0, deadline - time.monotonic())
                if not self._changed.wait_for(lambda: self._is_next(place), seconds):
                    raise QueueExceededError
                self._drawing.add(caller)
            finally:
                self._waiting.remove(place)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._drawing.remove(caller)
                self._changed.notify_all()

    def share(self, result: Future[_T], caller: str, deadline: float) -> _T:
        """The result of another caller's drawing; the errors of `turn`, and that of the drawing."""
        if result.done():
            return result.result()
        with self._changed:
            self._sharing.append(caller)
            try:
                self._check_waiting(caller)
            except QueueExceededError:
                self._sharing.remove(caller)
                raise
        try:
            return result.result(max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            raise QueueExceededError from None
        finally:
            with self._changed:
                self._sharing.remove(caller)

    def _is_next(self, place: tuple[str, object]) -> bool:
        if len(self._drawing) >= self._most_drawing:
            return False
        return next((each for each in self._waiting if each[0] not in self._drawing), None) == place

    def _check_waiting(self, caller: str) -> None:
        """Raises QueueExceededError if the last that came is one too many."""
        callers = [*(name for name, _ in self._waiting), *self._sharing]
        if len(callers) > self._most_waiting or callers.count(caller) > self._most_of_one:
            raise QueueExceededError
