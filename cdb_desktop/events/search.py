"""Looks for a pattern in every event of a result, telling hits as they are found. Knows no service."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence

import msgspec

from cdb_desktop.client import Event, Record
from cdb_desktop.events.parting import parted
from cdb_desktop.vocabulary.pattern import Hit, Pattern

MOST_HITS = 10_000  # kept; further ones are only counted
_SLICE = 500  # events between two looks at the clock of others


class Progress(msgspec.Struct, frozen=True):
    """How far a search is; ``total`` is None where nobody has counted.

    ``unreadable`` of the records that it has come to could not be searched.
    """

    searched: int = 0
    hits: int = 0
    seconds: float = 0.0
    total: int | None = None
    unreadable: int = 0

    @property
    def part(self) -> float | None:
        """What is done, from 0 to 1."""
        return min(1.0, self.searched / self.total) if self.total else None

    @property
    def seconds_left(self) -> float | None:
        """How long it will take at the pace so far, None before that can be told."""
        done = self.part
        return self.seconds / done * (1 - done) if done and self.seconds >= 1 else None


Tell = Callable[[Sequence[Hit], Progress], None]


async def search(
    pages: AsyncIterator[Sequence[Record]], pattern: Pattern, tell: Tell, total: int | None = None
) -> Progress:
    """Goes through all ``pages``; ``tell`` gets the hits of each, at most MOST_HITS in all.

    Raises what ``pages`` raises. Patterns are tried in a thread: one that takes long holds up nobody.
    """
    started = time.monotonic()
    progress = Progress(total=total)
    async for page in pages:
        found: list[Hit] = []
        events, unreadable = parted(page)
        for first in range(0, len(events), _SLICE):
            found += await asyncio.to_thread(_hits, pattern, events[first : first + _SLICE])
        kept = found[: max(0, MOST_HITS - progress.hits)]
        seconds = time.monotonic() - started
        progress = Progress(
            progress.searched + len(page),
            progress.hits + len(found),
            seconds,
            total,
            progress.unreadable + len(unreadable),
        )
        tell(kept, progress)
    return progress


def _hits(pattern: Pattern, events: Sequence[Event]) -> list[Hit]:
    return [hit for event in events if (hit := pattern.find(event)) is not None]
