"""Tests of events that are told apart from those that have come before."""

from __future__ import annotations

from cdb_desktop.client import Event
from cdb_desktop.live.ahead import Ahead
from cdb_desktop.live.ledger import Balance, Ledger


def _fresh(ahead: Ahead, *ids: int) -> list[int]:
    return [event.id for event in ahead.unseen([Event(id=one) for one in ids])]


def test_what_is_beyond_the_cursor_is_told_once_and_not_accounted_for() -> None:
    """The account ends at the cursor, as long as that is where it stays."""
    ledger = Ledger()
    ledger.begin(0)
    ahead = Ahead(ledger)
    ahead.saw([1, 2, 9_000], 2, 0.0)
    assert _fresh(ahead, 2, 3, 9_000) == [3]
    assert ledger.balance == Balance(1, 2, seen=2)
    assert len(ahead) == 1
    ahead.saw([9_001], 9_001, 0.0)
    assert (len(ahead), ledger.last, ledger.balance.seen) == (0, 9_001, 4)
    assert _fresh(ahead, 9_000, 9_001) == []


def test_a_service_that_makes_ids_up_does_not_fill_the_memory() -> None:
    """Then an event may be told twice."""
    ledger = Ledger()
    ledger.begin(0)
    ahead = Ahead(ledger)
    for first in range(10**9, 10**9 + 30_000, 100):
        ahead.saw(range(first, first + 100), 0, 0.0)
        assert len(ahead) <= 10_000
