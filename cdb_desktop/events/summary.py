"""Pivot tables of a whole result: numbers of events by two of their properties.

Imports pandas when a table is made.
"""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Sequence
from datetime import UTC, date, datetime
from enum import Enum
from typing import TYPE_CHECKING

import msgspec

from cdb_desktop.client import Record
from cdb_desktop.events.result import split_records
from cdb_desktop.vocabulary.event_types import user_text
from cdb_desktop.vocabulary.times import in_zone

if TYPE_CHECKING:
    import pandas as pd


_MAX_DAYS = 20 * 366  # columns, days without events included


class SummaryKind(Enum):
    """The properties of rows and columns."""

    TYPE_DAY = "type_day"
    USER_HOUR = "user_hour"
    USER_TYPE = "user_type"


class SummaryTable(msgspec.Struct, frozen=True):
    """Numbers of events by row and column, the rows with the most events first."""

    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    values: tuple[tuple[int, ...], ...] = ()

    @property
    def highest(self) -> int:
        """The largest number."""
        return max((number for row in self.values for number in row), default=0)

    @property
    def total(self) -> int:
        """The sum of all numbers."""
        return sum(map(sum, self.values))

    def as_csv(self) -> str:
        """The table as CSV with its titles, and a sum at the end of each row."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(["", *self.columns, "Σ"])
        for name, row in zip(self.rows, self.values, strict=True):
            writer.writerow([name, *row, sum(row)])
        return text.getvalue()


class EventSummary:
    """What is needed of each event for the tables, about 30 bytes.

    ``unreadable`` records and those ``without_time`` are left out.
    """

    def __init__(self) -> None:
        self.unreadable = self.without_time = 0
        self._seconds = array("q")
        self._types: list[str] = []
        self._users: list[str] = []
        self._texts: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._seconds)

    def add(self, records: Sequence[Record]) -> None:
        """Adds a page of records."""
        events, unreadable = split_records(records)
        self.unreadable += len(unreadable)
        for event in events:
            if event.timestamp is None:
                self.without_time += 1
            else:
                self._seconds.append(_clock_seconds(event.timestamp))
                self._types.append(self._interned(event.type))
                self._users.append(self._interned(user_text(event) or "–"))

    def table(self, kind: SummaryKind) -> SummaryTable:
        """The table, with days and hours in the time zone in use. Takes a second for a million events."""
        import pandas as pd  # noqa: PLC0415  # takes a quarter of a second, and most never need it

        if not len(self):
            return SummaryTable()
        times = pd.Series(pd.to_datetime(list(self._seconds), unit="s"))
        types, users = pd.Series(self._types, dtype="category"), pd.Series(self._users, dtype="category")
        if kind is SummaryKind.TYPE_DAY:
            counted = pd.crosstab(types, times.dt.strftime("%Y-%m-%d"))
            return _table(counted.reindex(columns=_days(list(counted.columns)), fill_value=0))
        if kind is SummaryKind.USER_HOUR:
            counted = pd.crosstab(users, times.dt.hour).reindex(columns=range(24), fill_value=0)
            return _table(counted.rename(columns="{:02d}".format))
        counted = pd.crosstab(users, types)
        return _table(counted[counted.sum().sort_values(ascending=False, kind="stable").index])

    def _interned(self, text: str) -> str:
        # One string object for equal texts of all events.
        return self._texts.setdefault(text, text)


def _days(present: Sequence[str]) -> list[str]:
    """All days from the first to the last, unless a wrong time among the events makes them too many."""
    first, last = (date.fromisoformat(day).toordinal() for day in (min(present), max(present)))
    if last - first > _MAX_DAYS:
        return sorted(present)
    return [date.fromordinal(day).isoformat() for day in range(first, last + 1)]


def _clock_seconds(time: datetime) -> int:
    """The seconds since 1970 on a clock in the time zone in use."""
    return int(in_zone(time).replace(tzinfo=UTC).timestamp())


def _table(counted: pd.DataFrame) -> SummaryTable:
    ordered = counted.loc[counted.sum(axis=1).sort_values(ascending=False, kind="stable").index]
    rows = tuple(str(name) for name in ordered.index)
    columns = tuple(str(name) for name in ordered.columns)
    return SummaryTable(rows, columns, tuple(tuple(int(one) for one in row) for row in ordered.to_numpy()))
