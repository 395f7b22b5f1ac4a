"""A reference server of one's own, whose schema may be changed and whose database may be looked into."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Service:
    """A running server and its SQLite file."""

    url: str
    file: Path
    process: subprocess.Popen[str]

    def columns(self, table: str) -> list[str]:
        """The physical columns of a table whose physical name ends in ``table`` (wire §5)."""
        with closing(sqlite3.connect(self.file)) as database:
            names = [
                row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            ]
            found = next(name for name in names if name.endswith(table) and not name.startswith("_"))
            return [row[1] for row in database.execute(f'PRAGMA table_info("{found}")')]


@contextmanager
def service(file: Path, *options: str) -> Iterator[Service]:
    """Starts a server on a database file; it ends with the block."""
    command = [
        sys.executable,
        "-m",
        "server_stub",
        "--port",
        "0",
        "--exit-with-stdin",
        "--database",
        str(file),
    ]
    with subprocess.Popen(
        [*command, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().removeprefix("Listening on ").strip()
        yield Service(url, file, process)
        process.kill()
