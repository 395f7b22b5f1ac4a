"""Time to the newest of a million events, compared with other log viewers.

The browser queries a running service; the others must read a file with the same events completely. Both times
are from the start of a process, the best of several runs.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from tests.performance.processes import finished, milliseconds
from tests.performance.rows import AbsentError, Context, Measured, Row, ratio_row
from tests.performance.server.stage import stage

_TIMES = 2
_LONGEST = 1 << 16  # bytes of a line
_LINES = """
    SELECT '{"_id":' || id || ',' || head || ',"user":' || json_quote(coalesce(user_displayname, ''))
           || ',"info":' || info || '}' FROM _event ORDER BY id
"""
_LNAV_FORMAT = {
    "$schema": "https://lnav.org/schemas/format-v1.schema.json",
    "events": {
        "title": "events",
        "json": True,
        "file-type": "json",
        "timestamp-field": "timestamp",
        "body-field": "type",
        "line-format": [{"field": "__timestamp__"}, " ", {"field": "_id"}, " ", {"field": "type"}],
        "value": {"_id": {"kind": "integer"}, "type": {"kind": "string"}, "user": {"kind": "string"}},
    },
}
_NEWEST = ";SELECT _id, log_time, log_body FROM events ORDER BY log_line DESC LIMIT 40"
_VISIDATA_STEPS = ("go-bottom", "select-row", "dup-selected")


def vs_lnav(context: Context) -> Row:
    """lnav reads JSON lines with a format definition and prints the newest."""
    lnav, file = _program("lnav"), _lines(context)
    formats = context.folder / ".lnav" / "formats" / "installed"
    formats.mkdir(parents=True, exist_ok=True)
    (formats / "events.json").write_bytes(msgspec.json.encode(_LNAV_FORMAT))
    command = [lnav, "-n", "-c", _NEWEST, "-c", ":write-csv-to -", str(file)]
    return _row("events.open_vs_lnav", context, command, goal=0.1)


def vs_visidata(context: Context) -> Row:
    """VisiData reads JSON lines, goes to the bottom and prints the row."""
    visidata, file = _program("vd"), _lines(context)
    steps = context.folder / "steps.vdj"
    lines = (
        {"sheet": file.stem, "col": "", "row": "", "longname": name, "input": ""} for name in _VISIDATA_STEPS
    )
    steps.write_bytes(b"\n".join(msgspec.json.encode(step) for step in lines))
    command = [visidata, "-b", "-p", str(steps), "-o", "-", "--save-filetype", "jsonl", str(file)]
    return _row("events.open_vs_visidata", context, command, goal=0.05)


def _row(name: str, context: Context, command: Sequence[str], goal: float) -> Row:
    newest = str(_newest(_lines(context)))
    times = []
    for _ in range(_TIMES):
        printed: list[str] = []
        times.append(milliseconds(lambda: printed.append(finished(command, context.folder))))  # noqa: B023
        assert newest in printed[0]
    return ratio_row(name, _ours(context), min(times), goal)


@lru_cache(maxsize=1)
def _ours(context: Context) -> float:
    """Milliseconds from the start of the program to painted rows."""
    command = [
        sys.executable,
        "-m",
        "cdb_desktop",
        "--server",
        stage(context).base,
        "--login",
        "root",
        "--smoke",
    ]
    lines = [finished(command, context.folder, CDB_PASSWORD="admin") for _ in range(_TIMES + 1)]
    return min(msgspec.json.decode(one, type=dict[str, float])["first_rows"] for one in lines)


@lru_cache(maxsize=1)
def _lines(context: Context) -> Path:
    """A file with the current events as JSON lines."""
    file = context.folder / "events.jsonl"
    with file.open("w", encoding="utf-8") as target:
        rows: sqlite3.Cursor = stage(context).bare.execute(_LINES)
        target.writelines(f"{line}\n" for (line,) in rows)
    return file


def _newest(file: Path) -> int:
    """The id in the last line; later events, such as a sign-in, are not in the file."""
    with file.open("rb") as lines:
        lines.seek(-_LONGEST, os.SEEK_END)
        last = lines.read().splitlines()[-1]
    number: int = msgspec.json.decode(last)["_id"]
    return number


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise AbsentError(f"{name} is not installed")
    return found


MEASUREMENTS = (
    Measured("events.open_vs_lnav", vs_lnav, is_quick=False),
    Measured("events.open_vs_visidata", vs_visidata, is_quick=False),
)
