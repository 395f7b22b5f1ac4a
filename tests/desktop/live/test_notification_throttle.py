"""Tests of when to notify of new events."""

from __future__ import annotations

from cdb_desktop.live.feed_status import NotificationThrottle


def test_it_is_off_by_default() -> None:
    assert NotificationThrottle().add(5, 0.0) == 0


def test_it_notifies_at_once_and_then_collects() -> None:
    """What comes in the next ten seconds is counted together, with the first events after them."""
    alarm = NotificationThrottle()
    alarm.turn(on=True)
    assert [alarm.add(count, moment) for count, moment in ((0, 0), (2, 1), (3, 2), (0, 10), (0, 11))] == [
        0,
        2,
        0,
        0,
        3,
    ]
    alarm.add(4, 12.0)
    alarm.turn(on=True)
    assert alarm.add(0, 60.0) == 0
