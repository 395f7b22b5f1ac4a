"""The state of a feed: its connection, the rate of events, their delay, and when to notify of them."""

from collections import deque
from collections.abc import Iterable
from itertools import takewhile
from typing import Literal

import msgspec

from cdb_desktop.client import Event

_RATE_SECONDS = 5.0
_MINUTE = 60.0
_SKEW_ANSWERS = 50  # answers from which the difference of the clocks is taken
_SMALLEST_SKEW = 60.0  # seconds
_NOTIFICATION_PAUSE = 10.0  # seconds between two notifications

StreamState = Literal["none", "open", "refused"]
ConnectionPhase = Literal["connecting", "open", "silent", "waiting", "retrying", "lost", "stopped"]


class ConnectionState(msgspec.Struct, frozen=True):
    """The connection of the feed to its service.

    ``waiting`` and ``retrying`` alternate while the service does not answer, ``silent`` is a service that is
    there and does not answer the poll, ``lost`` the session, ``stopped`` a follower that has been refused.
    ``due`` is the moment of the next poll, None during one; ``answered`` that of the last answer; both in
    seconds of the monotonic clock. ``holds``: the service holds polls until something happens. ``stream``: it
    sends events by itself, so that polls only check, or should and something refuses it, for the reason
    ``refusal``.
    """

    phase: ConnectionPhase = "connecting"
    due: float | None = None
    answered: float | None = None
    holds: bool = False
    stream: StreamState = "none"
    refusal: str = ""


class ArrivalRate:
    """Counts arrivals over the last minute; moments are seconds of a monotonic clock."""

    def __init__(self) -> None:
        self._arrivals: deque[tuple[float, int]] = deque()

    def add(self, moment: float, count: int) -> None:
        """Adds ``count`` arrivals at ``moment``."""
        if count:
            self._arrivals.append((moment, count))

    def per_second(self, moment: float) -> float:
        """The mean over the five seconds before ``moment``."""
        return self._since(moment - _RATE_SECONDS) / _RATE_SECONDS

    def per_minute(self, moment: float) -> int:
        """The number in the minute before ``moment``."""
        while self._arrivals and self._arrivals[0][0] <= moment - _MINUTE:
            self._arrivals.popleft()
        return self._since(moment - _MINUTE)

    def _since(self, moment: float) -> int:
        newest = takewhile(lambda arrival: arrival[0] > moment, reversed(self._arrivals))
        return sum(count for _, count in newest)


class EventDelay:
    """How long events take from the service to the feed.

    Event times are whole seconds of the service's clock, which may be off: the smallest recent difference to
    the local time is the skew of the clocks if it is at least a minute or negative, the rest is the delay.
    """

    def __init__(self) -> None:
        self._differences: deque[float] = deque(maxlen=_SKEW_ANSWERS)

    def add(self, events: Iterable[Event], time_of_day: float) -> None:
        """Adds the events of an answer, received as soon as they were available."""
        times = [event.timestamp.timestamp() for event in events if event.timestamp is not None]
        if times:
            self._differences.append(time_of_day - max(times))

    def reset(self) -> None:
        """Forgets everything; the clocks may differ in another way now."""
        self._differences.clear()

    @property
    def skew(self) -> float:
        """Seconds by which the service's clock is slow; 0 if it is right within a minute."""
        least = min(self._differences, default=0.0)
        return least if abs(least) >= _SMALLEST_SKEW else 0.0

    @property
    def seconds(self) -> float | None:
        """The delay of the newest event, None while it is unknown."""
        return max(0.0, self._differences[-1] - self.skew) if self._differences else None


class NotificationThrottle:
    """When to notify of new events: at once, then not again too soon. Off until ``is_on`` is set."""

    def __init__(self) -> None:
        self.is_on = False
        self._waiting = 0
        self._quiet_until = float("-inf")

    def add(self, count: int, moment: float) -> int:
        """Adds ``count`` events; the number of events to notify of now."""
        if not self.is_on:
            return 0
        self._waiting += count
        if not self._waiting or moment < self._quiet_until:
            return 0
        number, self._waiting = self._waiting, 0
        self._quiet_until = moment + _NOTIFICATION_PAUSE
        return number

    def turn(self, *, on: bool) -> None:
        """Switches notifications on or off, and forgets earlier events."""
        self.is_on = on
        self._waiting = 0
