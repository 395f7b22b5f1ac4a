"""The back-off of a connection: how often calls are sent while the service fails."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from cdb_desktop.client.errors import AnswerError, ClientError, ServerError, UnreachableError

_log = logging.getLogger(__name__)
_SLOT = 1.0  # seconds between two calls while the service fails
_FIRST, _LONGEST, _JITTER = 1.0, 30.0, 1.0  # seconds between automatic tries
_OF_ALL = frozenset({"proxy", "dns", "refused", "timeout", "tls", "disconnected", "network", "busy"})


def retry_pause(failures: int, first: float = 2.0, longest: float = 15.0) -> float:
    """Seconds until the next try after ``failures`` in a row: ``first`` after one, doubled by each other."""
    return min(longest, first * 2.0 ** min(failures - 1, 20))


class Backoff:
    """Makes calls wait while calls of their kind fail.

    A task that calls again after a failure counts as an automatic try: it waits for the pause of its kind of
    call, which grows with each failure and respects Retry-After. A call of another task, for which a user may
    wait, waits for the next slot; there is one a second for all kinds. If the call in the slot before fails,
    it fails with it at once. While a kind of call is held, for example because its answers have no end,
    automatic tries wait for the end of that time, and calls of other tasks fail.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failing: dict[str, _Failing] = {}  # by kind of call
        self._fails_wholly = False  # all kinds of calls
        self._error: ClientError | None = None
        self._failures = 0
        self._tried_at = float("-inf")
        self._not_before = 0.0  # the end of the pause requested by the service
        self._changed = asyncio.Event()
        # The kind of the last failed call of each task.
        self._repeating: WeakKeyDictionary[asyncio.Task[object], str] = WeakKeyDictionary()

    @property
    def pause(self) -> float:
        """Seconds until the next automatic try, or until that of the current task if it repeats a call.

        0 while nothing fails.
        """
        dues = [self._due_of_task()] if self._repeated_kind() else [one.due for one in self._failing.values()]
        return max(0.0, max(min(dues), self._not_before) - self._clock()) if self._failing else 0.0

    def try_now(self) -> None:
        """Lets the next call through at once, and resets the pauses."""
        if self._failing:
            self._tried_at, self._not_before = float("-inf"), 0.0
            for failing in self._failing.values():
                failing.failures, failing.due, failing.held_until = 0, 0.0, 0.0
            self._notify()

    async def permit(self, kind: str) -> None:
        """Waits until a call of this kind may be sent. Raises the ClientError of a failed try meanwhile."""
        repeats = self._repeated_kind() is not None
        while self._fails_wholly or kind in self._failing:
            slot = self._tried_at + _SLOT
            failing = self._failing.get(kind)
            held = failing.held_until if failing else 0.0
            due = max(slot, self._due_of_task(), self._not_before, held) if repeats else slot
            wait = due - self._clock()
            if wait <= 0:
                self._tried_at = self._clock()
                if failing is not None and failing.error is not None and held > self._clock():
                    raise failing.error.with_traceback(None)
                return
            failures = self._failures
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._changed.wait()
            if not repeats and self._failures != failures and self._error is not None:
                raise self._error.with_traceback(None)

    def succeeded(self, kind: str) -> None:
        """Notes the response to a call of this kind."""
        if task := asyncio.current_task():
            self._repeating.pop(task, None)
        if self._fails_wholly or kind in self._failing:
            self._fails_wholly = False
            self._failing.pop(kind, None)
            self._tried_at, self._not_before = float("-inf"), 0.0
            for other in self._failing.values():
                other.due = other.held_until
            if not self._failing:
                self._error, self._failures = None, 0
            self._notify()

    def failed(self, kind: str, error: ClientError, sent: float, *, hold: float = 0.0) -> None:
        """Notes that a call of this kind, ``sent`` at that time, has failed in a way that may pass.

        ``hold``: seconds until another call of this kind is sent, also for the user.
        """
        if task := asyncio.current_task():
            self._repeating[task] = kind
        self._fails_wholly |= isinstance(error, UnreachableError) and error.kind in _OF_ALL
        self._error = error
        failing = self._failing.setdefault(kind, _Failing())
        if sent < failing.failed_at:
            return  # sent concurrently with a call that has failed already
        self._failures += 1
        failing.failures += 1
        failing.failed_at = self._clock()
        pause = retry_pause(failing.failures, _FIRST, _LONGEST) + random.uniform(0, _JITTER)  # noqa: S311
        failing.due = failing.failed_at + max(pause, error.retry_after, hold)
        failing.error = error
        failing.held_until = max(failing.held_until, failing.failed_at + hold if hold else 0.0)
        self._not_before = max(self._not_before, failing.failed_at + error.retry_after)
        seconds = max(failing.due, self._not_before) - failing.failed_at
        _log.info("failure %d in a row, next try in %.1f s: %s", self._failures, seconds, error)
        self._notify()

    def _repeated_kind(self) -> str | None:
        """The kind of call that the current task repeats, None if it does not."""
        try:
            task = asyncio.current_task()
        except RuntimeError:
            return None
        return self._repeating.get(task) if task else None

    def _due_of_task(self) -> float:
        """When the current task may repeat its call."""
        failing = self._failing.get(self._repeated_kind() or "")
        return failing.due if failing else 0.0

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


@dataclass(slots=True)
class _Failing:
    """A kind of calls that fails: how often in a row, since when, and when the next automatic try is due."""

    failures: int = 0
    failed_at: float = float("-inf")
    due: float = 0.0
    held_until: float = 0.0
    error: ClientError | None = None


def may_pass(error: ClientError) -> bool:
    """Whether the same call may succeed later."""
    if isinstance(error, UnreachableError):
        return error.kind != "address"
    return isinstance(error, ServerError | AnswerError)


def kind_of(path: str) -> str:
    """The kind of a call by its path. Calls of one kind fail independently of others."""
    return "/".join(part for part in path.split("/")[2:4] if not part.isdecimal())
