"""Tests of when to ask again below a jump of the cursor."""

from __future__ import annotations

from cdb_desktop.live.reach import Jump
from cdb_desktop.live.soundings import Soundings

JUMP = Jump(7, 50_000)


def test_the_longer_nothing_comes_the_rarer_it_is_asked() -> None:
    """Down to once a minute, and never not at all."""
    soundings, moments, now = Soundings(), [], 0.0
    soundings.jumped([JUMP], now)
    while now < 400:
        now += 1
        foot = soundings.take(now, 0)
        if foot:
            moments.append(now)
            soundings.missed(foot, now)
    assert moments == [1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363]


def test_what_is_found_is_followed() -> None:
    """From the last event on, and soon."""
    soundings = Soundings()
    soundings.jumped([JUMP], 0.0)
    foot = soundings.take(1.0, 0)
    assert foot
    assert (foot.after, foot.before) == JUMP
    assert soundings.take(1.0, 0) is None
    soundings.found(foot, 12, 1.0)
    again = soundings.take(2.0, 0)
    assert again
    assert (again.after, again.before) == (12, 50_000)


def test_what_polls_cannot_reach_is_given_up() -> None:
    """A session whose polls begin above the jump leaves nothing to ask for below it."""
    soundings = Soundings()
    soundings.jumped([JUMP, Jump(60_000, 90_000)], 0.0)
    foot = soundings.take(5.0, 60_000)
    assert foot
    assert foot.after == 60_000
    soundings.begin_anew()
    assert soundings.take(500.0, 0) is None
