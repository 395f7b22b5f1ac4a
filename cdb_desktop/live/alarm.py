"""When to tell somebody who looks elsewhere that something has come: at once, then not again too soon."""

from __future__ import annotations

_PAUSE = 10.0  # seconds between two notifications


class Alarm:
    """Off until it is set; moments are seconds of any clock that does not go back."""

    def __init__(self) -> None:
        self.is_on = False
        self._waiting = 0
        self._quiet_until = float("-inf")

    def note(self, count: int, moment: float) -> int:
        """So many have come; gives how many to tell of now, 0 for none."""
        if not self.is_on:
            return 0
        self._waiting += count
        if not self._waiting or moment < self._quiet_until:
            return 0
        told, self._waiting = self._waiting, 0
        self._quiet_until = moment + _PAUSE
        return told

    def turn(self, *, on: bool) -> None:
        """On or off; what came before is not told."""
        self.is_on = on
        self._waiting = 0
