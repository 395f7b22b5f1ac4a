"""How many events arrive in a second, over the last few seconds, and in a minute. No clock of its own."""

from __future__ import annotations

from collections import deque
from itertools import takewhile

_SECONDS = 5.0
_MINUTE = 60.0


class Rate:
    """Counts arrivals; moments are seconds of any clock that does not go back."""

    def __init__(self) -> None:
        self._arrivals: deque[tuple[float, int]] = deque()

    def note(self, moment: float, count: int) -> None:
        """So many have arrived at ``moment``."""
        if count:
            self._arrivals.append((moment, count))

    def per_second(self, moment: float) -> float:
        """The mean over the five seconds before ``moment``."""
        return self._since(moment - _SECONDS) / _SECONDS

    def per_minute(self, moment: float) -> int:
        """What has arrived in the minute before ``moment``."""
        while self._arrivals and self._arrivals[0][0] <= moment - _MINUTE:
            self._arrivals.popleft()
        return self._since(moment - _MINUTE)

    def _since(self, moment: float) -> int:
        newest = takewhile(lambda arrival: arrival[0] > moment, reversed(self._arrivals))
        return sum(count for _, count in newest)
