"""The back-off of a connection: how often calls are sent while the service fails."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from cdb_desktop.client.errors import (
    AnswerError,
    ClientError,
    ServerError,
    UnreachableError,
)
from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    import stamina
else:
    stamina = lazy("stamina")  # not before something has failed

_log = logging.getLogger(__name__)
# It would log each pause, without its reason.
logging.getLogger("stamina").setLevel(logging.ERROR)
_SLOT = 1.0  # seconds between two calls while the service fails
_FIRST, _LONGEST, _JITTER = 1.0, 30.0, 1.0  # seconds between automatic tries
_OF_ALL = frozenset({"proxy", "dns", "refused", "timeout", "tls", "disconnected", "network", "busy"})


class Backoff:
    """Makes calls wait while calls of their kind fail.

    A task that calls again after a failure counts as an automatic try: it waits for the pause of its kind of
    call, which grows with each failure and respects Retry-After. A call of another task, for which a user may
    wait, waits for the next slot; there is one a second for all kinds. If the call in the slot before fails,
    it fails with it at once.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failing: dict[str, _Wait] = {}  # by kind of call
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
            for wait in self._failing.values():
                wait.begin()
            self._notify()

    async def permit(self, kind: str) -> None:
        """Waits until a call of this kind may be sent. Raises the ClientError of a failed try meanwhile."""
        repeats = self._repeated_kind() is not None
        while self._fails_wholly or kind in self._failing:
            slot = self._tried_at + _SLOT
            due = max(slot, self._due_of_task(), self._not_before) if repeats else slot
            wait = due - self._clock()
            if wait <= 0:
                self._tried_at = self._clock()
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
            if wait := self._failing.pop(kind, None):
                wait.close()
            self._tried_at, self._not_before = float("-inf"), 0.0
            for other in self._failing.values():
                other.due = 0.0
            if not self._failing:
                self._error, self._failures = None, 0
            self._notify()

    def failed(self, kind: str, error: ClientError, sent: float) -> None:
        """Notes that a call of this kind, ``sent`` at that time, has failed in a way that may pass."""
        if task := asyncio.current_task():
            self._repeating[task] = kind
        self._fails_wholly |= isinstance(error, UnreachableError) and error.kind in _OF_ALL
        self._error = error
        wait = self._failing.get(kind)
        if wait is None:
            wait = self._failing[kind] = _Wait(self._clock, self._notify)
        elif sent < wait.failed_at:
            return  # sent concurrently with a call that has failed already
        self._failures += 1
        wait.fail(error)
        self._not_before = max(self._not_before, self._clock() + error.retry_after)
        seconds = max(wait.due, self._not_before) - self._clock()
        _log.info("failure %d in a row, next try in %.1f s: %s", self._failures, seconds, error)
        self._notify()

    def close(self) -> None:
        """Cancels the running pauses."""
        for wait in self._failing.values():
            wait.close()

    def _repeated_kind(self) -> str | None:
        """The kind of call that the current task repeats, None if it does not."""
        try:
            task = asyncio.current_task()
        except RuntimeError:
            return None
        return self._repeating.get(task) if task else None

    def _due_of_task(self) -> float:
        """When the current task may repeat its call."""
        wait = self._failing.get(self._repeated_kind() or "")
        return wait.due if wait else 0.0

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class _Wait:
    """The pause of one kind of calls before the next automatic try; ``notify`` is called at its end."""

    def __init__(self, clock: Callable[[], float], notify: Callable[[], None]) -> None:
        self._clock, self._notify = clock, notify
        self._task: asyncio.Task[None] | None = None
        self.failed_at = float("-inf")
        self.begin()

    def begin(self) -> None:
        """Resets the pause, until the next failure."""
        self.close()
        self.due = 0.0
        self._pause = _FIRST  # after the next failure
        self._outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.get_running_loop().create_task(self._run(), name="client.backoff")

    def fail(self, error: ClientError) -> None:
        """Starts the next pause."""
        if self._task is None or self._task.done():
            self.begin()
        self.failed_at = self._clock()
        self.due = self.failed_at + max(self._pause + _JITTER, error.retry_after)
        if not self._outcome.done():
            self._outcome.set_exception(error)
            self._outcome.exception()  # marks it as retrieved

    def close(self) -> None:
        """Cancels the pause."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        """Lets the next automatic try through after each pause, until it is cancelled."""

        def hook(error: Exception) -> bool | float:
            # Also called with CancelledError, which must end the loop.
            if not isinstance(error, ClientError):
                return False
            return error.retry_after if error.retry_after > self._pause else True

        tries = stamina.retry_context(
            on=hook, attempts=None, timeout=None, wait_initial=_FIRST, wait_max=_LONGEST, wait_jitter=_JITTER
        )
        async for attempt in tries:
            with attempt:
                self._pause = attempt.next_wait
                if attempt.num > 1:
                    self.due = 0.0
                    self._notify()
                try:
                    await self._outcome
                finally:
                    self._outcome = asyncio.get_running_loop().create_future()


def may_pass(error: ClientError) -> bool:
    """Whether the same call may succeed later."""
    if isinstance(error, UnreachableError):
        return error.kind != "address"
    return isinstance(error, ServerError | AnswerError)


def kind_of(path: str) -> str:
    """The kind of a call by its path. Calls of one kind fail independently of others."""
    return "/".join(part for part in path.split("/")[2:4] if not part.isdecimal())
