"""How often each value occurs among records that have been read. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cdb_desktop.client import Event, Record
from cdb_desktop.events.parting import parted
from cdb_desktop.events.query import Part

VALUED = (Part.TYPE, Part.BASE_TYPE, Part.USER)


class Tally:
    """Grows record by record; users are told by their number."""

    def __init__(self) -> None:
        self.read = 0
        self._found: dict[Part, Counter[str]] = {part: Counter() for part in VALUED}

    def add(self, records: Sequence[Record]) -> None:
        """Takes in what has been read."""
        events, _unreadable = parted(records)
        self.read += len(records)
        for part, found in self._found.items():
            found.update(value for event in events if (value := _value(event, part)))

    def numbers(self, part: Part) -> dict[str, int]:
        """All values of a part, the most frequent first."""
        return dict(self._found[part].most_common())

    def without(self, part: Part) -> int:
        """How many records have no value of a part, or cannot be read."""
        return self.read - self._found[part].total()


def _value(event: Event, part: Part) -> str:
    if part is Part.USER:
        return "" if event.user_id is None else str(event.user_id)
    return event.type if part is Part.TYPE else event.basetype or ""
