"""Tests of the cursor and the pace of polling."""

from __future__ import annotations

from cdb_desktop.client import Event
from cdb_desktop.live.batch import Batch
from cdb_desktop.live.polling import Polling


def batch(after: int, *ids: int) -> Batch:
    """An answer with these events."""
    return Batch(after, tuple(Event(id=one) for one in ids))


def test_the_cursor_follows_the_newest_event() -> None:
    """The next poll begins after the highest id of this one, and never before (§4.2)."""
    polling = Polling(5).answered(batch(5, 9, 7))
    assert polling.last_id == 9
    assert polling.answered(batch(9)).last_id == 9
    assert polling.answered(batch(9, 3)).last_id == 9


def test_a_full_batch_is_followed_at_once() -> None:
    """1000 events are the most that come at a time, so more may be waiting (§8)."""
    full = Polling(0).answered(batch(0, *range(1, 1001)))
    assert full.wait() == 0
    assert full.answered(batch(1000, 1001)).wait() == 1


def test_the_more_happens_the_sooner_it_asks() -> None:
    """A second while little happens, half of it after 25 events or more."""
    assert Polling(0).answered(batch(0, *range(1, 25))).wait() == 1
    assert Polling(0).answered(batch(0, *range(1, 26))).wait() == 0.5


def test_an_answer_that_took_long_has_been_wait_enough() -> None:
    """A service that holds the request is asked again almost at once."""
    assert Polling(0).wait(took=0.25) == 0.75
    assert Polling(0).wait(took=20) == 0.1


def test_failures_wait_longer_and_longer() -> None:
    """A service that is away is not hammered, and an answer ends the waiting."""
    polling = Polling(3)
    waits = []
    for _ in range(7):
        polling = polling.failed()
        waits.append(polling.wait())
    assert waits == [1, 2, 4, 8, 15, 15, 15]
    assert (polling.last_id, polling.answered(batch(3)).wait()) == (3, 1)
