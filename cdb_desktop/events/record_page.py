"""One page of records by ascending id, of which an export writes some. Knows no form of the file. No I/O."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cdb_desktop.client import Event, Record
from cdb_desktop.events.parting import events_of
from cdb_desktop.events.seam import Ends, Seam


class RecordPage(msgspec.Struct, frozen=True):
    """Where the page goes on after the one before it, also among records that cannot be read."""

    records: Sequence[Record]

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
        records = self.chosen(chosen)
        events = events_of(records)
        first = events[0].id if events else None
        return Ends(first, seam.then(records), len(records) - len(events))

    def chosen(self, rows: range) -> Sequence[Record]:
        """The records of some rows."""
        return self.records[rows.start : rows.stop]
