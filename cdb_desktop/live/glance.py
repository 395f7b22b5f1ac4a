"""Looks at the newest events of the list for ids that it had not before: they come late, or below a wrong id.

No Qt.
"""

from __future__ import annotations

from collections.abc import Callable

from cdb_desktop.client import Client, ClientError, EventFilter
from cdb_desktop.live.backfill import RIGHT, page_of
from cdb_desktop.live.ledger import Ledger

_SOONEST, _LATEST = 5.0, 60.0  # seconds from one glance to the next
_EVENTS = 100  # of a page
_PAGES = 3


class Glance:
    """A wrong id takes the cursor above those that the log goes on with: polls bring none of these, and a
    look comes too soon for them. The newest events of the list tell, whatever stands above them."""

    def __init__(self, client: Client, ledger: Ledger, clock: Callable[[], float]) -> None:
        self._client = client
        self._ledger = ledger
        self._clock = clock
        self._pause = _SOONEST
        self._due = 0.0

    async def turn(self) -> None:
        """Looks, if it is time to and the account has ids that may come yet."""
        if not self._ledger.has_gone or self._clock() < self._due or not self._is_allowed():
            return
        has_found = False
        try:
            for pollable in (True, False):
                has_found |= await self._look(pollable=pollable)
        except ClientError:
            pass  # whoever polls has told it already
        self._pause = _SOONEST if has_found else min(_LATEST, 2 * self._pause)
        self._due = self._clock() + self._pause

    async def _look(self, *, pollable: bool) -> bool:
        generation, chosen = self._ledger.generation, EventFilter(pollable=pollable)
        for number in range(_PAGES):
            page = await page_of(self._client, chosen, _EVENTS, number * _EVENTS)
            if page is None or generation != self._ledger.generation:
                return False
            if self._ledger.risen((event.id for event in page.events), self._clock()):
                return True
            if len(page.events) < _EVENTS:
                return False
        return False

    def _is_allowed(self) -> bool:
        return self._client.session is not None and self._client.session.allows(RIGHT)
