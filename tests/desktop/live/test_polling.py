"""Tests of the cursor and the pace of polling."""

from __future__ import annotations

from cdb_desktop.client import Event
from cdb_desktop.live.polling import Polling


def test_the_cursor_follows_the_newest_event() -> None:
    """The next poll begins after the highest id of this one, and never before (§4.2)."""
    polling = Polling(5).answered([Event(id=7), Event(id=9)])
    assert polling.last_id == 9
    assert polling.answered([]).last_id == 9


def test_a_full_batch_is_followed_at_once() -> None:
    """1000 events are the most that come at a time, so more may be waiting (§8)."""
    full = Polling(0).answered([Event(id=number) for number in range(1, 1001)])
    assert full.wait == 0
    assert full.answered([Event(id=1001)]).wait == 1


def test_failures_wait_longer_and_longer() -> None:
    """A service that is away is not hammered, and an answer ends the waiting."""
    polling = Polling(3)
    waits = []
    for _ in range(7):
        polling = polling.failed()
        waits.append(polling.wait)
    assert waits == [1, 2, 4, 8, 16, 30, 30]
    assert (polling.last_id, polling.answered([]).wait) == (3, 1)
