"""How long events take to the feed, and how far the service's clock is off. No clock of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from cdb_desktop.client import Event

_LAST = 50  # answers from which the clocks' difference is taken
_WRONG = 60.0  # seconds of difference that are told


class Lag:
    """Differences of event times and times of day, in seconds.

    A service tells whole seconds, and its clock may be off: the smallest difference of late is taken for that
    of the clocks, as far as it is more than a minute or negative, and the rest for the way.
    """

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=_LAST)

    def note(self, events: Iterable[Event], day: float) -> None:
        """Events have come at this time of day, right after they could."""
        times = [event.timestamp.timestamp() for event in events if event.timestamp is not None]
        if times:
            self._last.append(day - max(times))

    def forget(self) -> None:
        """From now on clocks may differ in another way."""
        self._last.clear()

    @property
    def skew(self) -> float:
        """Seconds by which the service's clock is behind; 0 when it is right but for a minute."""
        least = min(self._last, default=0.0)
        return least if abs(least) >= _WRONG else 0.0

    @property
    def seconds(self) -> float | None:
        """How long the newest event took, None while nobody knows."""
        return max(0.0, self._last[-1] - self.skew) if self._last else None
