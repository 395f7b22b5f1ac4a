"""Where polling stands and when to ask next (§4.2); a frozen value, replaced after every answer. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cdb_desktop.client import Event

_FULL = 1000  # events of an answer that may have successors already (§8)
_PAUSE = 1.0  # seconds between polls when nothing waits
_LONGEST = 30.0  # seconds between tries while the service does not answer


@dataclass(frozen=True, slots=True)
class Polling:
    """``last_id`` is the cursor; ``failures`` are those in a row; ``full`` says that more is waiting."""

    last_id: int
    failures: int = 0
    full: bool = False

    def answered(self, events: Sequence[Event]) -> Polling:
        """The state after an answer; the cursor never moves back."""
        newest = max((event.id for event in events), default=self.last_id)
        return Polling(max(self.last_id, newest), full=len(events) >= _FULL)

    def failed(self) -> Polling:
        """The state after a failure: the cursor stays, so nothing is missed."""
        return replace(self, failures=self.failures + 1)

    @property
    def wait(self) -> float:
        """Seconds until the next poll: none while batches are full, ever more while the service fails."""
        if self.failures:
            return float(min(_LONGEST, 2 ** (self.failures - 1)))
        return 0.0 if self.full else _PAUSE
