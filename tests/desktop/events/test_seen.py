"""Tests of what is known of users from what has been read."""

from __future__ import annotations

from cdb_desktop.client import Event
from cdb_desktop.events.seen import Seen


def test_users_are_met_with_and_without_a_name() -> None:
    """A name that was told is not lost by a record without one; those without any come last."""
    seen = Seen()
    seen.add([Event(id=1, user_id=9), Event(id=2, user_id=5, user_displayname="Nora")])
    seen.add([Event(id=3, user_id=5), Event(id=4)])
    assert seen.users == [(5, "Nora"), (9, "#9")]
    assert (seen.met(5), seen.met(9), seen.read) == (2, 1, 4)


def test_what_is_read_again_counts_once() -> None:
    """A page that is loaded anew tells nothing new."""
    seen, page = Seen(), [Event(id=1, user_id=9), Event(id=2, user_id=9)]
    seen.add(page)
    seen.add(page)
    assert (seen.read, seen.met(9)) == (2, 2)
