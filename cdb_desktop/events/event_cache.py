"""Whole records of events of which the rows have short ones."""

from __future__ import annotations

from collections.abc import Iterable

from cdb_desktop.client import Event

_MOST_BYTES = 16 << 20  # of info; some services store whole documents in each event
_MOST_EVENTS = 5_000


class EventCache:
    """Whole records by id; the oldest ones are dropped. At least the last one is kept."""

    def __init__(self) -> None:
        self._events: dict[int, Event] = {}
        self._bytes = 0

    def add(self, events: Iterable[Event]) -> None:
        """Keeps whole records; events without info are ignored."""
        for event in events:
            if event.info is not None:
                self._drop(event.id)
                self._events[event.id] = event
                self._bytes += _size(event)
        while len(self._events) > 1 and (self._bytes > _MOST_BYTES or len(self._events) > _MOST_EVENTS):
            self._drop(next(iter(self._events)))

    def whole(self, event: Event) -> Event:
        """The whole record of a short one if it is known, else the same event."""
        if event.info is not None:
            return event
        found = self._events.get(event.id)
        # After a restore of the service the id may belong to another event.
        if found is None or found.timestamp != event.timestamp or found.type != event.type:
            return event
        return found

    def _drop(self, number: int) -> None:
        event = self._events.pop(number, None)
        if event is not None:
            self._bytes -= _size(event)


def _size(event: Event) -> int:
    return 0 if event.info is None else memoryview(event.info).nbytes
