"""The export formats: which page is written for which options, how the file is finished, and previews."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from cdb_desktop.client import EventFilter, Record
from cdb_desktop.events.export.checkpoint import (
    Checkpoint,
    export_key,
    remove_checkpoint,
    save_checkpoint,
)
from cdb_desktop.events.export.csv_page import BOM, CsvPage, ExportPage, split_csv_records, unify_columns
from cdb_desktop.events.export.export import ExportFormat, FinishedFile
from cdb_desktop.events.export.options import ExportOptions, is_table_format
from cdb_desktop.events.export.record_pages import ColumnPage, JsonLinesPage
from cdb_desktop.events.export.sheet import SheetPage, sheet_columns, sort_sheet
from cdb_desktop.events.export.table_files import TABLE_LIMITS, make_table
from cdb_desktop.vocabulary.event_json import json_line


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


def preview_json_lines(records: Sequence[Record]) -> str:
    """The records as they will be in a file of JSON lines."""
    return b"".join([json_line(one) for one in records]).decode()


def _read_back(options: ExportOptions, columns: tuple[str, ...], lines: Iterable[bytes]) -> ExportPreview:
    rows = tuple(tuple(options.dialect.cells(line)) for line in lines)
    broken = next((number for number, row in enumerate(rows, 1) if len(row) != len(columns)), None)
    return ExportPreview(columns, rows, broken)
