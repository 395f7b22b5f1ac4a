"""Tests of how far an answer takes the cursor; test_proof.py has it follow a service that tells wrong ids."""

from __future__ import annotations

from cdb_desktop.live.reach import BEYOND, Jump, Reached, reach


def test_it_goes_to_the_highest_id() -> None:
    """In whatever order they come, over gaps as they are common."""
    assert reach(5, [9, 7, 900]) == Reached(900)
    assert reach(9, [3, 9]) == Reached(9)
    assert reach(9, []) == Reached(9)


def test_one_id_far_above_all_others_does_not_take_it_along() -> None:
    """Nor do a few; those near the others do."""
    assert reach(5, [10**12]) == Reached(5)
    assert reach(5, [6, 7, *range(50_000, 50_009)]) == Reached(7)
    assert reach(5, [2**62, BEYOND + 9, 6]) == Reached(6)


def test_many_do() -> None:
    """The log went on there while nobody asked; where from is told."""
    assert reach(5, [6, *range(50_000, 50_010)]) == Reached(50_009, (Jump(6, 50_000),))


def test_events_that_stand_far_apart_lead_on_one_by_one() -> None:
    """Each is believed when enough others have come behind it."""
    ids = [5_000 * place for place in range(1, 13)]
    found = reach(0, ids)
    assert found.cursor == 15_000
    assert found.jumps == (Jump(0, 5_000), Jump(5_000, 10_000), Jump(10_000, 15_000))
