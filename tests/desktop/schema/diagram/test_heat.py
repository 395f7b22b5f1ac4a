"""Tests of the levels of use and sizes."""

from datetime import UTC, datetime, timedelta

import pytest

from cdb_desktop.schema.diagram.heat import LARGEST, age_level, highest, share_level, size_of

_NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(("days", "level"), [(0.5, 4), (6, 3), (29, 2), (90, 1), (91, 0), (4000, 0)])
def test_the_level_of_a_last_write(days: float, level: int) -> None:
    assert age_level(_NOW - timedelta(days=days), _NOW, is_complete=False) == level


def test_no_known_write_is_cold_only_if_all_was_read() -> None:
    assert age_level(None, _NOW, is_complete=True) == 0
    assert age_level(None, _NOW, is_complete=False) is None


def test_levels_of_reads_are_relative() -> None:
    """Each level is a third of the next, and one read is never nothing."""
    assert [share_level(count, 810) for count in (0, 1, 30, 31, 90, 91, 270, 271, 810)] == [
        *(0, 1, 1, 2, 2, 3, 3, 4, 4)
    ]
    assert share_level(0, 0) == 0


def test_sizes_are_powers_of_ten() -> None:
    assert [size_of(rows) for rows in (0, 1, 99, 100, 999, 1000, 99_999, 100_000, 10**9)] == [
        *(0, 1, 1, 2, 2, 3, 4, LARGEST, LARGEST)
    ]
    assert highest([None, 3, 1]) == 3
    assert highest([None]) == 0
