"""The events that have arrived, bounded: new ones at the end, the oldest leave. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from cdb_desktop.client import Event


class Feed:
    """A list that forgets from its front, a step at a time so that forgetting stays rare."""

    def __init__(self, capacity: int = 20_000, step: int = 2_000) -> None:
        self._capacity = capacity
        self._step = step
        self._events: list[Event] = []

    def __len__(self) -> int:
        return len(self._events)

    def __getitem__(self, place: int) -> Event:
        return self._events[place]

    def surplus(self, arriving: int) -> int:
        """How many of the oldest have to leave before ``arriving`` more events come in."""
        excess = len(self._events) + arriving - self._capacity
        if excess <= 0:
            return 0
        return min(len(self._events), max(excess, self._step))

    def forget(self, number: int) -> None:
        """Drops the ``number`` oldest."""
        del self._events[:number]

    def append(self, events: Sequence[Event]) -> None:
        """Takes in events, oldest first."""
        self._events.extend(events)
