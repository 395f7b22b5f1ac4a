"""Tests of the keys of local data."""

from cdb_desktop.vocabulary.profile_key import ProfileKey


def test_neither_services_nor_users_share_a_key() -> None:
    """The key has the service's address and the user's login; it may be empty."""
    homes = [
        ProfileKey("https://a"),
        ProfileKey("https://b"),
        ProfileKey("https://a", "anna"),
        ProfileKey("https://a", "bert"),
    ]
    assert len({home.key for home in homes}) == len(homes)
