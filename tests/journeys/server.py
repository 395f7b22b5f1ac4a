"""Reference servers as processes with a museum of 20,000 events, and what lies in their database files."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

_READY = "Listening on "


@contextmanager
def serving(file: Path, *options: str) -> Iterator[str]:
    """The address of a server on a database file; it ends cleanly with the block."""
    place = ("--port", "0", "--database", str(file), "--exit-with-stdin")
    command = (sys.executable, "-m", "server_stub", *place, *options)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield process.stdout.readline().removeprefix(_READY).strip()
            process.stdin.close()
            assert process.wait(20) == 0
        finally:
            process.kill()


def copied(museum: Path, folder: Path) -> Path:
    """A museum of one's own, as the demo of a user would keep it; gives its database file."""
    folder.mkdir(parents=True)
    return Path(shutil.copy(museum, folder / "demo.sqlite"))


def looked_up(file: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """The rows that a statement finds in a database file, whoever works with it."""
    with closing(sqlite3.connect(file)) as database:
        return database.execute(statement, values).fetchall()


def columns(file: Path, table: str) -> list[str]:
    """The physical columns of a table (wire §5)."""
    return [str(row[1]) for row in looked_up(file, f'PRAGMA table_info("{table}")')]
