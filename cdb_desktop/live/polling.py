"""Where polling stands and when to ask next (§4.2); frozen values, replaced after every answer. No I/O."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from cdb_desktop.live.batch import Batch

SHORTEST = 0.5  # seconds from one poll to the next, but for where more is waiting already
_USUAL = 1.0  # the same where nobody has chosen
_MUCH = 25  # events of one answer; also what a service gives that does not heed the limit (§8)
_BREATH = 0.1  # seconds between an answer that took long and the next poll
_LONGEST = 15.0  # seconds between tries while the service does not answer


class Pace(msgspec.Struct, frozen=True):
    """How often to ask as the user wants it: every ``interval`` seconds, sooner while much happens."""

    interval: float = _USUAL
    is_adaptive: bool = True


class Polling(msgspec.Struct, frozen=True):
    """``last_id`` is the cursor; ``failures`` are those in a row; ``pause`` is the time between polls."""

    last_id: int
    failures: int = 0
    pause: float = _USUAL

    def answered(self, batch: Batch, cursor: int, pace: Pace) -> Polling:
        """The state after an answer that has brought the cursor there; it never moves back."""
        return Polling(max(self.last_id, cursor), pause=self._pause(batch, cursor, pace))

    def failed(self) -> Polling:
        """The state after a failure: the cursor stays, so nothing is missed."""
        return replace(self, failures=self.failures + 1)

    def moved(self, last_id: int) -> Polling:
        """The state with another cursor: that of a session whose polls begin elsewhere."""
        return replace(self, last_id=last_id)

    def wait(self, took: float = 0.0) -> float:
        """Seconds until the next poll, if the last one ``took`` so long: ever more while the service fails.

        A service that holds a request until something happens has waited already (wire §3).
        """
        if self.failures:
            return float(min(_LONGEST, 2 ** min(self.failures - 1, 10)))
        return max(_BREATH, self.pause - took) if self.pause else 0.0

    def _pause(self, batch: Batch, cursor: int, pace: Pace) -> float:
        # An answer that leads nowhere is not followed by others in a rush, however long it is.
        if batch.is_full and cursor > self.last_id:
            return 0.0
        is_busy = sum(event.id > self.last_id for event in batch.events) >= _MUCH
        if not (is_busy and pace.is_adaptive):
            return pace.interval
        return max(SHORTEST, min(self.pause or pace.interval, pace.interval) / 2)
