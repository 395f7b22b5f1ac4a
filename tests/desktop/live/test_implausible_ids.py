"""Tests of ids far above all others; test_proof.py follows a service that has some."""

from __future__ import annotations

from cdb_desktop.client import Event
from cdb_desktop.live.gap_detection import LARGEST_ID, IdCounts, IdLedger, ImplausibleIds, advance_cursor


def _new(far: ImplausibleIds, *ids: int) -> list[int]:
    return [event.id for event in far.new_events([Event(id=one) for one in ids])]


def test_the_cursor_moves_to_the_highest_id() -> None:
    """In whatever order they come, over gaps as they are common."""
    assert advance_cursor(5, [9, 7, 900]) == 900
    assert advance_cursor(9, [3, 9]) == 9
    assert advance_cursor(9, []) == 9


def test_one_id_far_above_all_others_does_not_move_the_cursor() -> None:
    """Nor do a few; those near the others do."""
    assert advance_cursor(5, [10**12]) == 5
    assert advance_cursor(5, [6, 7, *range(50_000, 50_009)]) == 7
    assert advance_cursor(5, [2**62, LARGEST_ID + 9, 6]) == 6


def test_many_ids_far_above_all_others_move_the_cursor() -> None:
    """The log continues there."""
    assert advance_cursor(5, [6, *range(50_000, 50_010)]) == 50_009
    # Events that are far apart: each is accepted when enough others follow it.
    assert advance_cursor(0, [5_000 * place for place in range(1, 13)]) == 15_000


def test_ids_above_the_cursor_are_new_once_and_not_in_the_ledger() -> None:
    """The ledger ends at the cursor."""
    ledger = IdLedger()
    ledger.reset(0)
    far = ImplausibleIds(ledger)
    far.add([1, 2, 9_000], 2, 0.0)
    assert _new(far, 2, 3, 9_000) == [3]
    assert ledger.counts == IdCounts(1, 2, received=2)
    assert len(far) == 1
    far.add([9_001], 9_001, 0.0)
    assert (len(far), ledger.last, ledger.counts.received) == (0, 9_001, 4)
    assert _new(far, 9_000, 9_001) == []


def test_a_service_that_makes_up_ids_does_not_fill_the_memory() -> None:
    """Then an event may be reported twice."""
    ledger = IdLedger()
    ledger.reset(0)
    far = ImplausibleIds(ledger)
    for first in range(10**9, 10**9 + 30_000, 100):
        far.add(range(first, first + 100), 0, 0.0)
        assert len(far) <= 10_000
