"""Tests of the bounded feed."""

from __future__ import annotations

from cdb_desktop.client import Event
from cdb_desktop.live.feed import Feed


def events(first: int, number: int) -> list[Event]:
    """Events with consecutive ids."""
    return [Event(id=first + place) for place in range(number)]


def test_events_stand_in_the_order_of_their_arrival() -> None:
    """New ones are appended."""
    feed = Feed()
    feed.append(events(1, 2))
    feed.append(events(3, 1))
    assert [feed[place].id for place in range(len(feed))] == [1, 2, 3]


def test_the_oldest_leave_in_steps() -> None:
    """Room is made rarely and for many at once."""
    feed = Feed(capacity=10, step=4)
    feed.append(events(1, 10))
    assert feed.surplus(1) == 4
    feed.forget(4)
    feed.append(events(11, 1))
    assert (feed[0].id, feed[6].id, feed.surplus(1)) == (5, 11, 0)


def test_a_flood_takes_all_that_is_there() -> None:
    """More than the capacity at once leaves nothing old behind."""
    feed = Feed(capacity=10, step=4)
    feed.append(events(1, 5))
    assert feed.surplus(30) == 5
