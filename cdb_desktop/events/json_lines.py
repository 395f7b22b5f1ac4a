"""One page of whole records as JSON, one a line, cut by id as pages of CSV are. No I/O."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdb_desktop.client import Event, Record
from cdb_desktop.events.parting import events_of
from cdb_desktop.events.seam import Ends, Seam
from cdb_desktop.vocabulary.records import as_line


class JsonLines(msgspec.Struct, frozen=True):
    """Records by ascending id; there is no header. What cannot be read is written as it came."""

    records: Sequence[Record]
    header: bytes = b""

    @property
    def rows(self) -> Sequence[bytes]:
        """The records as lines."""
        return [as_line(one) for one in self.records]

    @property
    def columns(self) -> tuple[str, ...]:
        """None: each record tells its own."""
        return ()

    def __len__(self) -> int:
        return len(self.records)

    def known(self, seam: Seam) -> int:
        """How many rows have come before."""
        return seam.known(self.records)

    def first_after(self, last: int) -> int:
        """The first row of an event with an id above ``last``; the number of rows if there is none."""
        beyond = (row for row, one in enumerate(self.records) if isinstance(one, Event) and one.id > last)
        return next(beyond, len(self.records))

    def ends(self, seam: Seam, chosen: range) -> Ends:
        """Where the chosen rows begin and end, after those up to ``seam``."""
        records = self.records[chosen.start : chosen.stop]
        events = events_of(records)
        first = events[0].id if events else None
        return Ends(first, seam.then(records), len(records) - len(events))

    def body(self, chosen: range) -> bytes:
        """The chosen records, secrets masked."""
        return b"".join([as_line(one) for one in self.records[chosen.start : chosen.stop]])
