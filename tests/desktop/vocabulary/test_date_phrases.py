"""Tests of dates in typed queries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.vocabulary.query_text import find_dates
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan

NOW = datetime(2026, 11, 21, 15, 30, 12, 345_678, tzinfo=UTC)  # a Saturday


pytestmark = pytest.mark.usefixtures("utc")


def bounds(text: str) -> list[str | None]:
    """The bounds of the only date in ``text``, without offset."""
    (found,) = find_dates(text, NOW)
    assert (found.first, found.last) == (0, len(text))
    return [None if each is None else f"{each:%Y-%m-%d %H:%M:%S}" for each in found.span.bounds(NOW)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("today", "2026-11-21 00:00:00", None),
        ("Heute", "2026-11-21 00:00:00", None),
        ("yesterday", "2026-11-20 00:00:00", "2026-11-20 23:59:59"),
        ("this week", "2026-11-16 00:00:00", None),
        ("last week", "2026-11-09 00:00:00", "2026-11-15 23:59:59"),
        ("letzte Woche", "2026-11-09 00:00:00", "2026-11-15 23:59:59"),
        ("this month", "2026-11-01 00:00:00", None),
        ("last month", "2026-10-01 00:00:00", "2026-10-31 23:59:59"),
        ("last 15 min", "2026-11-21 15:15:12", None),
        ("last 3 days", "2026-11-18 15:30:12", None),
        ("letzten 2 Stunden", "2026-11-21 13:30:12", None),
        ("2 weeks ago", "2026-11-02 00:00:00", "2026-11-08 23:59:59"),
        ("vor 2 Wochen", "2026-11-02 00:00:00", "2026-11-08 23:59:59"),
        ("3 days ago", "2026-11-18 00:00:00", "2026-11-18 23:59:59"),
        ("a month ago", "2026-10-01 00:00:00", "2026-10-31 23:59:59"),
        ("2 hours ago", "2026-11-21 13:30:12", None),
        ("2026-11-09", "2026-11-09 00:00:00", "2026-11-09 23:59:59"),
        ("9.11.", "2026-11-09 00:00:00", "2026-11-09 23:59:59"),
        ("24.12.", "2025-12-24 00:00:00", "2025-12-24 23:59:59"),
        ("9.11.2024", "2024-11-09 00:00:00", "2024-11-09 23:59:59"),
        ("at 10:40", "2026-11-21 10:35:00", "2026-11-21 10:45:00"),
        ("um 18:00", "2026-11-20 17:55:00", "2026-11-20 18:05:00"),
        ("9.11. 10:40", "2026-11-09 10:35:00", "2026-11-09 10:45:00"),
        ("at yesterday 10:40", "2026-11-20 10:35:00", "2026-11-20 10:45:00"),
        ("since 9.11.", "2026-11-09 00:00:00", None),
        ("seit gestern 18:00", "2026-11-20 18:00:00", None),
        ("since 2h", "2026-11-21 13:30:12", None),
        ("until 10:40", None, "2026-11-21 10:40:00"),
        ("bis 9.11.2024", None, "2024-11-09 23:59:59"),
        ("before 9.11.2024", None, "2024-11-08 23:59:59"),
        ("9.11. .. 12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("9.11. - 12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("2026-11-09..2026-11-12 08:00", "2026-11-09 00:00:00", "2026-11-12 08:00:00"),
        ("9.11. bis 12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("von 9.11.", "2026-11-09 00:00:00", None),
        ("since 9.11. until 12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("vom 9.11. bis zum 12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("between 9.11. and 12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("9.11.-12.11.", "2026-11-09 00:00:00", "2026-11-12 23:59:59"),
        ("October 2026", "2026-10-01 00:00:00", "2026-10-31 23:59:59"),
        ("im Dezember", "2025-12-01 00:00:00", "2025-12-31 23:59:59"),
        ("in november", "2026-11-01 00:00:00", "2026-11-30 23:59:59"),
    ],
)
def test_dates(text: str, first: str | None, last: str | None) -> None:
    """English and German dates, relative and absolute; a date without a year is not in the future."""
    assert bounds(text) == [first, last]


@pytest.mark.parametrize(
    "text",
    [
        "31.2.",
        "version 1.2.3",
        "10.1.2.3",
        "week",
        "August Sander",
        "last",
        "ago",
        "http://a/2026-11-09",
        "10:40",
        "5 to 9",
        "999999 weeks ago",
        "last 999999 weeks",
    ],
)
def test_no_dates(text: str) -> None:
    """Versions, addresses, bare numbers and days that do not exist are no dates."""
    assert list(find_dates(text, NOW)) == []


def test_relative_dates_move() -> None:
    """What is relative stays relative, so that a saved query moves with the time."""
    (found,) = find_dates("last week", NOW)
    assert found.span == TimeSpan(preset=TimePreset.LAST_WEEK)
    (found,) = find_dates("last 2 h", NOW)
    assert found.span == TimeSpan(first_ago=7200)


def test_a_date_is_found_between_words() -> None:
    """A date is found between words."""
    text = "denied since 9.11. by policy"
    (found,) = find_dates(text, NOW)
    assert text[found.first : found.last] == "since 9.11."


@given(st.text(alphabet="0123456789.:- lastwekdyhour", max_size=40))
def test_any_text(text: str) -> None:
    """No text makes it fail, and places do not overlap."""
    end = 0
    for found in find_dates(text, NOW):
        assert end <= found.first < found.last <= len(text)
        end = found.last


@given(st.datetimes(datetime(2000, 1, 5), datetime(2100, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_calendar_periods(now: datetime) -> None:
    """Weeks begin on Monday, months on the first, and the last ones end where the present ones begin."""
    for last, this in (
        (TimePreset.LAST_WEEK, TimePreset.THIS_WEEK),
        (TimePreset.LAST_MONTH, TimePreset.THIS_MONTH),
    ):
        first, end = TimeSpan(preset=last).bounds(now)
        start, _ = TimeSpan(preset=this).bounds(now)
        assert first is not None
        assert end is not None
        assert start is not None
        assert end + timedelta(seconds=1) == start <= now
        assert all(
            each.weekday() == 0 if last is TimePreset.LAST_WEEK else each.day == 1 for each in (first, start)
        )
        assert first < end
