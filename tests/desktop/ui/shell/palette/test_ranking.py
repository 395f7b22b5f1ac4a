"""Tests of how well what is typed fits a name."""

from __future__ import annotations

import pytest

from cdb_desktop.ui.shell.palette.ranking import match_distance


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
def test_it_fits(typed: str, name: str) -> None:
    """Beginnings, parts, letters left out, and without accents."""
    assert match_distance(typed, name) is not None


def test_what_is_not_there_does_not_fit() -> None:
    """Neither a missing word nor letters in another order."""
    assert match_distance("export now", "Export as CSV…") is None
    assert match_distance("hserfer", "Refresh") is None


def test_a_beginning_fits_better_than_a_part_and_that_better_than_letters() -> None:
    """The best stands at the top, where Enter takes it."""
    names = ["Refresh", "Do refresh", "Unrefreshed", "Reading far east"]
    distances = [match_distance("ref", name) for name in names]
    assert distances == sorted(distances, key=lambda one: one or 0)
    assert len(set(distances)) == len(names)


def test_the_menu_counts_last() -> None:
    """Whoever types the name of a menu sees what stands in it."""
    assert match_distance("view", "Refresh", "View") is not None
    assert match_distance("view", "View", "View") == 0
