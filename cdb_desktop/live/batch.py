"""What one answer of the service brought, as a frozen value that can be accounted for later. No I/O."""

from __future__ import annotations

from typing import Literal

import msgspec

from cdb_desktop.client import Event, Unreadable

Way = Literal["poll", "list"]

_FULL = 1000  # records of a poll that may have successors already (§8)


class Batch(msgspec.Struct, frozen=True):
    """The events of one answer as they came; ``after`` is the id from which they were asked for.

    ``unreadable`` is what came beside them and is no event.
    """

    after: int
    events: tuple[Event, ...]
    way: Way = "poll"
    unreadable: tuple[Unreadable, ...] = ()

    @property
    def is_full(self) -> bool:
        """Whether more may be waiting."""
        return len(self.events) + len(self.unreadable) >= _FULL
