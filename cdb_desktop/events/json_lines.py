"""One page of whole events as JSON, a record a line, cut by id as pages of CSV are. No I/O."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.records import as_line


@dataclass(frozen=True, slots=True)
class JsonLines:
    """Records by ascending id; there is no header."""

    events: Sequence[Event]
    header: bytes = b""

    @property
    def rows(self) -> Sequence[bytes]:
        """The records as lines."""
        return [as_line(event) for event in self.events]

    @property
    def columns(self) -> tuple[str, ...]:
        """None: each record tells its own."""
        return ()

    def __len__(self) -> int:
        return len(self.events)

    def id_of(self, row: int) -> int:
        """The id of a row."""
        return self.events[row].id

    def first_after(self, last: int) -> int:
        """The first row with an id above ``last``; the number of rows if there is none."""
        return bisect_right(self.events, last, key=lambda event: event.id)

    def body(self, chosen: range) -> bytes:
        """The chosen records, secrets masked."""
        return b"".join([as_line(event) for event in self.events[chosen.start : chosen.stop]])
