"""What an export is to be: query, form and options; and how it is found again after a crash. No service."""

from __future__ import annotations

from typing import Literal, TypeGuard

import msgspec

from cdb_desktop.client import CsvOptions
from cdb_desktop.events.export.csv_page import CsvDialect
from cdb_desktop.events.export.record_pages import needs_whole_records
from cdb_desktop.events.export.tables import TABLE_LIMITS, TableFormat
from cdb_desktop.vocabulary.times import Zone

FileFormat = Literal["csv", "jsonl", "parquet", "xlsx"]


class ExportOptions(msgspec.Struct, frozen=True):
    """``guard`` keeps spreadsheets from taking cells for formulas; ``receipt`` writes one beside the file.

    ``columns`` are those on screen by name, with times in ``zone``; none means all fields, as the service
    writes them. Tables are read as CSV in its usual dialect, and lines of JSON hold whole records.
    """

    form: FileFormat = "csv"
    options: CsvOptions = CsvOptions(max_length=0)
    guard: bool = False
    receipt: bool = True
    columns: tuple[str, ...] = ()
    zone: Zone = "utc"

    @property
    def takes_records(self) -> bool:
        """Whether it is made of records; else of the service's own CSV, whose columns cannot be chosen."""
        return self.form == "jsonl" or bool(self.columns)

    @property
    def takes_whole(self) -> bool:
        """Whether these must be whole ones."""
        return self.form == "jsonl" or needs_whole_records(self.columns)

    @property
    def dialect(self) -> CsvDialect:
        """How its cells are told apart."""
        return CsvDialect(self.options.delimiter, self.options.quote, self.options.escape)


def is_table_format(form: FileFormat) -> TypeGuard[TableFormat]:
    """Whether it is made of the rows once they are all there."""
    return form in TABLE_LIMITS


def invalid_option(wish: ExportOptions) -> str:
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
