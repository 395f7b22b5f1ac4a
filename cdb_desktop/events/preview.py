"""Reads the first rows of an export back, as whoever gets the file will. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from cdb_desktop.client import Record
from cdb_desktop.events.column_sheet import ColumnSheet
from cdb_desktop.events.export_wish import Wish
from cdb_desktop.events.sheet import BOM, Sheet, records_in
from cdb_desktop.vocabulary.event_json import json_line


class Preview(msgspec.Struct, frozen=True):
    """``columns`` and ``rows`` as read back; ``broken`` is the first row with another number of cells."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    broken: int | None = None


def preview_of(wish: Wish, page: bytes) -> Preview:
    """What the first page of CSV is read back as. Raises SheetError."""
    sheet = Sheet.of(page, wish.dialect)
    return _read_back(wish, sheet.columns, sheet.lines(range(len(sheet))))


def preview_of_records(wish: Wish, records: Sequence[Record]) -> Preview:
    """What the first records are read back as, in the columns of ``wish``."""
    sheet = ColumnSheet(records, wish.columns, wish.options, wish.zone, wish.guard)
    header, *lines = records_in(sheet.header + sheet.body(range(len(sheet))), wish.dialect)
    return _read_back(wish, tuple(wish.dialect.cells(header.removeprefix(BOM))), lines)


def _read_back(wish: Wish, columns: tuple[str, ...], lines: Iterable[bytes]) -> Preview:
    rows = tuple(tuple(wish.dialect.cells(line)) for line in lines)
    return Preview(columns, rows, _broken(rows, len(columns)))


def first_lines(records: Sequence[Record]) -> str:
    """The first records as they will stand in a file of lines."""
    return b"".join([json_line(one) for one in records]).decode()


def mistakes(wish: Wish) -> str:
    """Which option cannot be: its name, empty where all can (wire §3: one character each)."""
    if wish.form != "csv":
        return ""
    options = wish.options
    for name in ("delimiter", "quote", "escape"):
        value = getattr(options, name)
        if len(value) != 1 or value in "\r\n":
            return name
    if options.delimiter in (options.quote, options.escape):
        return "delimiter"
    return ""


def _broken(rows: Sequence[Sequence[str]], width: int) -> int | None:
    return next((place for place, row in enumerate(rows, 1) if len(row) != width), None)
