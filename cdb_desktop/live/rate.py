"""How many events arrive in a second, over the last few seconds. No clock of its own."""

from __future__ import annotations

from collections import deque

_SECONDS = 5.0


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
        while self._arrivals and self._arrivals[0][0] <= moment - _SECONDS:
            self._arrivals.popleft()
        return sum(count for _, count in self._arrivals) / _SECONDS
