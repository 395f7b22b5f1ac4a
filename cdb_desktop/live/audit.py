"""Looks ids that polls have passed over up in the list, so that the ledger can tell what became of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from cdb_desktop.client import Client, ClientError, Event
from cdb_desktop.live.backfill import RIGHT, Listed, Note, Place, listed, reaches
from cdb_desktop.live.batch import Batch
from cdb_desktop.live.ledger import Ledger
from cdb_desktop.live.looks import Look
from cdb_desktop.live.reports import Arrived
from cdb_desktop.live.runs import Kind

_PAGES = 20  # of a look that nobody has asked for
_ALL_PAGES = 2000  # of one that somebody waits for
_BEAT = 1.0


class Audit:
    """What the list has and polls should have brought is told as Arrived; all else goes into the ledger."""

    def __init__(
        self,
        client: Client,
        ledger: Ledger,
        tell: Callable[[Arrived], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._ledger = ledger
        self._tell = tell
        self._clock = clock

    @property
    def is_possible(self) -> bool:
        """Whether the session may read the list (§5.2); without, nobody can tell what polls leave out."""
        return self._client.session is not None and self._client.session.allows(RIGHT)

    async def run(self) -> None:
        """Looks at what is due until it is cancelled."""
        while True:
            await asyncio.sleep(_BEAT)
            await self.turn()

    async def turn(self) -> None:
        """Looks at what is due, if anything is."""
        look = self._ledger.take_look(self._clock())
        if look is None:
            return
        if not self.is_possible:
            self._ledger.give_up(look)
            return
        generation = self._ledger.generation
        try:
            found = await self.look(look)
        except asyncio.CancelledError:
            self._ledger.go_on(look, self._clock())  # whoever runs next begins with it
            raise
        except ClientError:
            # Whoever polls has told it already; nobody has been asked.
            if generation == self._ledger.generation:
                self._ledger.wait(look, self._clock())
            return
        if found is None and generation == self._ledger.generation:
            self._ledger.put_off(look, self._clock())

    async def check(self, note: Note) -> bool:
        """Looks at all that is not certain, for somebody who waits; False where the list could not tell.

        Raises UnreachableError, SessionLostError.
        """
        look, generation = self._ledger.whole(), self._ledger.generation
        if look is None or await self.look(look, _ALL_PAGES, note) is not None:
            return True
        if generation == self._ledger.generation:
            self._ledger.put_off(look, self._clock())
        return False

    async def look(self, look: Look, pages: int = _PAGES, note: Note = lambda _done: None) -> int | None:
        """How many events polls had not brought; None where the list could not tell.

        What the pages do not reach is looked at next.
        Raises UnreachableError, SessionLostError.
        """
        if not self.is_possible:
            return None
        generation, stretches = self._ledger.generation, self._ledger.stretches(look)
        if not stretches:
            return 0
        place = Place(stretches, pages)
        polled = await listed(self._client, place, lambda done: note(done / 2), pollable=True)
        if polled is None:
            return None
        others = await listed(self._client, place, lambda done: note(0.5 + done / 2), pollable=False)
        if others is None or generation != self._ledger.generation:
            return None
        return self._enter(look, polled, others, stretches[-1][0])

    def _enter(self, look: Look, polled: Listed, others: Listed, bottom: int) -> int:
        moment, user = self._clock(), self._client.session.user if self._client.session else None
        found = dict.fromkeys(others.events, Kind.UNPOLLABLE)
        missed: list[Event] = []
        for one, event in sorted(polled.events.items()):
            if not reaches(event, user.id if user else None):
                found[one] = Kind.HIDDEN
            elif self._ledger.kind(one) is not Kind.SEEN:
                missed.append(event)
        self._ledger.recovered([event.id for event in missed], moment)
        if missed:
            self._tell(Arrived(Batch(look.first - 1, tuple(missed), "list")))
        down_to = max(polled.down_to, others.down_to)
        self._ledger.settle(look._replace(first=down_to), found, moment)
        if down_to > bottom:
            self._ledger.go_on(look._replace(last=down_to - 1), moment)
        return len(missed)
