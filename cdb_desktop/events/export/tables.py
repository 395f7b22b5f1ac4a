"""Files that hold a table with types: which there are, what writes them, and what they can hold. No I/O."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterable, Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import msgspec

from cdb_desktop.foundation.bundle import helper_command
from cdb_desktop.foundation.files import replace_file

TableFormat = Literal["parquet", "xlsx"]


class TableLimits(msgspec.Struct, frozen=True):
    """What a form can hold; None where there is no limit. ``rows`` are events, without the line of titles.

    ``at_once`` of them are made between two tellings how far it is; in Parquet they are a group of rows.
    """

    rows: int | None = None
    columns: int | None = None
    characters: int | None = None  # of a cell
    at_once: int = 20_000


# The first that is there writes: XlsxWriter takes half the time of openpyxl.
WRITER_LIBRARIES: dict[TableFormat, tuple[str, ...]] = {
    "parquet": ("pyarrow",),
    "xlsx": ("xlsxwriter", "openpyxl"),
}
TABLE_LIMITS: dict[TableFormat, TableLimits] = {
    "parquet": TableLimits(),
    "xlsx": TableLimits(rows=1_048_575, columns=16_384, characters=32_767, at_once=1_000),
}


def writer_library(form: TableFormat) -> str | None:
    """The library that writes ``form``; None where none is installed. Looks for it, and loads nothing."""
    return next((name for name in WRITER_LIBRARIES[form] if find_spec(name) is not None), None)


class HelperMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: so many rows are written; with ``is_done`` all are, and ``cut`` cells were too long.

    ``fault`` is ``disk`` with its ``errno``, ``columns`` or the reason in English.
    """

    rows: int = 0
    is_done: bool = False
    cut: int = 0
    fault: str = ""
    errno: int = 0


_NO_CONSOLE = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows opens one for every child otherwise
_HELPER = "cdb_desktop.events.export.table_helper"

Tell = Callable[[int], None]


class TableError(Exception):
    """The table was not made; ``reason`` is ``columns`` where there are too many of them, else English."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


async def make_table(form: TableFormat, source: Path, target: Path, rows: int, tell: Tell) -> int:
    """Writes ``source``, a file of CSV with so many rows, as ``target``; gives how many cells were cut.

    ``tell`` is told how many rows are written. Raises OSError, TableError; ``target`` is as it was then.
    """
    folder = target.with_name(f"{target.name}.tmp")
    tell(0)
    beginning = asyncio.ensure_future(asyncio.to_thread(_begin, folder))
    try:
        await asyncio.shield(beginning)
        made = folder / f"table.{form}"
        cut = await _run(form, source, made, rows, tell)
        await asyncio.to_thread(partial(replace_file, made, target, synced=False))
        return cut
    finally:
        # A thread goes on when nobody waits for it any more.
        await asyncio.wait([beginning])
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _begin(folder: Path) -> None:
    """A folder for the result and for whatever the libraries write meanwhile; an old one may lie there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()


async def _run(form: TableFormat, source: Path, made: Path, rows: int, tell: Tell) -> int:
    pipe, places = asyncio.subprocess.PIPE, dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(made.parent))
    arguments = (form, str(source), str(made), str(rows))
    child = await asyncio.create_subprocess_exec(
        *(*helper_command(_HELPER), *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=pipe,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, **places},
        creationflags=_NO_CONSOLE,
    )
    try:
        last = await _follow(child.stdout, tell) if child.stdout else HelperMessage()
        await child.wait()
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if last.fault == "disk":
        raise OSError(last.errno, os.strerror(last.errno))
    if not last.is_done:
        raise TableError(last.fault or f"the helper ended with {child.returncode}")
    return last.cut


async def _follow(lines: AsyncIterable[bytes], tell: Tell) -> HelperMessage:
    """The last that the child has told."""
    last = HelperMessage()
    async for line in lines:
        last = msgspec.json.decode(line, type=HelperMessage)
        if not last.fault:
            tell(last.rows)
    return last
