"""Reads the first rows of an export back, as whoever gets the file will. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from cdb_desktop.client import Record
from cdb_desktop.events.export.csv_page import BOM, CsvPage, split_csv_records
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.export.record_pages import ColumnPage
from cdb_desktop.vocabulary.event_json import json_line


class ExportPreview(msgspec.Struct, frozen=True):
    """``columns`` and ``rows`` as read back; ``broken`` is the first row with another number of cells."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    broken: int | None = None


def preview_csv(wish: ExportOptions, page: bytes) -> ExportPreview:
    """What the first page of CSV is read back as. Raises SheetError."""
    sheet = CsvPage.of(page, wish.dialect)
    return _read_back(wish, sheet.columns, sheet.lines(range(len(sheet))))


def preview_records(wish: ExportOptions, records: Sequence[Record]) -> ExportPreview:
    """What the first records are read back as, in the columns of ``wish``."""
    sheet = ColumnPage(records, wish.columns, wish.options, wish.zone, wish.guard)
    header, *lines = split_csv_records(sheet.header + sheet.body(range(len(sheet))), wish.dialect)
    return _read_back(wish, tuple(wish.dialect.cells(header.removeprefix(BOM))), lines)


def _read_back(wish: ExportOptions, columns: tuple[str, ...], lines: Iterable[bytes]) -> ExportPreview:
    rows = tuple(tuple(wish.dialect.cells(line)) for line in lines)
    return ExportPreview(columns, rows, _broken(rows, len(columns)))


def preview_json_lines(records: Sequence[Record]) -> str:
    """The first records as they will stand in a file of lines."""
    return b"".join([json_line(one) for one in records]).decode()


def _broken(rows: Sequence[Sequence[str]], width: int) -> int | None:
    return next((place for place, row in enumerate(rows, 1) if len(row) != width), None)
