"""Tells events that have come before from those that have not, also where one is far beyond the cursor."""

from __future__ import annotations

from collections.abc import Iterable

from cdb_desktop.client import Event
from cdb_desktop.live.ledger import Ledger

_MOST = 10_000  # ids that are remembered; a service that makes ever others up must not fill the memory


class Ahead:
    """Passes ids on to the ledger as soon as the cursor has reached them: an account up to a wrong id would
    be one of millions of ids that never were."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._ids: set[int] = set()

    def __len__(self) -> int:
        """How many events have come from beyond the cursor."""
        return len(self._ids)

    def unseen(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """Those that have not come before."""
        return tuple(event for event in self._ledger.unseen(events) if event.id not in self._ids)

    def saw(self, ids: Iterable[int], cursor: int, moment: float) -> None:
        """Events have come; the cursor stands there now."""
        self._ids.update(ids)
        reached = {one for one in self._ids if one <= cursor}
        self._ids -= reached
        self._ledger.saw(reached, moment)
        if len(self._ids) > _MOST:
            self._ids.clear()

    def begin_anew(self) -> None:
        """From now on ids mean other events than before."""
        self._ids.clear()
