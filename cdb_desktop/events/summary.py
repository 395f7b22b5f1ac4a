"""How often what happened: events of a whole result counted by two of their properties. No I/O.

Pandas is loaded when it is first used.
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
from cdb_desktop.events.parting import parted
from cdb_desktop.vocabulary.event_text import user_text
from cdb_desktop.vocabulary.times import in_zone

if TYPE_CHECKING:
    import pandas as pd


_MOST_DAYS = 20 * 366  # with those on which nothing happened


class Kind(Enum):
    """What is counted by what."""

    TYPE_DAY = "type_day"
    USER_HOUR = "user_hour"
    USER_TYPE = "user_type"


class Table(msgspec.Struct, frozen=True):
    """Numbers by row and column; rows with the most events first."""

    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    values: tuple[tuple[int, ...], ...] = ()

    @property
    def highest(self) -> int:
        """The largest number."""
        return max((number for row in self.values for number in row), default=0)

    @property
    def total(self) -> int:
        """All events."""
        return sum(map(sum, self.values))

    def as_csv(self) -> str:
        """The table with its titles, and a sum at the end of each row."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(["", *self.columns, "Σ"])
        for name, row in zip(self.rows, self.values, strict=True):
            writer.writerow([name, *row, sum(row)])
        return text.getvalue()


class Gathered:
    """What has been read so far of all events: some 30 bytes each.

    ``unreadable`` records and those ``without_time`` are left out.
    """

    def __init__(self) -> None:
        self.unreadable = self.without_time = 0
        self._seconds = array("q")
        self._types: list[str] = []
        self._users: list[str] = []
        self._names: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._seconds)

    def add(self, records: Sequence[Record]) -> None:
        """Takes in a page."""
        events, unreadable = parted(records)
        self.unreadable += len(unreadable)
        for event in events:
            if event.timestamp is None:
                self.without_time += 1
            else:
                self._seconds.append(_on_the_clock(event.timestamp))
                self._types.append(self._one(event.type))
                self._users.append(self._one(user_text(event) or "–"))

    def table(self, kind: Kind) -> Table:
        """Counts; days and hours are those of the chosen zone. Takes a second for a million events."""
        import pandas as pd  # noqa: PLC0415  # takes a quarter of a second, and most never need it

        if not len(self):
            return Table()
        moments = pd.Series(pd.to_datetime(list(self._seconds), unit="s"))
        types, users = pd.Series(self._types, dtype="category"), pd.Series(self._users, dtype="category")
        if kind is Kind.TYPE_DAY:
            counted = pd.crosstab(types, moments.dt.strftime("%Y-%m-%d"))
            return _table(counted.reindex(columns=_days(list(counted.columns)), fill_value=0))
        if kind is Kind.USER_HOUR:
            counted = pd.crosstab(users, moments.dt.hour).reindex(columns=range(24), fill_value=0)
            return _table(counted.rename(columns="{:02d}".format))
        counted = pd.crosstab(users, types)
        return _table(counted[counted.sum().sort_values(ascending=False, kind="stable").index])

    def _one(self, text: str) -> str:
        # The same text once, however many events have it.
        return self._names.setdefault(text, text)


def _days(known: Sequence[str]) -> list[str]:
    """All days from the first to the last; one wrong time among the events is not to bring ages of them."""
    first, last = (date.fromisoformat(day).toordinal() for day in (min(known), max(known)))
    if last - first > _MOST_DAYS:
        return sorted(known)
    return [date.fromordinal(day).isoformat() for day in range(first, last + 1)]


def _on_the_clock(moment: datetime) -> int:
    """The seconds since 1970 that a clock in the chosen zone shows."""
    return int(in_zone(moment).replace(tzinfo=UTC).timestamp())


def _table(counted: pd.DataFrame) -> Table:
    ordered = counted.loc[counted.sum(axis=1).sort_values(ascending=False, kind="stable").index]
    rows = tuple(str(name) for name in ordered.index)
    columns = tuple(str(name) for name in ordered.columns)
    return Table(rows, columns, tuple(tuple(int(one) for one in row) for row in ordered.to_numpy()))
