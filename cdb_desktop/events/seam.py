"""Finds where a page goes on after the one before it, also among records that have no id. No I/O.

Pages overlap by a record. Those that cannot be read are known again by what they hold, each as often as it
has come since the last event.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from cdb_desktop.client import AnswerError, Event, Record, Unreadable
from cdb_desktop.events.pages import PAGE

_MOST_IDLE = 20  # pages in a row that bring nothing, or nothing that follows


class Seam(msgspec.Struct, frozen=True):
    """The end of what has come: its last event, and what was unreadable after that."""

    last: int | None = None
    tail: tuple[str, ...] = ()

    def then(self, records: Sequence[Record]) -> Seam:
        """The end after ``records``."""
        place = next((at for at in range(len(records) - 1, -1, -1) if isinstance(records[at], Event)), -1)
        tail = tuple(_mark(one) for one in records[place + 1 :] if isinstance(one, Unreadable))
        if place < 0:
            return Seam(self.last, (*self.tail, *tail)[-PAGE:])
        event = records[place]
        return Seam(event.id if isinstance(event, Event) else None, tail)

    def known(self, records: Sequence[Record], *, descending: bool = False) -> int:
        """How many of ``records``, from the first on, have come before."""
        if not records or (self.last is None and not self.tail):
            return 0
        found = self._known_events(records, descending=descending)
        marks = _leading_marks(records[found:])
        if found:
            return found + _common(marks, self.tail)
        if marks and self.tail and marks[0] == self.tail[-1]:
            return 1
        # Where somebody has deleted what stood before, it may begin anywhere in the tail.
        return next(
            (n for n in range(min(len(marks), len(self.tail)), 0, -1) if marks[:n] == self.tail[-n:]), 0
        )

    def _known_events(self, records: Sequence[Record], *, descending: bool) -> int:
        last, number = self.last, 0
        for place, one in enumerate(records):
            if isinstance(one, Event):
                if last is None or (one.id < last if descending else one.id > last):
                    break
                number = place + 1
        return number


class Ends(msgspec.Struct, frozen=True):
    """The first id of some rows, the seam after them, and how many of them cannot be read."""

    first: int | None
    seam: Seam
    unreadable: int = 0


def _mark(one: Unreadable) -> str:
    return hashlib.sha256(one.raw).hexdigest()[:16]


def _leading_marks(records: Sequence[Record]) -> tuple[str, ...]:
    marks: list[str] = []
    for one in records:
        if not isinstance(one, Unreadable):
            break
        marks.append(_mark(one))
    return tuple(marks)


def _common(marks: Sequence[str], tail: Sequence[str]) -> int:
    pairs = zip(marks, tail, strict=False)
    return next(
        (place for place, (one, other) in enumerate(pairs) if one != other), min(len(marks), len(tail))
    )


class Pace:
    """Ends the way through a list of which the service gives the same pages for ever."""

    def __init__(self) -> None:
        self._idle = self._farthest = 0

    def check(self, offset: int, page: int, fresh: int) -> None:
        """A page has come from ``offset`` on, with so many records that are new. Raises AnswerError."""
        if 0 < fresh < page:
            self._idle, self._farthest = 0, max(self._farthest, offset)
        else:
            self._idle += 1
        # Whoever deletes while it is read may have it go back all the way.
        if self._idle > _MOST_IDLE + self._farthest // PAGE:
            raise AnswerError("same_records", status=200)
