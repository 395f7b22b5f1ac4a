"""The lines of one feed: the moments that somebody has marked, and where they looked last. Paints nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from cdb_desktop.live.feed import Feed
from cdb_desktop.ui.live.divider import Divider

_MOST = 100  # marks; the oldest goes


class Dividers:
    """Marks stay until their rows have left; the line of the last look goes with the next one."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._looked: Divider | None = None
        self._marks: tuple[Divider, ...] = ()

    def __iter__(self) -> Iterator[Divider]:
        if self._looked is not None:
            yield self._looked
        yield from self._marks

    @property
    def marks(self) -> tuple[Divider, ...]:
        """The marked moments, oldest first."""
        return self._marks

    def mark(self, moment: datetime) -> None:
        """A line below what has come by ``moment``."""
        new = Divider(self._feed.end, moment, is_mark=True)
        before = [one for one in self._marks if self._feed.removed <= one.number != new.number]
        self._marks = (*before, new)[-_MOST:]

    def look_away(self, number: int, moment: datetime) -> None:
        """What has this number or a higher one is new since ``moment``."""
        self._looked = Divider(number, moment)

    def take(self, other: Dividers) -> None:
        """Has the lines of another feed with the same events."""
        self._looked, self._marks = other._looked, other._marks

    def next_row(self, row: int, way: int) -> int | None:
        """The row below the next mark from ``row``, downwards where the ``way`` is 1, else upwards."""
        rows = sorted(
            {self._feed.row_from(one.number) for one in self._marks if one.number >= self._feed.removed}
        )
        found = [one for one in rows if (one - row) * way > 0]
        return found[0 if way > 0 else -1] if found else None
