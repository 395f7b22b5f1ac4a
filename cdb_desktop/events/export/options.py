"""What the user chose for an export: file format, columns and CSV options."""

from typing import Literal, TypeGuard

import msgspec
from msgspec import field

from cdb_desktop.client import CsvOptions
from cdb_desktop.events.export.csv_page import CsvDialect
from cdb_desktop.events.export.sheet import SheetOptions
from cdb_desktop.events.export.table_files import TABLE_LIMITS, TableFormat
from cdb_desktop.vocabulary.event_json import INFO
from cdb_desktop.vocabulary.event_summary import SUMMARY
from cdb_desktop.vocabulary.times import Zone

_WHOLE_RECORD_COLUMNS = ("pollable", "ipv4_address", "system_object_id")
FileFormat = Literal["csv", "jsonl", "parquet", "xlsx"]


class ExportOptions(msgspec.Struct, frozen=True):
    """The options of an export. Settings and checkpoints contain them under the names in ``name=``.

    ``columns`` are the visible columns, with times in ``zone``; empty for all fields as the service writes
    them. Parquet and XLSX are made of CSV in the default dialect; JSON lines contain whole records.
    ``escape_formulas`` keeps spreadsheets from running cells as formulas. ``receipt`` writes one beside the
    file. ``sheet`` makes CSV for spreadsheets, which has a dialect of its own.
    """

    file_format: FileFormat = field(name="form", default="csv")
    csv: CsvOptions = field(name="options", default=CsvOptions(max_length=0))
    escape_formulas: bool = field(name="guard", default=False)
    receipt: bool = True
    columns: tuple[str, ...] = ()
    zone: Zone = "utc"
    # Unset it is left out of keys and settings, so that those of earlier versions stay valid.
    sheet: SheetOptions | msgspec.UnsetType = msgspec.UNSET

    @property
    def uses_records(self) -> bool:
        """Whether the file is made of records instead of the service's CSV, whose columns are fixed."""
        return self.file_format == "jsonl" or bool(self.columns)

    def uses_whole_records(self, *, are_listed: bool) -> bool:
        """Whether the file is made of whole records instead of short ones (wire §3).

        ``are_listed``: the service lists them, so that they do not take a call each.
        """
        is_whole = (name in _WHOLE_RECORD_COLUMNS or name.startswith(INFO) for name in self.columns)
        # A summary says more of a whole record.
        return self.file_format == "jsonl" or any(is_whole) or (are_listed and SUMMARY in self.columns)

    @property
    def dialect(self) -> CsvDialect:
        """The dialect of the CSV."""
        return CsvDialect(self.csv.delimiter, self.csv.quote, self.csv.escape)


def is_table_format(file_format: FileFormat) -> TypeGuard[TableFormat]:
    """Whether the file is converted from CSV when all rows have been written."""
    return file_format in TABLE_LIMITS


def invalid_option(options: ExportOptions) -> str:
    """The name of an invalid CSV option, empty if all are valid (wire §3: one character each)."""
    if options.file_format != "csv":
        return ""
    for name in ("delimiter", "quote", "escape"):
        value = getattr(options.csv, name)
        if len(value) != 1 or value in "\r\n":
            return name
    if options.csv.delimiter in (options.csv.quote, options.csv.escape):
        return "delimiter"
    return ""
