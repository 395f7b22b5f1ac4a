"""Reads rows from the database of an embedded server, by the names of the schema document (wire §5)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from errno import EIO
from pathlib import Path
from typing import TYPE_CHECKING

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    import sqlite3
else:
    sqlite3 = lazy("sqlite3")

ROW_ID = "_id"

# Names that columns of PostgreSQL have besides; those of a document are stored with ``_`` behind them.
_HIDDEN = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})


def read_stored_rows(database: Path, table: str, limit: int) -> list[dict[str, object]]:
    """The first rows of a table by ascending id: values by names of columns, those of the system with ``_``.

    Returns no rows if there is no such table. Blocks. Raises OSError.
    """
    with _reading(database) as connection:
        stored = _stored_name(connection, table)
        if stored is None:
            return []
        statement = f"SELECT * FROM {_quoted(stored)} ORDER BY {ROW_ID} LIMIT ?"  # noqa: S608
        rows = connection.execute(statement, (limit,))
        columns = [one[0] for one in rows.description]
        return [dict(zip(columns, row, strict=True)) for row in rows]


def count_stored_rows(database: Path, tables: Sequence[str]) -> dict[str, int]:
    """The number of rows of each of these tables that exists. Blocks. Raises OSError."""
    found: dict[str, int] = {}
    with _reading(database) as connection:
        for table in tables:
            stored = _stored_name(connection, table)
            if stored is not None:
                count = connection.execute(f"SELECT count(*) FROM {_quoted(stored)}").fetchone()  # noqa: S608
                found[table] = int(count[0])
    return found


def write_stored_rows(database: Path, table: str, columns: Sequence[str], path: Path) -> int:
    """Writes values of a table into a new CSV file: the id of each row and ``columns``, or all without any.

    Rows that have none of the values are left out. An empty field is NULL, texts are always quoted, binary
    values are hexadecimal. Returns the number of rows; without any, no file is written. Blocks. Raises
    OSError, also if there is no such table or column: then nothing is known of values that may be lost.
    """
    with _reading(database) as connection:
        stored = _stored_name(connection, table)
        if stored is None:
            raise OSError(EIO, tr("Missing in the database: {names}", names=table))
        there = [name for name in _column_names(connection, stored) if name != ROW_ID]
        stored_names = {_stored_column(name, there): name for name in columns}
        missing = [name for found, name in stored_names.items() if found not in there]
        if missing:
            names_text = ", ".join(f"{table}.{name}" for name in missing)
            raise OSError(EIO, tr("Missing in the database: {names}", names=names_text))
        wanted = [name for name in there if not columns or name in stored_names]
        # The whole of a table is its rows, even without values.
        has_value = " OR ".join(f"{_quoted(name)} IS NOT NULL" for name in wanted) if columns else "1"
        selected = ", ".join(_quoted(name) for name in (ROW_ID, *wanted))
        statement = f"SELECT {selected} FROM {_quoted(stored)} WHERE {has_value} ORDER BY {ROW_ID}"  # noqa: S608
        rows = connection.execute(statement)
        first = rows.fetchone()
        if first is None:
            return 0
        count = 1
        with open(path, "x", encoding="utf-8", newline="", opener=_private) as file:
            file.write(_csv_line((ROW_ID, *wanted)))
            file.write(_csv_line(first))
            for row in rows:
                file.write(_csv_line(row))
                count += 1
            file.flush()
            os.fsync(file.fileno())
        return count


@contextmanager
def _reading(database: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write. Errors of the database are raised as OSError."""
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise OSError(str(error)) from error


def _stored_name(connection: sqlite3.Connection, table: str) -> str | None:
    """The name of a table of the database: the one in the document, or this with ``_`` before it."""
    found = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN (?, ?)", (f"_{table}", table)
    ).fetchall()
    names = [str(row[0]) for row in found]
    return table if table in names else next(iter(names), None)


def _column_names(connection: sqlite3.Connection, stored: str) -> list[str]:
    return [str(row[1]) for row in connection.execute(f"PRAGMA table_info({_quoted(stored)})")]


def _stored_column(name: str, there: Sequence[str]) -> str:
    """The name of a column of the database: the one in the document, or this with ``_`` behind it."""
    return f"{name}_" if name in _HIDDEN and name not in there else name


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _csv_line(values: Sequence[object]) -> str:
    return ",".join(map(_csv_field, values)) + "\r\n"


def _csv_field(value: object) -> str:
    """A field; csv.writer would write NULL like an empty text."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.hex()
    return _quoted(value) if isinstance(value, str) else str(value)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
