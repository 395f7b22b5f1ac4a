"""Has a table made in a child process, which ends with whoever waits for it. Loads no library of tables."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterable, Callable
from functools import partial
from pathlib import Path

import msgspec

from cdb_desktop.events.table_forms import TableForm
from cdb_desktop.events.table_telling import Told
from cdb_desktop.foundation.bundle import helper_command
from cdb_desktop.foundation.files import replace_file

_NO_CONSOLE = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows opens one for every child otherwise
_HELPER = "cdb_desktop.events.table_helper"

Tell = Callable[[int], None]


class TableError(Exception):
    """The table was not made; ``reason`` is ``columns`` where there are too many of them, else English."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


async def make_table(form: TableForm, source: Path, target: Path, rows: int, tell: Tell) -> int:
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


async def _run(form: TableForm, source: Path, made: Path, rows: int, tell: Tell) -> int:
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
        last = await _follow(child.stdout, tell) if child.stdout else Told()
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


async def _follow(lines: AsyncIterable[bytes], tell: Tell) -> Told:
    """The last that the child has told."""
    last = Told()
    async for line in lines:
        last = msgspec.json.decode(line, type=Told)
        if not last.fault:
            tell(last.rows)
    return last
