"""Deletes events after they have been read, and kept if so wished: by their ids only. Knows no service.

A call with a filter deletes what matches at its moment, all if the filter is empty, and 1000 at most (§4.5).
Therefore a filter is never sent: its events are read first, and exactly those are named by their ids. What
cannot be read has none, so it stays.
"""

from __future__ import annotations

from array import array
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from enum import Enum

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Record
from cdb_desktop.events.part_file import PartFile
from cdb_desktop.events.result import PAGE_SIZE, readable_events

Delete = Callable[[Sequence[int]], Awaitable[int]]


class DeletionStage(Enum):
    """How far a deletion is."""

    READING = "reading"
    DELETING = "deleting"
    DONE = "done"


class DeletionProgress(msgspec.Struct, frozen=True):
    """``read`` events lie in the backup, of which the service was asked to delete ``asked``.

    ``deleted`` is what it told to have deleted; the others were gone before. ``expected`` is the number that
    was announced, None where nobody has counted. ``unreadable`` records lie in the backup too and stay.
    """

    stage: DeletionStage = DeletionStage.READING
    expected: int | None = None
    read: int = 0
    asked: int = 0
    deleted: int = 0
    unreadable: int = 0

    @property
    def part(self) -> float | None:
        """What is done of the stage, from 0 to 1."""
        whole = self.expected if self.stage is DeletionStage.READING else self.read
        done = self.read + self.unreadable if self.stage is DeletionStage.READING else self.asked
        return min(1.0, done / whole) if whole else None


Tell = Callable[[DeletionProgress], None]


class Deletion:
    """One deletion; ``tally`` is how far it is, also after it has failed or was cancelled."""

    def __init__(self, delete: Delete, kept: PartFile | None, expected: int | None = None) -> None:
        """``delete`` gives how many of at most 1000 ids there were; without ``kept`` there is no backup."""
        self._delete = delete
        self._ids = array("q")
        self.kept = kept
        self.tally = DeletionProgress(expected=expected)

    @property
    def left(self) -> tuple[int, ...]:
        """The ids that the service has not been asked to delete yet."""
        return tuple(self._ids[self.tally.asked :])

    async def run(self, pages: AsyncIterator[Sequence[Record]], tell: Tell) -> DeletionProgress:
        """Reads all ``pages``, then deletes what was read. Raises OSError, what the service raises.

        Nothing has been deleted before the backup lies whole under its name.
        """
        try:
            await self._read(pages, tell)
        except BaseException:
            if self.kept is not None:
                self.kept.discard()
            raise
        await self._remove(tell)
        return self.tally

    async def _read(self, pages: AsyncIterator[Sequence[Record]], tell: Tell) -> None:
        if self.kept is not None:
            await self.kept.open()
        async for page in pages:
            if self.kept is not None:
                await self.kept.add(page)
            events = readable_events(page)
            self._ids.extend(event.id for event in events)
            unreadable = self.tally.unreadable + len(page) - len(events)
            self._become(replace(self.tally, read=len(self._ids), unreadable=unreadable), tell)
        if self.kept is not None:
            await self.kept.settle()

    async def _remove(self, tell: Tell) -> None:
        self._become(replace(self.tally, stage=DeletionStage.DELETING), tell)
        for first in range(0, len(self._ids), PAGE_SIZE):
            ids = self._ids[first : first + PAGE_SIZE].tolist()
            count = await self._delete(ids)
            tally = self.tally
            self._become(replace(tally, asked=tally.asked + len(ids), deleted=tally.deleted + count), tell)
        self._become(replace(self.tally, stage=DeletionStage.DONE), tell)

    def _become(self, tally: DeletionProgress, tell: Tell) -> None:
        self.tally = tally
        tell(tally)
