"""What an export is to be: query, form and options; and how it is found again after a crash. No service."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeGuard

import msgspec

from cdb_desktop.client import CsvOptions, EventFilter
from cdb_desktop.client.lenient_json import BROKEN
from cdb_desktop.events.backup import part_of
from cdb_desktop.events.column_sheet import ColumnSheet, needs_whole
from cdb_desktop.events.exploded import unite
from cdb_desktop.events.export import Finished, Kept, Page, Shape
from cdb_desktop.events.guard import guarded
from cdb_desktop.events.json_lines import JsonLines
from cdb_desktop.events.seam import Ends, Seam
from cdb_desktop.events.sheet import Dialect, Sheet
from cdb_desktop.events.table_forms import LIMITS, TableForm
from cdb_desktop.events.table_making import make_table
from cdb_desktop.foundation.files import remove_temporary, set_aside, write_whole
from cdb_desktop.vocabulary.times import Zone

Form = Literal["csv", "jsonl", "parquet", "xlsx"]


class Wish(msgspec.Struct, frozen=True):
    """``guard`` keeps spreadsheets from taking cells for formulas; ``receipt`` writes one beside the file.

    ``columns`` are those on screen by name, with times in ``zone``; none means all fields, as the service
    writes them. Tables are read as CSV in its usual dialect, and lines of JSON hold whole records.
    """

    form: Form = "csv"
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
        return self.form == "jsonl" or needs_whole(self.columns)

    @property
    def dialect(self) -> Dialect:
        """How its cells are told apart."""
        return Dialect(self.options.delimiter, self.options.quote, self.options.escape)


class _State(msgspec.Struct, frozen=True):
    asked: str = ""
    kept: Kept = Kept()


class _Guarded(msgspec.Struct, frozen=True):
    """A sheet whose rows are written without formulas."""

    sheet: Sheet

    @property
    def header(self) -> bytes:
        return self.sheet.header

    @property
    def columns(self) -> tuple[str, ...]:
        return self.sheet.columns

    def __len__(self) -> int:
        return len(self.sheet)

    def known(self, seam: Seam) -> int:
        return self.sheet.known(seam)

    def first_after(self, last: int) -> int:
        return self.sheet.first_after(last)

    def ends(self, seam: Seam, chosen: range) -> Ends:
        return self.sheet.ends(seam, chosen)

    def pieces(self, chosen: range) -> Iterable[bytes]:
        return (guarded((line,), self.sheet.dialect) for line in self.sheet.lines(chosen))


def shape_of(wish: Wish, asked: EventFilter, target: Path, ids: Sequence[int] = ()) -> Shape:
    """How the file is made; how far it is lies beside it until it is done."""
    keep = partial(_keep, state_file(target), _asked(wish, asked, ids))
    most = LIMITS[wish.form].rows if is_table(wish.form) else None
    forget = partial(_forget, state_file(target))
    return Shape(partial(_read, wish), partial(_finish, wish), keep, forget, most)


def is_table(form: Form) -> TypeGuard[TableForm]:
    """Whether it is made of the rows once they are all there."""
    return form in LIMITS


def state_file(target: Path) -> Path:
    """Where it is written down how far an export to ``target`` is."""
    return target.with_name(f"{target.name}.part.json")


def kept_of(wish: Wish, asked: EventFilter, target: Path, ids: Sequence[int] = ()) -> Kept:
    """How far an export of the same to the same file has come before it was interrupted; nothing if none was.

    A damaged file that says so is set aside.

    ``asked`` is the filter before it was frozen: what has happened since comes after what is there already.
    With ``ids`` only those of it are meant.
    """
    part = part_of(target)
    try:
        state = msgspec.json.decode(state_file(target).read_bytes(), type=_State)
        size = part.stat().st_size
    except OSError:
        return Kept()
    except BROKEN as error:
        set_aside(state_file(target), error)
        return Kept()
    return state.kept if state.asked == _asked(wish, asked, ids) and size >= state.kept.size else Kept()


def discard_part(target: Path) -> None:
    """Takes away what an interrupted export to ``target`` has left. Raises OSError."""
    part = part_of(target)
    for file in (part, *(part.with_name(f"{part.name}.{step}") for step in ("made", "united"))):
        file.unlink(missing_ok=True)
    _forget(state_file(target))


def _asked(wish: Wish, asked: EventFilter, ids: Sequence[int]) -> str:
    return msgspec.json.encode([wish, asked, *([ids] if ids else [])]).decode()


def _keep(file: Path, asked: str, kept: Kept) -> None:
    # Written after every page, so it is not synced: what a crash of the system loses is read again.
    write_whole(file, msgspec.json.encode(_State(asked, kept)), synced=False)


def _read(wish: Wish, answer: Any) -> Page:
    if wish.form == "jsonl":
        return JsonLines(answer)
    if wish.columns:
        return ColumnSheet(answer, wish.columns, wish.options, wish.zone, wish.guard)
    sheet = Sheet.of(answer, wish.dialect)
    return _Guarded(sheet) if wish.guard else sheet


def _forget(file: Path) -> None:
    file.unlink(missing_ok=True)
    remove_temporary(file)


async def _finish(wish: Wish, part: Path, kept: Kept, tell: Callable[[int], None]) -> Finished:
    is_apart = wish.form != "jsonl" and wish.options.explode and len(kept.stretches) > 1
    source = await asyncio.to_thread(unite, part, kept.stretches, wish.dialect) if is_apart else part
    if not is_table(wish.form):
        return Finished(source)
    made = part.with_name(f"{part.name}.made")
    try:
        return Finished(made, await make_table(wish.form, source, made, kept.rows, tell))
    finally:
        if is_apart:
            source.unlink(missing_ok=True)
