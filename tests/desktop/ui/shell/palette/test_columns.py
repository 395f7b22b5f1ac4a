"""Tests of distributing groups among columns."""

from cdb_desktop.ui.shell.palette.keys_overlay import balanced_columns


def test_the_height_of_the_highest_column_is_minimal() -> None:
    """The order stays the same, and no group is omitted."""
    assert balanced_columns([9, 4, 7, 19, 23, 13, 3], 3) == [range(3), range(3, 4), range(4, 7)]
    assert balanced_columns([1, 1, 1, 1], 2) == [range(2), range(2, 4)]


def test_there_are_no_more_columns_than_groups() -> None:
    """One group has one column, no group has none."""
    assert balanced_columns([5], 3) == [range(1)]
    assert balanced_columns([], 3) == [range(0)]
