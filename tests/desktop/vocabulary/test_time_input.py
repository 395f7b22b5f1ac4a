"""Tests of parsing times as people type them."""

from datetime import UTC, datetime, timedelta

import pytest

from cdb_desktop.vocabulary.time_input import (
    TimeFault,
    TimeInputError,
    TimeUnit,
    in_largest_unit,
    parse_seconds_ago,
    parse_time,
    step_time,
)

NOW = datetime(2026, 11, 21, 15, 30, 12, 345_678, tzinfo=UTC)


pytestmark = pytest.mark.usefixtures("utc")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-20 14:02:11", "2026-11-20T14:02:11"),
        ("2026-11-20T14:02", "2026-11-20T14:02:00"),
        (" 2026-1-2 ", "2026-01-02T00:00:00"),
        ("20.11.2026 14:02", "2026-11-20T14:02:00"),
        ("2026-11-20T14:02:11.987+01:00", "2026-11-20T13:02:11"),
        ("2026-11-20 14:02:11 -0230", "2026-11-20T16:32:11"),
        ("2026-11-20T14:02:11Z", "2026-11-20T14:02:11"),
        ("9:05", "2026-11-21T09:05:00"),
        ("now", "2026-11-21T15:30:12"),
        ("15m", "2026-11-21T15:15:12"),
        ("-2 h", "2026-11-21T13:30:12"),
        ("7d", "2026-11-14T15:30:12"),
        ("Yesterday", "2026-11-20T00:00:00"),
        ("heute", "2026-11-21T00:00:00"),
        ("yesterday 18:00", "2026-11-20T18:00:00"),
        ("Gestern, 9:05:07", "2026-11-20T09:05:07"),
    ],
)
def test_times_are_parsed(text: str, expected: str) -> None:
    """Dates, clock times, times of records and durations before now are accepted."""
    assert parse_time(text, NOW).isoformat() == f"{expected}+00:00"


def test_a_bare_date_can_mean_its_end() -> None:
    """As the second of two bounds it includes the whole day."""
    assert parse_time("2026-11-20", NOW, day_ends=True).isoformat() == "2026-11-20T23:59:59+00:00"
    assert parse_time("2026-11-20 00:00", NOW, day_ends=True).hour == 0
    assert parse_time("yesterday", NOW, day_ends=True).isoformat() == "2026-11-20T23:59:59+00:00"
    assert parse_time("yesterday 18:00", NOW, day_ends=True).isoformat() == "2026-11-20T18:00:00+00:00"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", TimeFault.NONSENSE),
        ("tomorrow-ish", TimeFault.NONSENSE),
        ("2026-11", TimeFault.NONSENSE),
        ("2026-02-30", TimeFault.NO_SUCH_DAY),
        ("31.11.2026", TimeFault.NO_SUCH_DAY),
        ("2026-99-99", TimeFault.NO_SUCH_DAY),
        ("2026-11-20 24:01", TimeFault.NO_SUCH_TIME),
        ("25:00", TimeFault.NO_SUCH_TIME),
        ("today 24:30", TimeFault.NO_SUCH_TIME),
        ("2026-11-20 12:00+99:00", TimeFault.NO_SUCH_TIME),
        ("0001-01-01", TimeFault.YEAR),
        ("9999-12-31 23:59:59", TimeFault.YEAR),
        ("123456789-01-01", TimeFault.YEAR),
        ("999999w", TimeFault.YEAR),
        ("999999 d", TimeFault.YEAR),
    ],
)
def test_invalid_times_are_distinguished(text: str, fault: TimeFault) -> None:
    """Each fault has its own message."""
    with pytest.raises(TimeInputError) as raised:
        parse_time(text, NOW)
    assert raised.value.fault is fault


def test_durations_are_shown_in_the_largest_exact_unit() -> None:
    """The text can be parsed again."""
    for text, expected in (("90s", (90, "s")), ("120 s", (2, "min")), ("48h", (2, "d")), ("1w", (7, "d"))):
        ago = parse_seconds_ago(text)
        assert ago is not None
        assert in_largest_unit(ago) == expected
    assert parse_seconds_ago("2026-11-20") is None


def test_steps_change_the_selected_part() -> None:
    """In a shorter month the last day is used, and the calendar has limits."""
    start = datetime(2024, 1, 31, 12, 0, tzinfo=UTC)
    assert step_time(start, TimeUnit.MONTH, 1).date().isoformat() == "2024-02-29"
    assert step_time(start, TimeUnit.MONTH, -2).date().isoformat() == "2023-11-30"
    assert step_time(start, TimeUnit.YEAR, 1).year == 2025
    assert step_time(start, TimeUnit.HOUR, -13) - start == timedelta(hours=-13)
    assert step_time(start, TimeUnit.YEAR, 900) == start
    assert step_time(start, TimeUnit.DAY, -1).day == 30
