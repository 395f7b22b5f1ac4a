"""Tests of reading rows from the database of an embedded server."""

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
    """Rows without any of the values are left out."""
    path = tmp_path / "work.csv"
    assert write_stored_rows(database, "work", ("title",), path) == 2
    assert path.read_bytes() == b'"_id","title"\r\n1,""\r\n2,"a ""b"", c\nd"\r\n'


@pytest.mark.parametrize("columns", [(), ("title",)])
def test_nothing_to_write(database: Path, tmp_path: Path, columns: tuple[str, ...]) -> None:
    """Leaves no file."""
    path = tmp_path / "nothing.csv"
    assert write_stored_rows(database, "empty", columns, path) == 0
    assert not path.exists()


@pytest.mark.parametrize(
    ("table", "columns", "named"),
    [("none", (), "none"), ("work", ("title", "former", "old"), "work.former, work.old")],
)
def test_values_that_are_not_found(
    database: Path, tmp_path: Path, table: str, columns: tuple[str, ...], named: str
) -> None:
    """A copy is never incomplete without anybody knowing; it is not begun."""
    path = tmp_path / "values.csv"
    with pytest.raises(OSError, match=f"Missing in the database: {named}$"):
        write_stored_rows(database, table, columns, path)
    assert not path.exists()


def test_names_that_are_stored_differently(tmp_path: Path) -> None:
    """Columns with names that databases use themselves, and tables of which one has ``_`` before its name."""
    path = tmp_path / "rows.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE "PLAN" (_id INTEGER, xmin_ INTEGER)')
        connection.execute('CREATE TABLE "_PLAN" (_id INTEGER, xmin_ INTEGER)')
        connection.execute('INSERT INTO "PLAN" VALUES (1, 7)')
        connection.commit()
    written = tmp_path / "plan.csv"
    assert write_stored_rows(path, "PLAN", ("xmin",), written) == 1
    assert written.read_bytes() == b'"_id","xmin_"\r\n1,7\r\n'


def test_a_missing_database(tmp_path: Path) -> None:
    """Is neither made nor ignored."""
    path = tmp_path / "none.sqlite"
    with pytest.raises(OSError, match="unable to open"):
        read_stored_rows(path, "work", 1)
    with pytest.raises(OSError, match="unable to open"):
        write_stored_rows(path, "work", (), tmp_path / "work.csv")
    assert not path.exists()
