"""The export formats: which page is written for which options, and how the file is finished."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cdb_desktop.client import EventFilter
from cdb_desktop.events.export.checkpoint import (
    Checkpoint,
    export_key,
    remove_checkpoint,
    save_checkpoint,
)
from cdb_desktop.events.export.csv_columns import unify_columns
from cdb_desktop.events.export.csv_page import CsvPage
from cdb_desktop.events.export.export import ExportFormat, FinishedFile
from cdb_desktop.events.export.options import ExportOptions, is_table_format
from cdb_desktop.events.export.page import ExportPage
from cdb_desktop.events.export.record_pages import ColumnPage, JsonLinesPage
from cdb_desktop.events.export.sheet import SheetPage, sheet_columns, sort_sheet
from cdb_desktop.events.export.table_files import TABLE_LIMITS, make_table


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
