"""Museums of one's own, and what lies in their database files."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path


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
