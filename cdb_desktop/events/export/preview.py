"""The first rows of an export, read back as another program will read the file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from cdb_desktop.client import Record
from cdb_desktop.events.export.csv_page import BOM, CsvPage, split_csv_records
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.export.record_pages import ColumnPage
from cdb_desktop.vocabulary.event_json import json_line


class ExportPreview(msgspec.Struct, frozen=True):
    """The cells as read back; ``broken`` is the number of the first row with too few or too many cells."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    broken: int | None = None


def preview_csv(options: ExportOptions, page: bytes) -> ExportPreview:
    """The preview of a page of the service's CSV. Raises CsvPageError."""
    parsed = CsvPage.parse(page, options.dialect)
    return _read_back(options, parsed.columns, parsed.lines(range(len(parsed))))


def preview_records(options: ExportOptions, records: Sequence[Record]) -> ExportPreview:
    """The preview of records in the visible columns."""
    page = ColumnPage(records, options.columns, options.csv, options.zone, options.escape_formulas)
    header, *lines = split_csv_records(page.header + page.body(range(len(page))), options.dialect)
    return _read_back(options, tuple(options.dialect.cells(header.removeprefix(BOM))), lines)


def preview_json_lines(records: Sequence[Record]) -> str:
    """The records as they will be in a file of JSON lines."""
    return b"".join([json_line(one) for one in records]).decode()


def _read_back(options: ExportOptions, columns: tuple[str, ...], lines: Iterable[bytes]) -> ExportPreview:
    rows = tuple(tuple(options.dialect.cells(line)) for line in lines)
    broken = next((number for number, row in enumerate(rows, 1) if len(row) != len(columns)), None)
    return ExportPreview(columns, rows, broken)
