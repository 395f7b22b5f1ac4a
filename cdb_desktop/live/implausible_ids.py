"""Ids far above all others: they may be wrong, so that a few of them do not move the poll cursor."""

from __future__ import annotations

from collections.abc import Iterable

from cdb_desktop.client import Event
from cdb_desktop.live.gap_detection import LARGEST_ID, IdLedger

_FAR = 1000  # ids between one event and the next from which on the second one may be wrong
_ENOUGH = 10  # events above such a distance that are not
_MOST = 10_000  # ids that are remembered; a service that makes up new ones must not fill the memory


def advance_cursor(cursor: int, ids: Iterable[int]) -> int:
    """The cursor after an answer with ``ids`` in any order; it never moves back.

    The next poll brings ids above the new cursor again; as soon as there are enough, the cursor follows.
    """
    above = sorted({one for one in ids if cursor < one <= LARGEST_ID})
    for place, one in enumerate(above):
        if one - cursor > _FAR and len(above) - place < _ENOUGH:
            break
        cursor = one
    return cursor


class ImplausibleIds:
    """Remembers the events above the cursor, and enters them into the ledger when the cursor reaches them."""

    def __init__(self, ledger: IdLedger) -> None:
        self._ledger = ledger
        self._ids: set[int] = set()

    def __len__(self) -> int:
        return len(self._ids)

    def new_events(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """The events that have not been received before."""
        return tuple(event for event in self._ledger.unreceived(events) if event.id not in self._ids)

    def add(self, ids: Iterable[int], cursor: int, moment: float) -> None:
        """Enters received ids up to ``cursor`` into the ledger and remembers the others."""
        self._ids.update(ids)
        reached = {one for one in self._ids if one <= cursor}
        self._ids -= reached
        self._ledger.add_received(reached, moment)
        if len(self._ids) > _MOST:
            self._ids.clear()

    def clear(self) -> None:
        """Forgets all ids, which belong to another log."""
        self._ids.clear()
