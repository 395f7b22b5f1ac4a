"""Deletes events by their ids, after they have been read and, if requested, written to a backup.

A call with a filter deletes all events that match at that moment, everything if the filter is empty, and 1000
events at most (§4.5). Therefore a filter is never sent: the events are read first, and exactly those are
deleted by their ids. Records that cannot be read have no id and stay.
"""

from __future__ import annotations

from array import array
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from enum import Enum

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Record, ServiceError
from cdb_desktop.events.part_file import PartFile
from cdb_desktop.events.result import PAGE_SIZE, readable_events

Delete = Callable[[Sequence[int]], Awaitable[int]]


class DeletionStage(Enum):
    """The stages of a deletion, in their order."""

    READING = "reading"
    DELETING = "deleting"
    DONE = "done"


class DeletionProgress(msgspec.Struct, frozen=True):
    """The progress of a deletion.

    ``expected`` is the announced number of events, None if they have not been counted. ``read`` events and
    ``unreadable`` records are in the backup. ``requested`` events were sent to be deleted; the service
    reported ``deleted`` of them, the others did not exist any more. ``unanswered`` further events were sent
    too, but it is unknown whether they were deleted, because no answer has arrived.
    """

    stage: DeletionStage = DeletionStage.READING
    expected: int | None = None
    read: int = 0
    requested: int = 0
    deleted: int = 0
    unreadable: int = 0
    unanswered: int = 0

    @property
    def has_sent(self) -> bool:
        """Whether any event was sent to be deleted."""
        return bool(self.requested or self.unanswered)

    @property
    def fraction(self) -> float | None:
        """What is done of the stage, from 0 to 1."""
        is_reading = self.stage is DeletionStage.READING
        whole = self.expected if is_reading else self.read
        done = self.read + self.unreadable if is_reading else self.requested
        return min(1.0, done / whole) if whole else None


OnProgress = Callable[[DeletionProgress], None]


class Deletion:
    """One deletion; ``progress`` stays valid after it has failed or was cancelled."""

    def __init__(self, delete: Delete, backup: PartFile | None, expected: int | None = None) -> None:
        """``delete`` takes at most 1000 ids and returns how many were deleted; ``backup`` may be None."""
        self._delete = delete
        self._ids = array("q")
        self.backup = backup
        self.progress = DeletionProgress(expected=expected)

    @property
    def remaining(self) -> tuple[int, ...]:
        """The ids that were not sent to be deleted yet."""
        return tuple(self._ids[self.progress.requested :])

    async def run(self, pages: AsyncIterator[Sequence[Record]], on_progress: OnProgress) -> DeletionProgress:
        """Reads all ``pages``, then deletes their events. Raises OSError, and what the calls raise.

        Nothing is deleted before the backup is complete and has its name.
        """
        try:
            await self._read(pages, on_progress)
        except BaseException:
            if self.backup is not None:
                self.backup.discard()
            raise
        await self._delete_all(on_progress)
        return self.progress

    async def _read(self, pages: AsyncIterator[Sequence[Record]], on_progress: OnProgress) -> None:
        if self.backup is not None:
            await self.backup.open()
        async for page in pages:
            if self.backup is not None:
                await self.backup.add(page)
            events = readable_events(page)
            self._ids.extend(event.id for event in events)
            unreadable = self.progress.unreadable + len(page) - len(events)
            self._set(replace(self.progress, read=len(self._ids), unreadable=unreadable), on_progress)
        if self.backup is not None:
            await self.backup.commit()

    async def _delete_all(self, on_progress: OnProgress) -> None:
        self._set(replace(self.progress, stage=DeletionStage.DELETING), on_progress)
        for first in range(0, len(self._ids), PAGE_SIZE):
            ids = self._ids[first : first + PAGE_SIZE].tolist()
            count = await self._delete_some(ids)
            requested, deleted = self.progress.requested + len(ids), self.progress.deleted + count
            self._set(replace(self.progress, requested=requested, deleted=deleted), on_progress)
        self._set(replace(self.progress, stage=DeletionStage.DONE), on_progress)

    async def _delete_some(self, ids: list[int]) -> int:
        self.progress = replace(self.progress, unanswered=len(ids))
        try:
            count = await self._delete(ids)
        except ServiceError:
            # A refused call deletes nothing.
            self.progress = replace(self.progress, unanswered=0)
            raise
        self.progress = replace(self.progress, unanswered=0)
        return count

    def _set(self, progress: DeletionProgress, on_progress: OnProgress) -> None:
        self.progress = progress
        on_progress(progress)
