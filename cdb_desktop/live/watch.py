"""Follows the log of a service by polling (§4.2), through failures, restarts and new sessions. No Qt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec.structs import replace

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
    Unreadable,
)
from cdb_desktop.live.audit import Audit
from cdb_desktop.live.backfill import newest
from cdb_desktop.live.batch import Batch
from cdb_desktop.live.far_ids import FarIds, advance_cursor
from cdb_desktop.live.ledger import Ledger
from cdb_desktop.live.looks import SETTLED, Look
from cdb_desktop.live.polling import Pace, Polling
from cdb_desktop.live.probe import Probe, is_late
from cdb_desktop.live.rejects import Rejects
from cdb_desktop.live.reports import (
    Anew,
    Arrived,
    Away,
    Back,
    Gap,
    Held,
    Lost,
    Report,
    Silent,
    Stopped,
    Trying,
    Unread,
    Woke,
)

_PASSING = (UnreachableError, SlowAnswerError, ServerError, AnswerError)  # what the next try may cure
_BEFORE = 200  # events of the list with which the feed begins
_GAP_PAGES = 200  # of the list that are read where polls cannot go
_QUIET = 15.0  # seconds without an event after which the session is looked at
_POLLS_TO_SETTLE = 3  # that have to be made before an id that was passed counts as settled
_SOON = 0.5  # seconds of a wait that is not worth telling
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
        self._polling, self._pace = Polling(self._lowest), Pace()
        self.ledger = Ledger()
        self.audit = Audit(client, self.ledger, tell, clock)
        self.far_ids = FarIds(self.ledger)
        self.rejects = Rejects()
        self._probe = Probe(client, self._note_held, self._note_silent)
        self._has_begun = False
        self._is_new_session = False
        self._is_unsure = False
        self._error: ClientError | None = None  # of the last poll
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
        self._client.try_now()
        self._now.set()

    def keep_pace(self, pace: Pace) -> None:
        """Asks at another pace from now on, beginning at once."""
        self._pace = pace
        # What becomes visible a little late has to be met by another poll.
        self.ledger.settle_after(max(SETTLED, _POLLS_TO_SETTLE * pace.interval))
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
        if self._error is not None and (pause := self._client.pause) > _SOON:
            # Other calls have failed meanwhile, so that the connection waits for longer.
            self._tell(Away(self._error, pause))
            return pause
        try:
            return await self._ask()
        except SessionLostError as error:
            self._tell(Lost(error))
        except _PASSING as error:
            self._error = error
            self._polling = self._polling.failed()
            # The service may have asked for a longer wait, and other calls may have failed before.
            wait = max(self._polling.wait(), self._client.pause)
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
        found = await newest(self._client, self._session, _BEFORE)
        events = found.events
        self._has_begun = True
        last, moment = self._polling.last_id, self._clock()
        self.ledger.begin(min((event.id - 1 for event in events), default=last))
        self.far_ids.add((event.id for event in events), last, moment)
        self.ledger.reach(last, moment)
        self._tell(Arrived(Batch(last, events, "list")))
        self._refuse(found.unreadable)

    async def _poll(self) -> Batch:
        after = self._polling.last_id
        if self._polling.pause:
            # Ids may become visible out of order: what was passed is asked for again until it is settled.
            after = max(self._lowest, self.ledger.overlap(after))
        async with self._probe:
            polled = await self._client.poll(after, limit=0)
        return Batch(after, polled.events, unreadable=polled.unreadable)

    def _note_held(self) -> None:
        self._note_back()
        self._tell(Held())

    def _note_silent(self, error: ClientError) -> None:
        self._polling = self._polling.failed()
        self._tell(Silent(error))

    def _take(self, batch: Batch, seconds: float) -> None:
        self._note_back()
        moment, ids = self._clock(), [event.id for event in batch.events]
        cursor = advance_cursor(self._polling.last_id, ids)
        self._polling = self._polling.answered(batch, cursor, self._pace)
        fresh = replace(batch, events=self.far_ids.new_events(batch.events))
        self.far_ids.add(ids, cursor, moment)
        if batch.events:
            self._heard = moment
        self._tell(Arrived(fresh, None if is_late(seconds) else seconds * 1000))
        self._refuse(batch.unreadable)

    def _refuse(self, found: Sequence[Unreadable]) -> None:
        unread = self.rejects.take(found)
        if unread:
            self._tell(Unread(unread))

    def _note_back(self) -> None:
        self._error = None
        if self._polling.failures:
            self._polling = Polling(self._polling.last_id, pause=self._pace.interval)
            self.ledger.hurry(self._clock())
            self._tell(Back())

    async def _look_around(self) -> bool:
        """Reads the session anew, which shows that the service is there; says whether the cursor moved."""
        session = await self._client.read_session()
        self._heard = self._clock()
        is_new, self._is_new_session, self._is_unsure = self._is_new_session, False, False
        lowest, known = session.current_max_event_id or 0, self._polling.last_id
        self._lowest = lowest
        if is_new and lowest < known:
            self._follow_another_log(lowest)
        if lowest > self._polling.last_id:
            await self._close_gap(lowest)
        return self._polling.last_id != known

    def _follow_another_log(self, lowest: int) -> None:
        """Signing in is itself an event, so that a session that begins below the cursor is of another log."""
        self._polling = self._polling.moved(lowest)
        self.ledger.begin(lowest)
        self.far_ids.clear()
        self._tell(Anew(lowest))

    async def _close_gap(self, lowest: int) -> None:
        after = self._polling.last_id
        self.ledger.reach(lowest, self._clock())
        self.far_ids.add((), lowest, self._clock())
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
