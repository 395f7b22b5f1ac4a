"""Looks up in the list the ids that polls have skipped, which `IdLedger` notices."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from cdb_desktop.client import Client, ClientError, Event
from cdb_desktop.live.check_schedule import ListCheck
from cdb_desktop.live.event_lookup import LIST_RIGHT, FoundEvents, Progress, find_events, is_polled_by
from cdb_desktop.live.gap_detection import IdLedger
from cdb_desktop.live.interval_map import IdState
from cdb_desktop.live.reports import EventBatch, EventsReceived

_PAGES = 20  # of a scheduled check
_ALL_PAGES = 2000  # of one that the user waits for
_INTERVAL = 1.0


class GapCheck:
    """Enters the results into the ledger, and reports the events that polls should have brought."""

    def __init__(
        self,
        client: Client,
        ledger: IdLedger,
        report: Callable[[EventsReceived], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._ledger = ledger
        self._report = report
        self._clock = clock

    @property
    def is_possible(self) -> bool:
        """Whether the session may read the list (§5.2)."""
        return self._client.session is not None and self._client.session.allows(LIST_RIGHT)

    async def run(self) -> None:
        """Checks what is due until it is cancelled."""
        while True:
            await asyncio.sleep(_INTERVAL)
            await self.check_due()

    async def check_due(self) -> None:
        """Checks the ids that are due, if there are any."""
        check = self._ledger.take_due_check(self._clock())
        if check is None:
            return
        if not self.is_possible:
            self._ledger.set_unknown(check)
            return
        generation = self._ledger.generation
        try:
            found = await self.check(check)
        except asyncio.CancelledError:
            self._ledger.add_rest(check, self._clock())  # continued by the next run
            raise
        except ClientError:
            # The follower reports it; nothing is known about the ids.
            if generation == self._ledger.generation:
                self._ledger.retry(check, self._clock())
            return
        if found is None and generation == self._ledger.generation:
            self._ledger.set_unread(check, self._clock())

    async def check_all(self, progress: Progress) -> bool:
        """Checks all uncertain ids for a user who waits; False if the list could not be read.

        Raises UnreachableError, SessionLostError.
        """
        check, generation = self._ledger.full_check(), self._ledger.generation
        if check is None or await self.check(check, _ALL_PAGES, progress) is not None:
            return True
        if generation == self._ledger.generation:
            self._ledger.set_unread(check, self._clock())
        return False

    async def check(
        self, check: ListCheck, pages: int = _PAGES, progress: Progress = lambda _done: None
    ) -> int | None:
        """The number of events that polls have not brought; None if the list could not be read.

        Ids that ``pages`` do not reach are checked next. Raises UnreachableError, SessionLostError.
        """
        if not self.is_possible:
            return None
        generation, ranges = self._ledger.generation, self._ledger.uncertain_ranges(check)
        if not ranges:
            return 0
        polled = await find_events(
            self._client, ranges, pages, lambda done: progress(done / 2), pollable=True
        )
        if polled is None:
            return None
        others = await find_events(
            self._client, ranges, pages, lambda done: progress(0.5 + done / 2), pollable=False
        )
        if others is None or generation != self._ledger.generation:
            return None
        return self._enter(check, polled, others, ranges[-1][0])

    def _enter(self, check: ListCheck, polled: FoundEvents, others: FoundEvents, bottom: int) -> int:
        moment, user = self._clock(), self._client.session.user if self._client.session else None
        found = dict.fromkeys(others.events, IdState.UNPOLLABLE)
        missed: list[Event] = []
        for one, event in sorted(polled.events.items()):
            if not is_polled_by(event, user.id if user else None):
                found[one] = IdState.HIDDEN
            elif self._ledger.state(one) is not IdState.RECEIVED:
                missed.append(event)
        self._ledger.add_recovered([event.id for event in missed], moment)
        if missed:
            self._report(EventsReceived(EventBatch(check.first - 1, tuple(missed), "list")))
        down_to = max(polled.down_to, others.down_to)
        self._ledger.add_result(check._replace(first=down_to), found, moment)
        if down_to > bottom:
            self._ledger.add_rest(check._replace(last=down_to - 1), moment)
        return len(missed)
