"""Tests of the bounded feed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import Event
from cdb_desktop.live.choice import Choice
from cdb_desktop.live.feed import Feed

_KINDS = ("A", "B", "C")


def take(feed: Feed, *ids: int) -> None:
    """What the model does with events that have come."""
    events = feed.unknown(Event(id=one, type=_KINDS[one % 3]) for one in ids)
    feed.leave(feed.surplus(len(events)))
    feed.append(events, feed.shown(events))


def ids(feed: Feed) -> list[int]:
    """The ids in the rows."""
    return [feed[row].id for row in range(len(feed))]


def test_events_stand_in_the_order_of_their_arrival_once() -> None:
    """One that comes late stands where it arrived; one that comes again does not."""
    feed = Feed()
    take(feed, 1, 2, 5)
    take(feed, 5, 4, 2, 6)
    assert ids(feed) == [1, 2, 5, 4, 6]
    assert feed.types == {"A": 1, "B": 2, "C": 2}


def test_the_oldest_leave_in_steps() -> None:
    """Room is made rarely and for many at once; numbers stay those of their events."""
    feed = Feed(capacity=10, step=4)
    take(feed, *range(1, 11))
    assert feed.surplus(1) == 4
    take(feed, 11)
    assert (ids(feed), feed.left, feed.surplus(1)) == ([5, 6, 7, 8, 9, 10, 11], 4, 0)
    assert (feed.number(0), feed.row_from(5)) == (4, 1)


def test_clearing_can_be_taken_back() -> None:
    """What came since stays below what is brought back."""
    feed = Feed()
    take(feed, 1, 2, 3)
    feed.clear()
    take(feed, 4)
    assert (ids(feed), feed.kept, feed.cleared) == ([4], 1, 3)
    feed.choose(Choice().without("B"))
    assert ids(feed) == []
    feed.choose(Choice())
    feed.bring_back()
    assert (ids(feed), feed.cleared) == ([1, 2, 3, 4], 0)


def test_ids_of_another_log_are_new_again() -> None:
    """The same number means another event there."""
    feed = Feed()
    take(feed, 1, 2)
    feed.begin_anew()
    take(feed, 1)
    assert ids(feed) == [1, 2, 1]


def test_a_copy_goes_its_own_way() -> None:
    """It begins with the same events, all of them shown, and knows which ones have come."""
    feed = Feed(capacity=10, step=2)
    take(feed, *range(1, 9))
    feed.choose(Choice().only("A"))
    copy = feed.copy(Choice())
    take(copy, 8, 9, 10, 11)
    assert ids(feed) == [3, 6]
    assert (ids(copy), copy.left) == ([*range(3, 12)], 2)
    assert copy.types == {"A": 3, "B": 3, "C": 3}
    take(feed, 9)
    assert ids(feed) == [3, 6, 9]


_ARRIVALS = st.lists(st.integers(1, 60), max_size=12)


@given(st.lists(st.tuples(_ARRIVALS, st.sampled_from(["", *_KINDS])), max_size=8))
def test_rows_are_what_the_choice_shows_of_what_is_kept(steps: list[tuple[list[int], str]]) -> None:
    """Chosen before or after they came, bounded or not, the same events are shown and counted."""
    feed, kept, known = Feed(capacity=20, step=3), list[int](), set[int]()
    for arriving, hidden in steps:
        feed.choose(Choice().without(hidden) if hidden else Choice())
        take(feed, *arriving)
        kept += [one for place, one in enumerate(arriving) if one not in known | set(arriving[:place])]
        known.update(arriving)
        kept = kept[len(kept) - feed.kept :]
        assert feed.kept <= 20
        assert ids(feed) == [one for one in kept if not hidden or _KINDS[one % 3] != hidden]
        assert sum(feed.types.values()) == feed.kept
