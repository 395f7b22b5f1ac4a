"""Tests of reading rows from the database of an embedded server."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cdb_desktop.embedded import count_stored_rows, read_stored_rows, write_stored_rows


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A table with all kinds of values, and an empty one."""
    path = tmp_path / "rows.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE "_work" (_id INTEGER, title TEXT, size REAL, "odd ""name" BLOB)')
        rows = [(2, 'a "b", c\nd', 1.5, b"\x00\xff"), (1, "", None, None), (3, None, None, None)]
        connection.executemany('INSERT INTO "_work" VALUES (?, ?, ?, ?)', rows)
        connection.execute("CREATE TABLE empty (_id INTEGER, title TEXT)")
        connection.commit()
    return path


def test_rows_are_counted(database: Path) -> None:
    """Of tables that exist."""
    assert count_stored_rows(database, ("work", "empty", "missing")) == {"work": 3, "empty": 0}


def test_a_whole_table(database: Path, tmp_path: Path) -> None:
    """By id; NULL and an empty text differ, binary values are hexadecimal."""
    path = tmp_path / "work.csv"
    assert write_stored_rows(database, "work", (), path) == 3
    lines = path.read_bytes().decode().split("\r\n")
    assert lines == [
        '"_id","title","size","odd ""name"',
        '1,"",,',
        '2,"a ""b"", c\nd",1.5,00ff',
        "3,,,",
        "",
    ]
    assert oct(path.stat().st_mode)[-3:] == "600"


def test_columns_of_the_rows_that_have_them(database: Path, tmp_path: Path) -> None:
    """Rows without any of the values are left out, and so are unknown columns."""
    path = tmp_path / "work.csv"
    assert write_stored_rows(database, "work", ("title", "unknown"), path) == 2
    assert path.read_bytes() == b'"_id","title"\r\n1,""\r\n2,"a ""b"", c\nd"\r\n'


@pytest.mark.parametrize(("table", "columns"), [("none", ()), ("empty", ()), ("work", ("unknown",))])
def test_nothing_to_write(database: Path, tmp_path: Path, table: str, columns: tuple[str, ...]) -> None:
    """Leaves no file."""
    path = tmp_path / "nothing.csv"
    assert write_stored_rows(database, table, columns, path) == 0
    assert not path.exists()


def test_a_missing_database(tmp_path: Path) -> None:
    """Is neither made nor ignored."""
    path = tmp_path / "none.sqlite"
    with pytest.raises(OSError, match="unable to open"):
        read_stored_rows(path, "work", 1)
    with pytest.raises(OSError, match="unable to open"):
        write_stored_rows(path, "work", (), tmp_path / "work.csv")
    assert not path.exists()
