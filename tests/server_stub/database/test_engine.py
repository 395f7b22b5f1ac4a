"""Opening databases, transactions, and what cannot be opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import select, text, update

from server_stub.database import Database, DatabaseUnusableError, open_database
from server_stub.database.tables import counter


def test_a_failed_write_changes_nothing_not_even_tables(database: Database) -> None:
    """DDL is inside the transaction."""
    with pytest.raises(ZeroDivisionError):
        _write_and_fail(database)
    with database.read() as connection:
        assert connection.execute(select(counter.c.value)).scalar() == 0
        assert (
            connection.execute(text("SELECT count(*) FROM sqlite_master WHERE name = 'made'")).scalar() == 0
        )


def test_foreign_keys_are_off_only_where_asked(database: Database) -> None:
    """Rebuilding tables needs them off; the next writer has them on again."""
    with database.write(foreign_keys=False) as connection:
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 0
    with database.write() as connection:
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    """The message names the file."""
    file = tmp_path / "letter.txt"
    file.write_text("Dear museum, " * 100)
    with pytest.raises(DatabaseUnusableError, match=r"letter\.txt"):
        open_database(str(file))
    assert file.read_text().startswith("Dear museum")


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    """A mistyped path must not add tables to somebody's file."""
    file = tmp_path / "other.sqlite"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE photo (id)")
    other.close()
    with pytest.raises(DatabaseUnusableError, match="another program"):
        open_database(str(file))
    with sqlite3.connect(file) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("photo",)]
    other.close()


@pytest.mark.parametrize("url", ["nonsense://x", "sqlite:////proc/none/x.sqlite", "/dev/null/x.sqlite"])
def test_places_that_cannot_hold_a_database(url: str) -> None:
    """Unknown schemes and impossible folders are told in a sentence."""
    with pytest.raises(DatabaseUnusableError):
        open_database(url)


def _write_and_fail(database: Database) -> None:
    with database.write() as connection:
        connection.execute(update(counter).values(value=9))
        connection.execute(text("CREATE TABLE made (x)"))
        _ = 1 / 0
