"""What one answer of the service brought, as a frozen value that can be accounted for later. No I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cdb_desktop.client import Event

Way = Literal["poll", "list"]

BEYOND = 2**62  # no service counts that far: such an id says nothing of the others
_FULL = 1000  # events of a poll that may have successors already (§8)


@dataclass(frozen=True, slots=True)
class Batch:
    """The events of one answer as they came; ``after`` is the cursor from which they were asked for."""

    after: int
    events: tuple[Event, ...]
    way: Way = "poll"

    @property
    def newest(self) -> int:
        """The highest id that a service can reach; the cursor where nothing came, and never less than it."""
        return max(self.after, max((event.id for event in self.events if event.id < BEYOND), default=0))

    @property
    def is_full(self) -> bool:
        """Whether more may be waiting; an answer that brings nothing new leads nowhere, however long."""
        return len(self.events) >= _FULL and self.newest > self.after
