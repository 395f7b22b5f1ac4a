"""Tests of formatting points in time, in either zone."""

from datetime import UTC, datetime

import pytest

from cdb_desktop.vocabulary.times import (
    choose_zone,
    clock_time,
    day_and_time,
    exact_time,
    midnight,
    offset,
)

pytestmark = pytest.mark.usefixtures("in_berlin")

MOMENT = datetime(2026, 7, 20, 22, 30, 5, tzinfo=UTC)


def test_times_are_shown_in_the_zone_of_this_machine() -> None:
    """22:30 in London is half past midnight of the next day in Berlin in summer."""
    assert day_and_time(MOMENT) == "2026-07-21 00:30:05"
    assert clock_time(MOMENT) == "00:30:05"
    assert exact_time(MOMENT) == "2026-07-21 00:30:05 +0200"


def test_no_time_is_an_empty_text() -> None:
    """An event without a time has an empty text."""
    assert day_and_time(None) == clock_time(None) == exact_time(None) == ""


def test_the_zone_can_be_utc() -> None:
    """It applies to all times at once, and can be changed back."""
    choose_zone("utc")
    assert (day_and_time(MOMENT), clock_time(MOMENT)) == ("2026-07-20 22:30:05", "22:30:05")
    assert exact_time(MOMENT) == "2026-07-20 22:30:05 +0000"
    assert offset(MOMENT) == "UTC"
    choose_zone("local")
    assert offset(MOMENT) == "UTC+02:00"


def test_times_at_the_ends_of_the_calendar_are_shown() -> None:
    """They are in UTC if the local date would be out of range."""
    assert day_and_time(datetime.max.replace(tzinfo=UTC)) == "9999-12-31 23:59:59"
    assert "1-01-01 " in day_and_time(datetime.min.replace(tzinfo=UTC))


def test_a_day_begins_at_midnight_of_the_zone() -> None:
    """This holds if the offset at midnight differs from the present one."""
    assert midnight(MOMENT) == datetime(2026, 7, 20, 22, tzinfo=UTC)
    assert midnight(datetime(2026, 3, 29, 12, tzinfo=UTC)) == datetime(2026, 3, 28, 23, tzinfo=UTC)
    choose_zone("utc")
    assert midnight(MOMENT) == datetime(2026, 7, 20, tzinfo=UTC)
