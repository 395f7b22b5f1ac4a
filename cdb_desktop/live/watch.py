"""Follows the log of a service by polling (§4.2), through failures, restarts and new sessions. No Qt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from cdb_desktop.client import (
    AnswerError,
    ApiError,
    Client,
    ClientError,
    ServerError,
    Session,
    SessionLostError,
    SlowAnswerError,
    UnreachableError,
)
from cdb_desktop.live.backfill import between, newest
from cdb_desktop.live.batch import Batch
from cdb_desktop.live.polling import Polling
from cdb_desktop.live.reports import (
    Anew,
    Arrived,
    Away,
    Back,
    Gap,
    Held,
    Lost,
    Report,
    Stopped,
    Trying,
)

_PASSING = (UnreachableError, SlowAnswerError, ServerError, AnswerError)  # what the next try may cure
_BEFORE = 200  # events of the list with which the feed begins
_HELD = 2.0  # seconds after which a poll without an answer counts as held


class Watch:
    """One request at a time; everything that happens is told through ``tell`` as a Report."""

    def __init__(self, client: Client, session: Session, tell: Callable[[Report], None]) -> None:
        self._client = client
        self._session = session
        self._tell = tell
        self._polling = Polling(session.current_max_event_id or 0)
        self._has_begun = False
        self._is_new_session = False
        self._now = asyncio.Event()

    @property
    def last_id(self) -> int:
        """The cursor."""
        return self._polling.last_id

    def try_now(self) -> None:
        """Ends the wait for the next poll."""
        self._now.set()

    def renew(self, session: Session) -> None:
        """Takes another session; ``run`` goes on with it where the old one stopped."""
        self._session = session
        self._is_new_session = True

    async def run(self) -> None:
        """Tells what happens until it is cancelled, the session is lost or polling is refused."""
        while True:
            try:
                wait = await self._turn()
            except SessionLostError as error:
                self._tell(Lost(error))
                return
            except _PASSING as error:
                self._polling = self._polling.failed()
                wait = self._polling.wait()
                self._tell(Away(error, wait))
            except ClientError as error:
                self._tell(Stopped(error))
                return
            await self._rest(wait)

    async def _turn(self) -> float:
        if self._polling.failures:
            self._tell(Trying())
        if self._polling.failures or self._is_new_session:
            await self._look_around()
        if not self._has_begun:
            await self._begin()
        started = time.monotonic()
        try:
            batch = await self._poll()
        except SlowAnswerError:
            # A service may hold a request for longer than the client waits: then it answers other calls.
            await self._look_around()
            return 0.0
        except ApiError:
            # Refused is a cursor below the session's lowest, which a restart may have moved (§4.2).
            if await self._look_around():
                return 0.0
            raise
        self._take(batch, time.monotonic() - started)
        return self._polling.wait(time.monotonic() - started)

    async def _begin(self) -> None:
        # The poll's lower bound is the session's newest event, so what lies before comes from the list.
        events = await newest(self._client, self._session, _BEFORE)
        self._has_begun = True
        self._tell(Arrived(Batch(self._polling.last_id, events, "list")))

    async def _poll(self) -> Batch:
        holding = asyncio.get_running_loop().call_later(_HELD, self._note_held)
        try:
            events = await self._client.poll(self._polling.last_id, limit=0)
        finally:
            holding.cancel()
        return Batch(self._polling.last_id, events)

    def _note_held(self) -> None:
        # Not told at once: a service that fails is often slow to say so.
        self._note_back()
        self._tell(Held())

    def _take(self, batch: Batch, seconds: float) -> None:
        self._note_back()
        self._polling = self._polling.answered(batch)
        self._tell(Arrived(batch, None if seconds >= _HELD else seconds * 1000))

    def _note_back(self) -> None:
        if self._polling.failures:
            self._polling = Polling(self._polling.last_id)
            self._tell(Back())

    async def _look_around(self) -> bool:
        """Reads the session anew, which shows that the service is there; says whether the cursor moved."""
        session = await self._client.read_session()
        if not session.authenticated:
            # Polls without a user bring nothing and no error (§4.2), so that nobody would notice.
            raise SessionLostError("user", "error.user.not_authenticated", status=400)
        is_new, self._is_new_session = self._is_new_session, False
        lowest, known = session.current_max_event_id or 0, self._polling.last_id
        if lowest > known:
            await self._close_gap(session, lowest)
        elif is_new and lowest < known:
            # Signing in is itself an event: a session that begins lower belongs to another log.
            self._polling = self._polling.moved(lowest)
            self._tell(Anew(lowest))
        return self._polling.last_id != known

    async def _close_gap(self, session: Session, lowest: int) -> None:
        after = self._polling.last_id
        events = await between(self._client, session, after, lowest)
        if events:
            self._tell(Arrived(Batch(after, events, "list")))
        self._polling = self._polling.moved(lowest)
        self._tell(Gap(after, lowest, None if events is None else len(events)))

    async def _rest(self, seconds: float) -> None:
        self._now.clear()
        if not seconds:
            await asyncio.sleep(0)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._now.wait()
