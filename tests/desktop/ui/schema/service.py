"""A reference server whose schema may be changed and whose database may be read."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.server import started
from tests.server_process import ServerProcess


@dataclass(frozen=True)
class Service:
    """A running server and its SQLite file."""

    url: str
    file: Path
    process: ServerProcess

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
    """Runs a server on a database file."""
    with started(file, *options) as (process, url):
        yield Service(url, file, process)
