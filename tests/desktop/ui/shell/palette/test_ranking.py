"""Tests of ranking names by the typed text."""

import pytest

from cdb_desktop.ui.shell.palette.sources import match_distance


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("", "Anything"),
        ("ref", "Refresh"),
        ("LIVE", "Pause live feed"),
        ("exp csv", "Export as CSV…"),
        ("gte", "Go to event, row or time…"),
        ("losch", "Löschen"),
    ],
)
def test_it_matches(typed: str, name: str) -> None:
    """Prefixes, parts, subsequences of letters, and text without accents."""
    assert match_distance(typed, name) is not None


def test_it_does_not_match() -> None:
    """Neither a missing word nor letters in another order."""
    assert match_distance("export now", "Export as CSV…") is None
    assert match_distance("hserfer", "Refresh") is None


def test_prefixes_rank_before_parts_and_parts_before_subsequences() -> None:
    """Enter triggers the best match, which is first."""
    names = ["Refresh", "Do refresh", "Unrefreshed", "Reading far east"]
    distances = [match_distance("ref", name) for name in names]
    assert distances == sorted(distances, key=lambda one: one or 0)
    assert len(set(distances)) == len(names)


def test_the_name_of_the_menu_ranks_last() -> None:
    """Typing the name of a menu lists its actions."""
    assert match_distance("view", "Refresh", others="View") is not None
    assert match_distance("view", "View", others="View") == 0
