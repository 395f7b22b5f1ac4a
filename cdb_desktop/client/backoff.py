"""The one back-off of a connection: how often it asks while its service fails."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakSet

from cdb_desktop.client.errors import (
    AnswerError,
    ClientError,
    ServerError,
    TooLargeError,
    UnreachableError,
)
from cdb_desktop.lazy import lazy

if TYPE_CHECKING:
    import stamina
else:
    stamina = lazy("stamina")  # not before something has failed

_log = logging.getLogger(__name__)
# It says of each pause only that there is one.
logging.getLogger("stamina").setLevel(logging.ERROR)
_SLOT = 1.0  # seconds between two requests while the service fails
_FIRST, _LONGEST, _JITTER = 1.0, 30.0, 1.0  # seconds between automatic tries
_OF_ALL = frozenset({"proxy", "dns", "refused", "timeout", "tls", "disconnected", "network", "busy"})


class Backoff:
    """Lets calls wait while calls of their kind fail; whatever succeeds is not held up.

    A task that calls again after a failure repeats by itself: it waits for the back-off, which grows with
    every failure and heeds Retry-After. A call of another task, which a user may wait for, waits for the next
    of the slots of one second, and fails at once with the call that had the slot before.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failing: set[str] = set()  # kinds of calls
        self._fails_wholly = False  # calls of every kind
        self._error: ClientError | None = None
        self._failures = 0
        self._failed_at = self._tried_at = float("-inf")
        self._due = 0.0
        self._pause = _FIRST  # after the next failure
        self._changed = asyncio.Event()
        self._repeating: WeakSet[asyncio.Task[object]] = WeakSet()
        self._recovery: asyncio.Task[None] | None = None

    @property
    def pause(self) -> float:
        """Seconds until the next automatic try; 0 while nothing fails."""
        return max(0.0, self._due - self._clock()) if self._fails else 0.0

    def try_now(self) -> None:
        """Lets the next call through at once, and begins to count failures anew."""
        if self._fails:
            self._due, self._tried_at = 0.0, float("-inf")
            self._begin()
            self._notify()

    async def permit(self, kind: str) -> None:
        """Comes back when a call of this kind may be sent. Raises the ClientError of a try meanwhile."""
        repeats = asyncio.current_task() in self._repeating
        while self._fails_wholly or kind in self._failing:
            slot = self._tried_at + _SLOT
            wait = (max(slot, self._due) if repeats else slot) - self._clock()
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
        """A call of this kind has been answered."""
        if task := asyncio.current_task():
            self._repeating.discard(task)
        if self._fails_wholly or kind in self._failing:
            self._fails_wholly = False
            self._failing.discard(kind)
            self._due, self._tried_at = 0.0, float("-inf")
            if not self._fails:
                self._error, self._failures = None, 0
                self.close()
            self._notify()

    def failed(self, kind: str, error: ClientError, sent: float) -> None:
        """A call of this kind, sent at that moment, has failed in a way that the next try may cure."""
        if task := asyncio.current_task():
            self._repeating.add(task)
        self._failing.add(kind)
        self._fails_wholly |= isinstance(error, UnreachableError) and error.kind in _OF_ALL
        self._error = error
        if sent < self._failed_at:
            return  # sent side by side with one that has failed: no further step
        self._failures += 1
        self._failed_at = self._clock()
        if self._recovery is None or self._recovery.done():
            self._begin()
        self._due = self._failed_at + max(self._pause + _JITTER, error.retry_after)
        _log.info("failure %d in a row, next try in %.1f s: %s", self._failures, self.pause, error)
        if not self._outcome.done():
            self._outcome.set_exception(error)
            self._outcome.exception()  # looked at, also where nobody waits for it any more
        self._notify()

    def close(self) -> None:
        """Ends the back-off."""
        if self._recovery is not None:
            self._recovery.cancel()
            self._recovery = None

    @property
    def _fails(self) -> bool:
        return self._fails_wholly or bool(self._failing)

    def _begin(self) -> None:
        self.close()
        self._pause = _FIRST
        self._outcome: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._recovery = asyncio.get_running_loop().create_task(self._recover(), name="client.backoff")

    async def _recover(self) -> None:
        """Lets the next automatic try through after each pause, until it is cancelled."""

        def hook(error: Exception) -> bool | float:
            # Also called with CancelledError: repeating after that would never end.
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
                    self._due = 0.0
                    self._notify()
                try:
                    await self._outcome
                finally:
                    self._outcome = asyncio.get_running_loop().create_future()

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def may_pass(error: ClientError) -> bool:
    """Whether the service may answer the same call later, so that the connection backs off."""
    if isinstance(error, TooLargeError):
        return False
    if isinstance(error, UnreachableError):
        return error.kind != "address"
    return isinstance(error, ServerError | AnswerError)


def kind_of(path: str) -> str:
    """The kind of a call by its path, as far as one may fail while others do not."""
    return "/".join(part for part in path.split("/")[2:4] if not part.isdecimal())
