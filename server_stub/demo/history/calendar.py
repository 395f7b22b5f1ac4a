"""The thirty days that the demo house looks back on, in its local time; knows no event."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import msgspec

from server_stub.foundation.times import EPOCH

DAYS = 30
HOUR = 3_600
DAY = 24 * HOUR
# The house keeps Central European time, one hour ahead of the server's; it does without summer time.
_AHEAD = HOUR


class Window(msgspec.Struct, frozen=True):
    """A local day or what of it lies in the thirty days; epoch seconds, both included."""

    first: int
    last: int

    @property
    def midnight(self) -> int:
        """The beginning of the local day."""
        return (self.first + _AHEAD) // DAY * DAY - _AHEAD

    @property
    def weekday(self) -> int:
        """0 for Monday."""
        return (EPOCH + timedelta(seconds=self.first + _AHEAD)).weekday()

    def hours(self) -> Iterator[tuple[int, int, int]]:
        """The hours of the day that lie in the window: hour, first second, seconds."""
        for hour in range(24):
            first = max(self.first, self.midnight + hour * HOUR)
            seconds = min(self.last + 1, self.midnight + (hour + 1) * HOUR) - first
            if seconds > 0:
                yield hour, first, seconds


class Calendar(msgspec.Struct, frozen=True):
    """The days up to `end`, the present second."""

    end: int

    @property
    def start(self) -> int:
        """The first second."""
        return self.end - DAYS * DAY

    def windows(self, first: int) -> list[Window]:
        """The local days from the second `first` to the end, by ascending time."""
        found = []
        while first <= self.end:
            last = min(Window(first, first).midnight + DAY - 1, self.end)
            found.append(Window(first, last))
            first = last + 1
        return found

    def at(self, days_ago: int, hour: int, minute: int = 0) -> int:
        """A local time on the day that lies so many days before the last one."""
        return Window(self.end, self.end).midnight - days_ago * DAY + hour * HOUR + minute * 60

    def weekday(self, days_ago: int) -> int:
        """0 for Monday."""
        noon = self.at(days_ago, 12)
        return Window(noon, noon).weekday

    def workday(self, days_ago: int) -> int:
        """The same number of days, or a few more where that is a weekend."""
        while self.weekday(days_ago) > 4:
            days_ago += 1
        return days_ago
