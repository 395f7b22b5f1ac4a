"""Tests of when somebody is told."""

from __future__ import annotations

from cdb_desktop.live.feed_status import NotificationThrottle


def test_nobody_is_told_who_has_not_asked() -> None:
    """Off by default."""
    assert NotificationThrottle().add(5, 0.0) == 0


def test_it_tells_at_once_and_then_gathers() -> None:
    """What comes in the next ten seconds is told together, by whatever comes after them."""
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
