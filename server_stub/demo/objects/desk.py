"""What the writers of rows share: chance, versions, ids, values as columns keep them (wire §5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import msgspec

from server_stub.demo.datamodel import ENGLISH, GERMAN

Row = dict[str, Any]
Book = dict[str, list[Row]]


def texts(german: str, english: str) -> str:
    """A localised text."""
    return as_json({GERMAN: german, ENGLISH: english})


def period(first: str, last: str) -> str:
    """A date range; the ends are ISO dates, years or months."""
    return as_json({"from": first, "to": last})


def file(asset: int, name: str) -> str:
    """A file of the asset service."""
    return as_json([{"_id": asset, "original_filename": name, "preferred": True}])


def as_json(value: object) -> str:
    """Compact JSON, as text columns keep what has parts."""
    return msgspec.json.encode(value).decode()


@dataclass(frozen=True)
class Desk:
    """Where rows are written, table by table; `versions` are those that the log has reached."""

    rng: Random
    versions: Mapping[str, Mapping[int, int]]
    book: Book = field(default_factory=dict)

    def write(self, table: str, object_id: int, **values: object) -> None:
        """A row of a top-level table."""
        version = self.versions[table].get(object_id, 1)
        self.book.setdefault(table, []).append({"_id": object_id, "_version": version, **values})

    def write_nested(self, table: str, uplink: int, **values: object) -> int:
        """A row of a nested table; answers its id."""
        rows = self.book.setdefault(table, [])
        rows.append({"_id": len(rows) + 1, "_uplink_id": uplink, **values})
        return len(rows)

    def day(self, first_year: int, last_year: int) -> str:
        """An ISO date."""
        year = self.rng.randint(first_year, last_year)
        return f"{year}-{self.rng.randint(1, 12):02d}-{self.rng.randint(1, 28):02d}"

    def moment(self, first_year: int, last_year: int) -> str:
        """An ISO date and time at an office hour."""
        hour, minute = self.rng.randint(8, 17), self.rng.randint(0, 59)
        return f"{self.day(first_year, last_year)}T{hour:02d}:{minute:02d}:00"

    def some(self, items: Iterable[Any], count: int) -> list[Any]:
        """Different items, at most so many."""
        pool = list(items)
        return self.rng.sample(pool, min(count, len(pool)))
