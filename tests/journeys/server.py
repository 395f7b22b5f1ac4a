"""Copies of the demo database, and queries of database files."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path


def copied(museum: Path, folder: Path) -> Path:
    """Copies the database as the demo of a user would store it; returns the file."""
    folder.mkdir(parents=True)
    return Path(shutil.copy(museum, folder / "demo.sqlite"))


def fetch_rows(file: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """The rows that a statement returns from a database file that may be in use."""
    with closing(sqlite3.connect(file)) as database:
        return database.execute(statement, values).fetchall()


def columns(file: Path, table: str) -> list[str]:
    """The physical columns of a table (wire §5)."""
    return [str(row[1]) for row in fetch_rows(file, f'PRAGMA table_info("{table}")')]
