"""Finds stretches of ids in a list that pages by offset only, newest first (§4.3). No I/O of its own."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence

from cdb_desktop.client import Event, EventPage

_log = logging.getLogger(__name__)
_PAGE = 1000  # the most that a list gives (§8)
_SPARE = 20  # events that may have come above those that are looked for

Ask = Callable[[int, int], Awaitable[EventPage | None]]  # for so many events from an offset on


class Reading:
    """Reads downwards. Each page begins with the last event of the one before, and the first one after a
    leap above what is looked for: where that is not so, somebody has deleted, and events were skipped."""

    def __init__(self, stretches: Sequence[tuple[int, int]]) -> None:
        self._top = stretches[0][1]
        self._bottom = stretches[-1][0]
        self._all = _size(stretches)
        self._left = list(stretches)  # what was not read yet, from the top
        self._edge: int | None = None  # the lowest id that has come since the last leap
        self._share = 1.0  # events for each id, as far as is known
        self.limit = min(_PAGE, stretches[0][1] - stretches[0][0] + 1 + _SPARE)
        self.offset = 0
        self.found: dict[int, Event] = {}
        self.is_torn = False

    @property
    def goes_on(self) -> bool:
        """Whether there is more to look for."""
        return bool(self._left)

    @property
    def has_read(self) -> bool:
        """Whether anything is certain by now."""
        return self.down_to <= self._top

    @property
    def down_to(self) -> int:
        """From this id upwards all is found that is there of what is looked for."""
        return self._left[0][1] + 1 if self._left else self._bottom

    @property
    def done(self) -> float:
        """How much, from 0 to 1."""
        return 1 - _size(self._left) / self._all

    @property
    def ahead(self) -> tuple[int, int, float] | None:
        """The lowest id that has come, the next one to look for, and the events for each id between."""
        return None if self._edge is None or not self._left else (self._edge, self._left[0][1], self._share)

    def take(self, events: Iterable[Event]) -> bool:
        """Takes a page in; False where the list is not in the order that was asked for."""
        found = {event.id: event for event in events}
        ids = list(found)
        if ids != sorted(ids, reverse=True):
            _log.warning("the list of events is not in order of their ids")
            return False
        self.is_torn = self._has_skipped(ids)
        if self.is_torn:
            self.leap(0)
            return True
        self.found |= {one: event for one, event in found.items() if self._bottom <= one <= self._top}
        # A service may give fewer than were asked for: only a page that brings nothing more is the last.
        if not ids or ids[-1] == self._edge:
            self._left = []
            return True
        if len(ids) > 1:
            self._share = (len(ids) - 1) / (ids[0] - ids[-1])
        self.limit = _PAGE
        self.offset += len(ids) - 1
        self._edge = ids[-1]
        self._read_down_to(ids[-1])
        return True

    def leap(self, offset: int) -> None:
        """Goes on elsewhere."""
        self._edge, self.offset = None, offset

    def _has_skipped(self, ids: Sequence[int]) -> bool:
        if self._edge is not None:
            return self._edge not in ids
        return self.offset > 0 and (not ids or ids[0] <= self._left[0][1])

    def _read_down_to(self, edge: int) -> None:
        while self._left and self._left[0][0] >= edge:
            del self._left[0]
        if self._left and self._left[0][1] >= edge:
            self._left[0] = (self._left[0][0], edge - 1)


async def leap(reading: Reading, ask: Ask) -> None:
    """Takes a reading closer to what it looks for next, where that is far below.

    Ids differ, so that as many events lie between two of them as there are ids at most: where to look is
    guessed from how many there are elsewhere, and halved in turn.
    """
    ahead = reading.ahead
    if ahead is None or ahead[0] - ahead[1] <= _PAGE:
        return
    edge, wanted, share = ahead
    low, high, guesses = reading.offset, reading.offset + edge - wanted, True
    while high - low > _PAGE:
        place = low + int(share * (edge - wanted)) - _PAGE // 4 if guesses else (low + high) // 2
        place, guesses = min(max(place, low + 1), high - 1), not guesses
        page = await ask(1, place)
        if page is None:
            break
        if not page.events or page.events[0].id <= wanted:
            high = place
            continue
        found = page.events[0].id
        share = (place - low) / (edge - found) if found < edge else share
        low, edge, high = place, found, min(high, place + found - wanted)
    if low > reading.offset:
        reading.leap(low)


def _size(stretches: Iterable[tuple[int, int]]) -> int:
    return sum(last - first + 1 for first, last in stretches)
