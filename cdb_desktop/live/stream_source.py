"""The stream of new events as a second source of the ids that polls bring.

A stream tells nothing of what has happened before it was open: its events wait here until a poll has brought
those.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress

from cdb_desktop.client import Client, ClientError, Polled, SessionLostError, UnreachableError
from cdb_desktop.client.backoff import retry_pause
from cdb_desktop.client.errors import StreamRefusedError
from cdb_desktop.live.feed_status import StreamState
from cdb_desktop.vocabulary.error_messages import error_message

_FIRST, _LONGEST = 1.0, 300.0  # seconds between two attempts
_WAITING = 20  # answers; what the follower does not take stays at the service
_log = logging.getLogger(__name__)


class StreamSource:
    """Keeps a stream open while `run` runs.

    ``notify`` is called when the state changes, and when there is something to take. ``number`` is that of
    the current connection, ``refusal`` says why the last one was refused.
    """

    def __init__(self, client: Client, notify: Callable[[], None]) -> None:
        self._client = client
        self._notify = notify
        self._answers: deque[Polled] = deque()
        self._has_space = asyncio.Event()
        self._retry = asyncio.Event()
        self.state: StreamState = "none"
        self.refusal = ""
        self.number = 0

    def take(self) -> Iterator[Polled]:
        """Removes and returns what the connection has brought."""
        while self._answers:
            yield self._answers.popleft()
        self._has_space.set()

    def retry_now(self) -> None:
        """Ends a pause between two attempts."""
        self._retry.set()

    async def run(self) -> None:
        """Opens a stream again and again until it is cancelled."""
        failures = 0
        self._set("none")
        while True:
            has_brought = False
            try:
                has_brought = await self._receive()
            except (SessionLostError, UnreachableError):
                self._set("none")  # polls fail, too, and report it
            except ClientError as error:
                if self.state != "refused":
                    _log.warning("events are polled: %s", error)
                self.refusal = (
                    error.reason if isinstance(error, StreamRefusedError) else error_message(error).title
                )
                self._set("refused")
            failures = 0 if has_brought else failures + 1
            if failures:
                await self._pause(retry_pause(failures, _FIRST, _LONGEST))

    async def _pause(self, seconds: float) -> None:
        self._retry.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._retry.wait()

    async def _receive(self) -> bool:
        """Reads a stream until it ends; whether it has brought anything. Raises ClientError if none opens."""
        stream = await self._client.open_stream()
        has_brought = False
        self.number += 1
        self._set("open")
        try:
            while True:
                self._answers.append(await stream.read())
                has_brought = True
                self._notify()
                while len(self._answers) >= _WAITING:
                    self._has_space.clear()
                    await self._has_space.wait()
        except ClientError:
            return has_brought
        finally:
            # Polls bring what has not been taken.
            self._answers.clear()
            self._set("none")
            await stream.close()

    def _set(self, state: StreamState) -> None:
        if state != self.state:
            self.state = state
            self._notify()
