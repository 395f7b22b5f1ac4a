"""Follows the log of a service by polling (§4.2), through failures, restarts and new sessions. No Qt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

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
from cdb_desktop.live.audit import Audit
from cdb_desktop.live.backfill import newest
from cdb_desktop.live.batch import Batch
from cdb_desktop.live.ledger import Ledger
from cdb_desktop.live.looks import Look
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
    Woke,
)

_PASSING = (UnreachableError, SlowAnswerError, ServerError, AnswerError)  # what the next try may cure
_BEFORE = 200  # events of the list with which the feed begins
_GAP_PAGES = 200  # of the list that are read where polls cannot go
_QUIET = 15.0  # seconds without an event after which the session is looked at
_HELD = 2.0  # seconds after which a poll without an answer counts as held
_JUMP = 5.0  # seconds by which the time of day may go ahead of the clock that a sleeping computer stops


class Watch:
    """One poll at a time; everything that happens is told through ``tell`` as a Report.

    ``ledger`` accounts for every id, ``audit`` looks up in the list what polls do not tell.
    """

    def __init__(
        self,
        client: Client,
        session: Session,
        tell: Callable[[Report], None],
        clock: Callable[[], float] = time.monotonic,
        day: Callable[[], float] = time.time,
    ) -> None:
        """``clock`` never goes back, ``day`` is the time of day; both in seconds."""
        self._client = client
        self._session = session
        self._tell = tell
        self._clock, self._day = clock, day
        self._lowest = session.current_max_event_id or 0  # no poll may begin below (§4.2)
        self._polling = Polling(self._lowest)
        self.ledger = Ledger()
        self.audit = Audit(client, self.ledger, tell, clock)
        self._has_begun = False
        self._is_new_session = False
        self._is_unsure = False
        self._heard = clock()
        self._moments = day(), clock()
        self._now = asyncio.Event()
        self.due: float | None = None  # the moment of the next poll, None while one is under way

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
        while (wait := await self.turn()) is not None:
            self.due = self._clock() + wait
            await self._rest(wait)
            self.due = None

    async def turn(self) -> float | None:
        """Asks once; gives the seconds until the next time, None where there is none."""
        try:
            return await self._ask()
        except SessionLostError as error:
            self._tell(Lost(error))
        except _PASSING as error:
            self._polling = self._polling.failed()
            wait = self._polling.wait()
            self._tell(Away(error, wait))
            return wait
        except ClientError as error:
            self._tell(Stopped(error))
        return None

    async def _ask(self) -> float:
        if self._polling.failures:
            self._tell(Trying())
        self._note_sleep()
        if self._polling.failures or self._is_new_session or self._is_unsure:
            await self._look_around()
        if not self._has_begun:
            await self._begin()
        started = self._clock()
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
        self._take(batch, self._clock() - started)
        if self._clock() - self._heard >= _QUIET:
            # Signed out elsewhere, polls bring nothing and no error (§4.2): reading the session tells.
            await self._client.read_session()
            self._heard = self._clock()
        return self._polling.wait(self._clock() - started)

    async def _begin(self) -> None:
        # The poll's lower bound is the session's newest event, so what lies before comes from the list.
        events = await newest(self._client, self._session, _BEFORE)
        self._has_begun = True
        last, moment = self._polling.last_id, self._clock()
        self.ledger.begin(min((event.id - 1 for event in events), default=last))
        self.ledger.saw((event.id for event in events), moment)
        self.ledger.reach(last, moment)
        self._tell(Arrived(Batch(last, events, "list")))

    async def _poll(self) -> Batch:
        holding = asyncio.get_running_loop().call_later(_HELD, self._note_held)
        after = self._polling.last_id
        if self._polling.pace:
            # Ids may become visible out of order: what was passed is asked for again until it is settled.
            after = max(self._lowest, self.ledger.overlap(after))
        try:
            events = await self._client.poll(after, limit=0)
        finally:
            holding.cancel()
        return Batch(after, events)

    def _note_held(self) -> None:
        # Not told at once: a service that fails is often slow to say so.
        self._note_back()
        self._tell(Held())

    def _take(self, batch: Batch, seconds: float) -> None:
        self._note_back()
        self._polling = self._polling.answered(batch)
        fresh = replace(batch, events=self.ledger.unseen(batch.events))
        self.ledger.saw((event.id for event in batch.events), self._clock())
        if batch.events:
            self._heard = self._clock()
        self._tell(Arrived(fresh, None if seconds >= _HELD else seconds * 1000))

    def _note_back(self) -> None:
        if self._polling.failures:
            self._polling = Polling(self._polling.last_id)
            self._tell(Back())

    async def _look_around(self) -> bool:
        """Reads the session anew, which shows that the service is there; says whether the cursor moved."""
        session = await self._client.read_session()
        self._heard = self._clock()
        is_new, self._is_new_session, self._is_unsure = self._is_new_session, False, False
        lowest, known = session.current_max_event_id or 0, self._polling.last_id
        self._lowest = lowest
        if lowest > known:
            await self._close_gap(lowest)
        elif is_new and lowest < known:
            # Signing in is itself an event: a session that begins lower belongs to another log.
            self._polling = self._polling.moved(lowest)
            self.ledger.begin(lowest)
            self._tell(Anew(lowest))
        return self._polling.last_id != known

    async def _close_gap(self, lowest: int) -> None:
        after = self._polling.last_id
        self.ledger.reach(lowest, self._clock())
        found = await self.audit.look(Look(0.0, after + 1, lowest), _GAP_PAGES)
        self._polling = self._polling.moved(lowest)
        self._tell(Gap(after, lowest, found))

    def _note_sleep(self) -> None:
        day, clock = self._day(), self._clock()
        jumped = day - self._moments[0] - (clock - self._moments[1])
        self._moments = day, clock
        if abs(jumped) >= _JUMP:
            # The session may have expired and connections be dead, whatever has become of the clock.
            self._is_unsure = True
            self._tell(Woke(jumped))

    async def _rest(self, seconds: float) -> None:
        self._now.clear()
        if not seconds:
            await asyncio.sleep(0)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._now.wait()
