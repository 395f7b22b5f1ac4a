"""What an export is to be: query, form and options; and how it is found again after a crash. No service."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from cdb_desktop.client import EventFilter
from cdb_desktop.events.export.checkpoint import (
    Checkpoint,
    checkpoint_path,
    export_key,
    remove_checkpoint,
    save_checkpoint,
)
from cdb_desktop.events.export.csv_columns import unify_columns
from cdb_desktop.events.export.csv_page import CsvPage, escape_formulas
from cdb_desktop.events.export.export import ExportFormat, ExportPage, FinishedFile
from cdb_desktop.events.export.options import ExportOptions, is_table_format
from cdb_desktop.events.export.record_pages import ColumnPage, JsonLinesPage
from cdb_desktop.events.export.tables import TABLE_LIMITS, make_table
from cdb_desktop.events.paging import PageOverlap, RowEnds


class _Guarded(msgspec.Struct, frozen=True):
    """A sheet whose rows are written without formulas."""

    sheet: CsvPage

    @property
    def header(self) -> bytes:
        return self.sheet.header

    @property
    def columns(self) -> tuple[str, ...]:
        return self.sheet.columns

    def __len__(self) -> int:
        return len(self.sheet)

    def known(self, seam: PageOverlap) -> int:
        return self.sheet.known(seam)

    def first_after(self, last: int) -> int:
        return self.sheet.first_after(last)

    def ends(self, seam: PageOverlap, chosen: range) -> RowEnds:
        return self.sheet.ends(seam, chosen)

    def pieces(self, chosen: range) -> Iterable[bytes]:
        return (escape_formulas((line,), self.sheet.dialect) for line in self.sheet.lines(chosen))


def export_format(
    wish: ExportOptions, asked: EventFilter, target: Path, ids: Sequence[int] = ()
) -> ExportFormat:
    """How the file is made; how far it is lies beside it until it is done."""
    keep = partial(save_checkpoint, checkpoint_path(target), export_key(wish, asked, ids))
    most = TABLE_LIMITS[wish.form].rows if is_table_format(wish.form) else None
    forget = partial(remove_checkpoint, checkpoint_path(target))
    return ExportFormat(partial(_read, wish), partial(_finish, wish), keep, forget, most)


def _read(wish: ExportOptions, answer: Any) -> ExportPage:
    if wish.form == "jsonl":
        return JsonLinesPage(answer)
    if wish.columns:
        return ColumnPage(answer, wish.columns, wish.options, wish.zone, wish.guard)
    sheet = CsvPage.of(answer, wish.dialect)
    return _Guarded(sheet) if wish.guard else sheet


async def _finish(
    wish: ExportOptions, part: Path, kept: Checkpoint, tell: Callable[[int], None]
) -> FinishedFile:
    is_apart = wish.form != "jsonl" and wish.options.explode and len(kept.stretches) > 1
    source = await asyncio.to_thread(unify_columns, part, kept.stretches, wish.dialect) if is_apart else part
    if not is_table_format(wish.form):
        return FinishedFile(source)
    made = part.with_name(f"{part.name}.made")
    try:
        return FinishedFile(made, await make_table(wish.form, source, made, kept.rows, tell))
    finally:
        if is_apart:
            source.unlink(missing_ok=True)
