"""Tests of the feeds of a service as a text."""

from __future__ import annotations

from cdb_desktop.live.choice import Choice
from cdb_desktop.live.layout import Kept, decoded, encoded

LAYOUT = (
    Kept(Choice().only("USER_LOGIN"), notifies=True, width=400),
    Kept(Choice(user="anna", users=frozenset({3}), base_types=frozenset({"user"})), width=300),
)


def test_what_was_kept_comes_back() -> None:
    """For each service its own."""
    text = encoded(decoded(encoded({}, "here", LAYOUT)), "there", LAYOUT[:1])
    assert decoded(text) == {"here": LAYOUT, "there": LAYOUT[:1]}


def test_what_cannot_be_read_is_none() -> None:
    """A file that somebody has edited keeps no feed from running."""
    for broken in ("", "[", "[1]", '{"here": [{"choice": 5}]}'):
        assert decoded(broken) == {}


def test_old_services_are_forgotten() -> None:
    """The one that was left alone for the longest time goes first."""
    text = ""
    for number in range(60):
        text = encoded(decoded(text), str(number), LAYOUT)
        text = encoded(decoded(text), "0", LAYOUT)
    assert len(decoded(text)) == 50
    assert "0" in decoded(text)
    assert "1" not in decoded(text)
