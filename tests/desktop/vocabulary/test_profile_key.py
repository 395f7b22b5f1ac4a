"""Tests of whose things are that stay on this machine."""

from __future__ import annotations

from cdb_desktop.vocabulary.profile_key import ProfileKey


def test_neither_services_nor_users_share_a_key() -> None:
    """A service by its address, a user by the log-in there; one that has none has a key all the same."""
    homes = [
        ProfileKey("https://a"),
        ProfileKey("https://b"),
        ProfileKey("https://a", "anna"),
        ProfileKey("https://a", "bert"),
    ]
    assert len({home.key for home in homes}) == len(homes)
