"""Typed tables (Parquet, XLSX): their limits, and the child process that makes one of a CSV file."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterable, Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import msgspec

from cdb_desktop.foundation.bundle import NO_CONSOLE, helper_command
from cdb_desktop.foundation.files import replace_file

TableFormat = Literal["parquet", "xlsx"]
OnRows = Callable[[int], None]

_HELPER = "cdb_desktop.events.export.table_helper"


class TableLimits(msgspec.Struct, frozen=True):
    """What a format can hold, None if there is no limit; ``rows`` without the title row.

    ``at_once`` rows are converted between two reports of progress; in Parquet they are a row group.
    """

    rows: int | None = None
    columns: int | None = None
    characters: int | None = None  # of a cell
    at_once: int = 20_000


# The module that writes a format, and the name under which it is installed.
_LIBRARIES: dict[TableFormat, tuple[str, str]] = {
    "parquet": ("pyarrow", "pyarrow"),
    "xlsx": ("xlsxwriter", "XlsxWriter"),
}
TABLE_LIMITS: dict[TableFormat, TableLimits] = {
    "parquet": TableLimits(),
    "xlsx": TableLimits(rows=1_048_575, columns=16_384, characters=32_767, at_once=1_000),
}


class HelperMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of JSON from the helper process: so many rows are written.

    ``is_done``: all of them are, and ``cut`` cells were too long. ``fault`` is ``disk`` with its ``errno``,
    ``columns`` if there are too many, or the error in English.
    """

    rows: int = 0
    is_done: bool = False
    cut: int = 0
    fault: str = ""
    errno: int = 0


class TableError(Exception):
    """The table was not made; ``reason`` is ``columns`` if there are too many, else English."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def missing_library(table_format: TableFormat) -> str:
    """The library that must be installed to write ``table_format``, empty if it is. Does not import it."""
    module, name = _LIBRARIES[table_format]
    return name if find_spec(module) is None else ""


async def make_table(
    table_format: TableFormat, source: Path, target: Path, rows: int, on_rows: OnRows
) -> int:
    """Converts ``source``, a CSV file with so many rows, and returns how many cells were cut.

    ``on_rows`` gets the number of rows written. Raises OSError and TableError; ``target`` is unchanged then.
    Cancelling ends the child process.
    """
    folder = target.with_name(f"{target.name}.tmp")
    on_rows(0)
    preparation = asyncio.ensure_future(asyncio.to_thread(_make_folder, folder))
    try:
        await asyncio.shield(preparation)
        made = folder / f"table.{table_format}"
        cut = await _run_helper(table_format, source, made, rows, on_rows)
        await asyncio.to_thread(partial(replace_file, made, target, synced=False))
        return cut
    finally:
        # The thread continues after a cancellation.
        await asyncio.wait([preparation])
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _make_folder(folder: Path) -> None:
    """An empty folder for the table and the temporary files of the libraries; an old one may be there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()


async def _run_helper(table_format: TableFormat, source: Path, made: Path, rows: int, on_rows: OnRows) -> int:
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(made.parent))
    child = await asyncio.create_subprocess_exec(
        *(*helper_command(_HELPER), table_format, str(source), str(made), str(rows)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, **temporary},
        creationflags=NO_CONSOLE,
    )
    try:
        last = await _last_message(child.stdout, on_rows) if child.stdout else HelperMessage()
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


async def _last_message(lines: AsyncIterable[bytes], on_rows: OnRows) -> HelperMessage:
    last = HelperMessage()
    async for line in lines:
        last = msgspec.json.decode(line, type=HelperMessage)
        if not last.fault:
            on_rows(last.rows)
    return last
