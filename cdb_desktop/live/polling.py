"""Where polling stands and when to ask next (§4.2); a frozen value, replaced after every answer. No I/O."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cdb_desktop.live.batch import Batch

_CALM = 1.0  # seconds from one poll to the next
_BUSY = 0.5  # the same while much happens
_MUCH = 25  # events of one answer; also what a service gives that does not heed the limit (§8)
_BREATH = 0.1  # seconds between an answer that took long and the next poll
_LONGEST = 15.0  # seconds between tries while the service does not answer


@dataclass(frozen=True, slots=True)
class Polling:
    """``last_id`` is the cursor; ``failures`` are those in a row; ``pace`` is the time between polls."""

    last_id: int
    failures: int = 0
    pace: float = _CALM

    def answered(self, batch: Batch) -> Polling:
        """The state after an answer; the cursor never moves back."""
        return Polling(max(self.last_id, batch.newest), pace=_pace(batch, self.last_id))

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
        return max(_BREATH, self.pace - took) if self.pace else 0.0


def _pace(batch: Batch, last_id: int) -> float:
    if batch.is_full and batch.newest > last_id:
        return 0.0
    return _BUSY if sum(event.id > last_id for event in batch.events) >= _MUCH else _CALM
