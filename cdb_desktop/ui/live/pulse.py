"""Puts together what the strip tells of the connection, the rate and the next poll. No widget."""

from __future__ import annotations

from msgspec.structs import replace

from cdb_desktop.live.feed_status import ArrivalRate, ConnectionState
from cdb_desktop.ui.live import words
from cdb_desktop.ui.live.feed_pane import Said


class Pulses:
    """Moments are those of ``time.monotonic``."""

    def __init__(self) -> None:
        self.link = ConnectionState()
        self.rate = ArrivalRate()
        self._said: Said | None = None
        self._lag: float | None = None
        self._due: float | None = None  # of the last poll that was known beforehand

    def show_link(self, link: ConnectionState, said: Said | None, lag: float | None) -> None:
        """How it stands with the service, what is ``said`` about a trouble, and the lag in seconds."""
        if link.answered != self.link.answered:
            self._due = None
        self.link, self._said, self._lag = link, said, lag

    def show_due(self, due: float | None) -> None:
        """The moment of the next poll; None while one is under way."""
        self.link = replace(self.link, due=due)
        self._due = due or self._due

    def status(self, unseen: int | None, now: float) -> words.Status:
        """The words of now; ``unseen`` is None while the feed follows."""
        per_second, per_minute = self.rate.per_second(now), self.rate.per_minute(now)
        pulse = words.Pulse(unseen, per_second, now, self._lag, per_minute, self._asked())
        return words.status(self.link, pulse, self._said().title if self._said else "")

    def _asked(self) -> float | None:
        """When the poll began that is under way."""
        link = self.link
        if link.due is not None or link.answered is None:
            return None
        # With a long interval, all is well until the poll was due.
        return max(link.answered, self._due or link.answered)
