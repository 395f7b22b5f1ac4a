"""The export formats: what is written for which options, how the file is finished, previews, receipts."""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from cdb_desktop.client import CsvOptions, EventFilter, Record
from cdb_desktop.events.export.checkpoint import Checkpoint, export_key, remove_checkpoint, save_checkpoint
from cdb_desktop.events.export.csv_page import (
    BOM,
    CsvPage,
    ExportPage,
    all_columns,
    split_csv_records,
    unify_columns,
)
from cdb_desktop.events.export.export import ExportFormat, FinishedFile
from cdb_desktop.events.export.options import ExportOptions, is_table_format
from cdb_desktop.events.export.record_pages import ColumnPage, JsonLinesPage
from cdb_desktop.events.export.sheet import SheetOptions, SheetPage, sheet_columns, sort_sheet
from cdb_desktop.events.export.table_files import TABLE_LIMITS, make_table
from cdb_desktop.foundation.files import write_whole
from cdb_desktop.queries.query import Query


def export_format(
    options: ExportOptions, entered: EventFilter, target: Path, ids: Sequence[int] = ()
) -> ExportFormat:
    """The format for ``options``, with a checkpoint beside ``target``; arguments as for `load_checkpoint`."""
    return ExportFormat(
        read=partial(_page, options),
        finish=partial(_finish, options),
        save_checkpoint=partial(save_checkpoint, target, export_key(options, entered, ids)),
        remove_checkpoint=partial(remove_checkpoint, target),
        max_rows=TABLE_LIMITS[options.file_format].rows if is_table_format(options.file_format) else None,
    )


def _page(options: ExportOptions, answer: Any) -> ExportPage:
    if options.file_format == "jsonl":
        return JsonLinesPage(answer)
    if options.sheet:
        return SheetPage(answer, sheet_columns(options.columns), options.zone, options.sheet)
    if options.columns:
        return ColumnPage(answer, options.columns, options.csv, options.zone, options.escape_formulas)
    return CsvPage.parse(answer, options.dialect, escapes_formulas=options.escape_formulas)


async def _finish(
    options: ExportOptions, part: Path, checkpoint: Checkpoint, on_rows: Callable[[int], None]
) -> FinishedFile:
    if options.sheet:
        made, cut = await sort_sheet(part, options.sheet.order, on_rows)
        return FinishedFile(made, cut)
    explodes = options.file_format != "jsonl" and options.csv.explode
    has_sections = explodes and len(checkpoint.sections) > 1
    source = part
    if has_sections:
        source = await asyncio.to_thread(unify_columns, part, checkpoint.sections, options.dialect)
    if not is_table_format(options.file_format):
        return FinishedFile(source)
    made = part.with_name(f"{part.name}.made")
    try:
        cut = await make_table(options.file_format, source, made, checkpoint.rows, on_rows)
        return FinishedFile(made, cut)
    finally:
        if has_sections:
            source.unlink(missing_ok=True)


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


def _read_back(options: ExportOptions, columns: tuple[str, ...], lines: Iterable[bytes]) -> ExportPreview:
    rows = tuple(tuple(options.dialect.cells(line)) for line in lines)
    broken = next((number for number, row in enumerate(rows, 1) if len(row) != len(columns)), None)
    return ExportPreview(columns, rows, broken)


_DIRECTIONS = {False: "ascending", True: "descending"}
_DATES = ("date_from", "date_to")


def receipt_path(target: Path) -> Path:
    """The path of the receipt of a file."""
    return target.with_name(f"{target.name}.receipt.json")


class ExportedQuery(msgspec.Struct, frozen=True):
    """The query of an export.

    ``query`` is None if only its filter is known. ``entered`` is the filter of the query, ``sent`` the same
    filter without events that are newer than the result; ``newest`` is the id of the newest event then.
    ``selected`` events were selected one by one, 0 means all.
    """

    entered: EventFilter
    sent: EventFilter
    query: Query | None = None
    newest: int | None = None
    selected: int = 0


def write_receipt(
    target: Path,
    options: ExportOptions,
    exported: ExportedQuery,
    checkpoint: Checkpoint,
    service: str,
    cut: int = 0,
) -> Path:
    """Writes the receipt of ``target`` and returns its path. Raises OSError.

    ``service`` is the address without secrets, ``cut`` the number of values that were too long for the
    format. Takes about a second for each gigabyte.
    """
    with target.open("rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    content = {
        "file": target.name,
        "size": target.stat().st_size,
        "sha256": checksum,
        "rows": checkpoint.rows,
        "unreadable_rows": checkpoint.unreadable,
        "first_id": checkpoint.first,
        "last_id": checkpoint.last,
        "order": _order_text(options),
        "service": service,
        "query": _entered(exported),
        "dates_resolved": _resolved_dates(exported),
        "frozen": _frozen(exported),
        "selected_rows": exported.selected or None,
        "form": options.file_format,
        "csv": _without_empty(options.csv) if options.file_format == "csv" and not options.sheet else None,
        "spreadsheet": _sheet_options(options.sheet) if options.sheet else None,
        "table": _table_options(options.csv) if is_table_format(options.file_format) else None,
        "columns": all_columns(checkpoint.sections) or "whole records",
        "formula_guard": options.escape_formulas,
        "values_cut": cut,
        "masked": "session tokens and passwords" if options.uses_records else "session tokens",
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    receipt = receipt_path(target)
    write_whole(receipt, msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
    return receipt


def _without_empty(value: msgspec.Struct) -> dict[str, object]:
    return {
        key: one for key, one in msgspec.structs.asdict(value).items() if one not in (None, (), msgspec.UNSET)
    }


def _entered(exported: ExportedQuery) -> dict[str, object]:
    """The filters as they were entered: relative dates stay relative."""
    filters = _without_empty(exported.entered)
    if exported.query is None or not exported.query.span.is_relative:
        return filters
    dates = {key: one for key, one in msgspec.to_builtins(exported.query.span).items() if one is not None}
    return {key: one for key, one in filters.items() if key not in _DATES} | {"date": dates}


def _resolved_dates(exported: ExportedQuery) -> dict[str, object] | None:
    """What relative dates meant when the rows were loaded."""
    if exported.query is None or not exported.query.span.is_relative:
        return None
    last = exported.entered.date_to and exported.sent.date_to
    return {"date_from": exported.sent.date_from, "date_to": last}


def _frozen(exported: ExportedQuery) -> dict[str, object]:
    """When the rows were loaded: newer events are left out."""
    is_cut = exported.sent.date_to != exported.entered.date_to
    return {"last_second": exported.sent.date_to if is_cut else None, "newest_id": exported.newest}


def _order_text(options: ExportOptions) -> str:
    if not options.sheet:
        return "ascending id"
    return ", ".join(f"{sort.field} {_DIRECTIONS[sort.descending]}" for sort in options.sheet.order)


def _sheet_options(sheet: SheetOptions) -> dict[str, object]:
    return {"delimiter": sheet.delimiter, "decimal": sheet.decimal, "times": sheet.zone_name}


def _table_options(options: CsvOptions) -> dict[str, object]:
    return {
        "times": "UTC",
        "column_for_each_key": options.explode,
        "longest_value": options.max_length or None,
    }
