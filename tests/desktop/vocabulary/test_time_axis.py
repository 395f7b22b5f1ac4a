"""Tests of the labels of a time axis."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.vocabulary.time_axis import time_ticks

START = datetime(2026, 10, 24, 9, 5, 35, tzinfo=UTC)


pytestmark = pytest.mark.usefixtures("utc")


@pytest.mark.parametrize(
    ("length", "most", "texts"),
    [
        (timedelta(seconds=12), 4, ["09:05:35", "09:05:40", "09:05:45"]),
        (timedelta(hours=3), 4, ["10:00", "11:00", "12:00"]),
        (timedelta(hours=30), 6, ["12:00", "18:00", "25 Oct", "06:00", "12:00"]),
        (timedelta(days=3), 4, ["25 Oct", "26 Oct", "27 Oct"]),
        (timedelta(days=30), 5, ["26 Oct", "2 Nov", "9 Nov", "16 Nov", "23 Nov"]),
        (timedelta(days=130), 5, ["Nov", "Dec", "2027", "Feb", "Mar"]),
        (timedelta(days=1_500), 5, ["2027", "2028", "2029", "2030"]),
        (timedelta(0), 5, []),
        (timedelta(days=1), 0, []),
    ],
)
def test_ticks_are_at_round_times(length: timedelta, most: int, texts: list[str]) -> None:
    """Weeks begin on Monday, midnight shows the day and January the year."""
    assert [tick.text for tick in time_ticks(START, START + length, most)] == texts


@given(st.integers(1, 10**11), st.integers(1, 30))
def test_ticks_are_few_and_in_order(seconds: int, most: int) -> None:
    """Within the axis, however long it is."""
    last = START + timedelta(seconds=seconds)
    ticks = time_ticks(START, last, most)
    assert len(ticks) <= most
    assert all(START <= tick.moment <= last for tick in ticks)
    assert all(one.moment < other.moment for one, other in pairwise(ticks))


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_the_ends_of_the_calendar_have_ticks(moment: str) -> None:
    """A service may store such times."""
    first, last = sorted((datetime.fromisoformat(moment), START))
    assert 1 < len(time_ticks(first, last, 8)) <= 8
