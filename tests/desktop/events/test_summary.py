"""Tests of the pivot tables of a result."""

import csv
import io
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from cdb_desktop.client import Event, Unreadable
from cdb_desktop.events.summary import EventSummary, SummaryKind, SummaryTable

START = datetime(2026, 1, 1, 22, 30, tzinfo=UTC)
TYPES, USERS = ("SEARCH", "SEARCH", "OBJECT_UPDATE"), ("Anna", "", "Ben", "Anna")


pytestmark = pytest.mark.usefixtures("utc")


def events(count: int) -> list[Event]:
    """Events, one every five hours."""
    return [
        Event(
            id=n,
            type=TYPES[n % 3],
            timestamp=START + timedelta(hours=5 * n),
            user_displayname=USERS[n % 4] or None,
        )
        for n in range(count)
    ]


def gathered(count: int) -> EventSummary:
    """A summary of the events in two pages, and of one without a time."""
    found, every = EventSummary(), events(count)
    found.add(every[:20])
    found.add([*every[20:], Event(id=99)])
    return found


def test_types_by_day() -> None:
    """Every day has a column, also days without events; the most frequent type is first."""
    table = gathered(50).table(SummaryKind.TYPE_DAY)
    expected = Counter((one.type, f"{one.timestamp:%Y-%m-%d}") for one in events(50))
    assert table.rows == ("SEARCH", "OBJECT_UPDATE")
    assert (table.columns[0], table.columns[-1]) == ("2026-01-01", "2026-01-12")
    assert len(table.columns) == 12
    assert as_counts(table) == expected
    assert table.total == 50


def test_users_by_hour() -> None:
    """All twenty-four hours have a column; events without a user are counted too."""
    table = gathered(50).table(SummaryKind.USER_HOUR)
    expected = Counter((one.user_displayname or "–", f"{one.timestamp:%H}") for one in events(50))
    assert table.columns == tuple(f"{hour:02d}" for hour in range(24))
    assert table.rows[0] == "Anna"
    assert as_counts(table) == expected


def test_users_by_type() -> None:
    """Types are sorted by frequency."""
    table = gathered(50).table(SummaryKind.USER_TYPE)
    assert table.columns == ("SEARCH", "OBJECT_UPDATE")
    assert as_counts(table) == Counter((one.user_displayname or "–", one.type) for one in events(50))


def test_a_table_as_csv_has_sums() -> None:
    """Rows and columns have sums, for spreadsheets."""
    table = SummaryTable(("SEARCH",), ("a", "b"), ((1, 2),))
    assert list(csv.reader(io.StringIO(table.as_csv(), newline=""))) == [
        ["", "a", "b", "Σ"],
        ["SEARCH", "1", "2", "3"],
    ]


def test_an_empty_result_is_an_empty_table() -> None:
    """Nothing fails."""
    assert [EventSummary().table(kind) for kind in SummaryKind] == [SummaryTable()] * 3
    assert SummaryTable().highest == 0


def as_counts(table: SummaryTable) -> Counter[tuple[str, str]]:
    """The numbers of a table that are not 0."""
    return Counter(
        {
            (row, column): number
            for row, numbers in zip(table.rows, table.values, strict=True)
            for column, number in zip(table.columns, numbers, strict=True)
            if number
        }
    )


def test_ignored_records_are_counted() -> None:
    """These are unreadable records, and events without a time."""
    gathered = EventSummary()
    gathered.add([Event(id=2, timestamp=START), Unreadable("no_id"), Event(id=1)])
    assert (len(gathered), gathered.unreadable, gathered.without_time) == (1, 1, 1)


def test_a_wrong_time_does_not_add_years_of_days() -> None:
    """In that case, only days with events have a column."""
    gathered = EventSummary()
    zero, end = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
    moments = (zero, START, START + timedelta(days=2), end)
    gathered.add([Event(id=1, timestamp=one) for one in moments])
    days = ("0001-01-01", "2026-01-01", "2026-01-03", "9999-12-31")
    assert gathered.table(SummaryKind.TYPE_DAY).columns == days
