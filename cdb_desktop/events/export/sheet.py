"""CSV for spreadsheets: in the order on screen, in a form that Excel and LibreOffice recognize.

An export reads its rows by ascending id, since pages of the list drift in any other order while events arrive
or are deleted. The order on screen is therefore made at the end, when all rows are in the part file. Until
then a line of that file is JSON: the values to sort by, the text of the row, and how many of its values were
cut. So an interrupted export continues as any other, and an export that is cancelled while rows are sorted
leaves the part file as it is.
"""

from __future__ import annotations

import asyncio
import csv
import io
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal

import msgspec

from cdb_desktop.client import Event, Sort
from cdb_desktop.events.export.csv_page import BOM, is_formula
from cdb_desktop.events.export.record_pages import (
    FIELDS,
    RecordPage,
    column_value,
    csv_cell,
    unreadable_values,
)
from cdb_desktop.events.matches import sort_values
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.vocabulary.event_json import INFO, masked
from cdb_desktop.vocabulary.times import Zone, in_zone

if TYPE_CHECKING:
    import sqlite3
else:
    sqlite3 = lazy("sqlite3")

_LONGEST_CELL = 32_767  # characters; Excel continues longer ones in the next row
_MOST_DIGITS = 15  # of a number; spreadsheets change the others to zeros
_OBJECT = ("object_type", "object_id", "object_version")
_PROGRESS_ROWS = 1000
_DATE_AND_TIME = len("2026-11-20 14:02:11")
# Texts that a spreadsheet takes for numbers or dates, and changes: leading zeros, many digits, digits in
# groups (also of some addresses), exponents, days and months.
_READ_AS_NUMBER = re.compile(
    r"0\d+|\d{16,}|\d{1,3}([.,]\d{3})+|\d+([.,]\d+)?[eE][+-]?\d+|\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?"
)
_INTEGERS = range(-(2**63), 2**63)  # of SQLite

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(tuple[list[int | float | str | None], str, int]).decode


class SheetOptions(msgspec.Struct, frozen=True):
    """The order on screen and what the locale of the spreadsheet determines.

    ``decimal`` separates whole numbers from fractions. ``zone_name`` is the name of the zone of all times,
    such as ``Europe/Berlin``. Of ``2026-11-22 14:03:11`` Excel reads a date and a time, and LibreOffice only
    if special numbers are to be detected, which is off by default; it always reads them of
    ``2026-11-22T14:03:11``, which is text for Excel. ``time_mark`` is the character between them.
    """

    order: tuple[Sort, ...]
    decimal: str = "."
    zone_name: str = "UTC"
    time_mark: Literal[" ", "T"] = " "

    @property
    def delimiter(self) -> str:
        """The character between cells: a semicolon where the comma is in numbers."""
        return ";" if self.decimal == "," else ","


def sheet_columns(names: Sequence[str]) -> tuple[str, ...]:
    """The visible columns, with type, id and version of the object in columns of their own."""
    apart = (each for name in names for each in (_OBJECT if name == "object" else (name,)))
    return tuple(dict.fromkeys(apart))


class SheetPage(RecordPage, frozen=True):
    """A page of records as lines of the part file; ``names`` are those of `sheet_columns`."""

    names: tuple[str, ...]
    zone: Zone
    options: SheetOptions

    @property
    def columns(self) -> tuple[str, ...]:
        """The titles in the file."""
        titles = {**FIELDS, "time": f"{FIELDS['time']} ({self.options.zone_name})"}
        return tuple(titles.get(name, name) for name in self.names)

    @property
    def header(self) -> bytes:
        """The line with the titles, after a byte order mark: without it Excel reads no UTF-8."""
        return self._line((), BOM.decode() + self._text(self.columns), 0)

    def chunks(self, rows: range) -> Iterable[bytes]:
        """The lines of rows, one by one."""
        cells = [_time if name == "time" else column_value(name, self.zone) for name in self.names]
        needs_info = any(name.startswith(INFO) for name in self.names)
        for record in self.slice(rows):
            if isinstance(record, Event):
                info = masked(record.info_value) if needs_info and record.info is not None else None
                values = [cell(record, info) for cell in cells]
                keys = sort_values(record, self.options.order)
            else:
                values, keys = unreadable_values(masked(record.value), self.names), ()
            texts = [self._cell(value) for value in values]
            cut = sum(len(text) > _LONGEST_CELL for text in texts)
            yield self._line(keys, self._text([text[:_LONGEST_CELL] for text in texts]), cut)

    def _cell(self, value: object) -> str:
        """The text of a value that a spreadsheet reads as this value, with an apostrophe if it would not."""
        if isinstance(value, datetime):
            return in_zone(value, self.zone).isoformat(self.options.time_mark, "seconds")[:_DATE_AND_TIME]
        text = csv_cell(value)
        if isinstance(value, str):
            return f"'{text}" if is_formula(text) or _READ_AS_NUMBER.fullmatch(text) else text
        if isinstance(value, float):
            return text.replace(".", self.options.decimal)
        is_long = isinstance(value, int) and len(text.removeprefix("-")) > _MOST_DIGITS
        return f"'{text}" if is_long else text

    def _text(self, cells: Sequence[str]) -> str:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self.options.delimiter).writerow(cells)
        return text.getvalue()

    def _line(self, keys: Sequence[object], text: str, cut: int) -> bytes:
        return _encode((keys, text, cut)) + b"\n"


async def sort_sheet(part: Path, order: Sequence[Sort], on_rows: Callable[[int], None]) -> tuple[Path, int]:
    """Writes the rows of a part file in ``order`` to a file beside it.

    Returns that file and how many values were cut. Equal rows go by id in the last direction, as in lists of
    the reference server; unreadable records come first or last, as rows without a value do. ``on_rows`` gets
    the number of rows written. The part file is not changed. Raises OSError; cancelling waits until the
    thread has stopped.
    """
    target = part.with_name(f"{part.name}.sorted")
    loop, is_cancelled = asyncio.get_running_loop(), threading.Event()

    def on_progress(rows: int) -> bool:
        loop.call_soon_threadsafe(on_rows, rows)
        return is_cancelled.is_set()

    work = asyncio.ensure_future(asyncio.to_thread(_sort, part, target, order, on_progress))
    try:
        cut = await asyncio.shield(work)
    except BaseException:
        is_cancelled.set()
        await asyncio.wait([work])
        await asyncio.to_thread(target.unlink, missing_ok=True)
        raise
    return target, cut


def _sort(part: Path, target: Path, order: Sequence[Sort], is_over: Callable[[int], bool]) -> int:
    """``is_over`` gets the number of written rows, and returns whether to stop."""
    directions = [sort.descending for sort in order]
    directions.append(directions[-1])
    cut = 0
    # A temporary database without a name, which moves to the disk when it grows.
    with part.open("rb") as source, target.open("wb") as sheet, closing(sqlite3.connect("")) as places:
        sheet.write(_decode(source.readline())[1].encode("utf-8"))
        columns = [f"key{number}" for number in range(len(directions))]
        places.execute(f"CREATE TABLE place ({', '.join(columns)}, start INTEGER, cut INTEGER)")
        insertion = f"INSERT INTO place VALUES ({', '.join('?' * (len(columns) + 2))})"  # noqa: S608
        for batch in _places(source, len(columns)):
            places.executemany(insertion, batch)
            if is_over(0):
                return 0
        (cut,) = places.execute("SELECT coalesce(sum(cut), 0) FROM place").fetchone()
        terms = [f"{name} {'DESC' if down else ''}" for name, down in zip(columns, directions, strict=True)]
        ordered = places.execute(f"SELECT start FROM place ORDER BY {', '.join(terms)}")  # noqa: S608
        for number, (start,) in enumerate(ordered, 1):
            source.seek(start)
            sheet.write(_decode(source.readline())[1].encode("utf-8"))
            if number % _PROGRESS_ROWS == 0 and is_over(number):
                break
    return int(cut)


def _places(source: IO[bytes], width: int) -> Iterator[list[tuple[object, ...]]]:
    """The sort values, the place and the cut values of each line, in batches."""
    batch: list[tuple[object, ...]] = []
    start = source.tell()
    while line := source.readline():
        keys, _text, cut = _decode(line)
        values = [_sortable(key) for key in keys] or [None] * width
        batch.append((*values, start, cut))
        start += len(line)
        if len(batch) == _PROGRESS_ROWS:
            yield batch
            batch = []
    yield batch


def _sortable(key: object) -> object:
    # Only ids of events are known to fit.
    return float(key) if isinstance(key, int) and key not in _INTEGERS else key


def _time(event: Event, _info: object) -> object:
    return event.timestamp
