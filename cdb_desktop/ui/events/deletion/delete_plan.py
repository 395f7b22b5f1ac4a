"""What a deletion is about to take, and the note on how far it is. Asks nobody."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Record
from cdb_desktop.events.deletion import Deletion, DeletionStage
from cdb_desktop.events.job_journal import DeletionJob
from cdb_desktop.events.result import PAGE_SIZE

Pages = Callable[[], AsyncIterator[Sequence[Record]]]


class Plan(msgspec.Struct, frozen=True):
    """What is about to go: how many of the ``log``, in words, and how to read them.

    ``note`` tells how it is asked for again; ``ids`` are those that were chosen one by one. It goes on with
    the work of the note that is named ``follows``.
    """

    count: int
    what: str
    pages: Pages
    note: DeletionJob
    log: int = 0
    is_everything: bool = False
    ids: Sequence[int] = ()
    follows: str = ""

    @property
    def is_much(self) -> bool:
        """Whether it is as much as a call can take, or more than half of the log: no matter of one click."""
        return self.is_everything or self.count >= PAGE_SIZE or 2 * self.count > self.log > 0

    def noted(self, deletion: Deletion) -> DeletionJob:
        """How far it is."""
        tally = deletion.progress
        is_reading = tally.stage is DeletionStage.READING
        return replace(
            self.note,
            backup="" if deletion.backup is None else str(deletion.backup.target),
            count=self.count if is_reading else tally.read,
            deleted=tally.requested,
            is_reading=is_reading,
            ids=(tuple(self.ids) if is_reading else deletion.remaining) if self.ids else (),
        )
