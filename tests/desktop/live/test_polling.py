"""Tests of the cursor and the interval of polls."""

from __future__ import annotations

from cdb_desktop.client import Event, Unreadable
from cdb_desktop.live.log_follower import PollSettings, PollState
from cdb_desktop.live.reports import EventBatch

PACE = PollSettings()


def answered(polling: PollState, *ids: int, pace: PollSettings = PACE, cursor: int = 0) -> PollState:
    """The state after an answer with these events and the highest of them, or ``cursor``, as the cursor."""
    batch = EventBatch(polling.last_id, tuple(Event(id=one) for one in ids))
    return polling.after_answer(batch, cursor or max(ids, default=0), pace)


def test_the_cursor_never_moves_back() -> None:
    """The next poll begins at the cursor, and never before (§4.2)."""
    polling = answered(PollState(5), 9, 7)
    assert polling.last_id == 9
    assert answered(polling).last_id == 9
    assert answered(polling, 3).last_id == 9


def test_a_full_answer_is_followed_at_once() -> None:
    """1000 records are the most that come at a time, so that more may be waiting (§8)."""
    full = answered(PollState(0), *range(1, 1001))
    assert full.wait() == 0
    assert answered(full, 1001).wait() == 1
    garbled = EventBatch(
        0, tuple(Event(id=one) for one in range(1, 999)), unreadable=(Unreadable("no_id"),) * 2
    )
    assert PollState(0).after_answer(garbled, 998, PACE).wait() == 0


def test_a_full_answer_that_does_not_move_the_cursor_is_not() -> None:
    assert answered(PollState(1000), *range(1, 1001)).wait() == 1


def test_polls_are_more_frequent_with_many_events() -> None:
    """A second while little happens, half of it after 25 events or more."""
    assert answered(PollState(0), *range(1, 25)).wait() == 1
    busy = answered(PollState(0), *range(1, 26))
    assert busy.wait() == 0.5
    assert answered(busy, *range(26, 99)).wait() == 0.5
    assert answered(busy, 27).wait() == 1


def test_the_user_chooses_the_interval() -> None:
    """Which may be fixed."""
    slow, steady = PollSettings(10.0), PollSettings(10.0, is_adaptive=False)
    polling = answered(PollState(0), 1, pace=slow)
    waits = []
    for first in (2, 102, 202, 302, 402, 502):
        polling = answered(polling, *range(first, first + 100), pace=slow)
        waits.append(polling.wait())
    assert waits == [5, 2.5, 1.25, 0.625, 0.5, 0.5]
    assert answered(polling, 700, pace=slow).wait() == 10
    assert answered(polling, *range(600, 700), pace=steady).wait() == 10
    assert answered(PollState(0), *range(1, 99), pace=PollSettings(0.5)).wait() == 0.5


def test_the_time_of_the_answer_is_part_of_the_interval() -> None:
    """A service that holds polls is polled again almost at once."""
    assert PollState(0).wait(took=0.25) == 0.75
    assert PollState(0).wait(took=20) == 0.1


def test_waits_grow_with_each_failure() -> None:
    """An answer ends the waiting."""
    polling = PollState(3)
    waits = []
    for _ in range(7):
        polling = polling.after_failure()
        waits.append(polling.wait())
    assert waits == [1, 2, 4, 8, 15, 15, 15]
    assert (polling.last_id, answered(polling).wait()) == (3, 1)
