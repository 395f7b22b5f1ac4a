"""The poll cursor and the time until the next poll (§4.2)."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from cdb_desktop.client.backoff import retry_pause
from cdb_desktop.live.reports import EventBatch

SHORTEST_INTERVAL = 0.5  # seconds between polls, unless more events are waiting already
_USUAL_INTERVAL = 1.0
_BUSY = 25  # events of one answer; also the number returned by a service that ignores the limit (§8)
_SHORTEST_PAUSE = 0.1  # seconds between an answer that took long and the next poll


class PollSettings(msgspec.Struct, frozen=True):
    """How often to poll, as the user has chosen: every ``interval`` seconds, faster while much happens."""

    interval: float = _USUAL_INTERVAL
    is_adaptive: bool = True


class PollState(msgspec.Struct, frozen=True):
    """The cursor ``last_id``, the ``failures`` in a row, and the seconds from one poll to the next."""

    last_id: int
    failures: int = 0
    interval: float = _USUAL_INTERVAL

    def after_answer(self, batch: EventBatch, cursor: int, settings: PollSettings) -> PollState:
        """The state after an answer that moves the cursor; it never moves back."""
        return PollState(max(self.last_id, cursor), interval=self._next_interval(batch, cursor, settings))

    def after_failure(self) -> PollState:
        """The state after a failure: the cursor stays, so that nothing is missed."""
        return replace(self, failures=self.failures + 1)

    def at(self, last_id: int) -> PollState:
        """The state with the cursor of a session whose polls begin elsewhere."""
        return replace(self, last_id=last_id)

    def wait(self, took: float = 0.0) -> float:
        """Seconds until the next poll if the last one ``took`` so long; doubled with each failure.

        A service that holds a poll until something happens has waited already (wire §3).
        """
        if self.failures:
            return retry_pause(self.failures, first=1.0)
        return max(_SHORTEST_PAUSE, self.interval - took) if self.interval else 0.0

    def _next_interval(self, batch: EventBatch, cursor: int, settings: PollSettings) -> float:
        # After a full answer that has not moved the cursor, the next one would be the same.
        if batch.is_full and cursor > self.last_id:
            return 0.0
        is_busy = sum(event.id > self.last_id for event in batch.events) >= _BUSY
        if not (is_busy and settings.is_adaptive):
            return settings.interval
        return max(SHORTEST_INTERVAL, min(self.interval or settings.interval, settings.interval) / 2)
