"""Reads rows from the database of an embedded server, by the names of the schema document (wire §5)."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    import sqlite3
else:
    sqlite3 = lazy("sqlite3")

ROW_ID = "_id"


def read_stored_rows(database: Path, table: str, limit: int) -> list[dict[str, object]]:
    """The first rows of a table by ascending id: values by names of columns, those of the system with ``_``.

    Returns no rows if there is no such table. Blocks. Raises OSError.
    """
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            # The name of a table of the database ends in the name in the document.
            names = [f"_{table}", table]
            found = connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN (?, ?) ORDER BY name", names
            ).fetchall()
            if not found:
                return []
            quoted = '"' + found[-1][0].replace('"', '""') + '"'
            rows = connection.execute(f"SELECT * FROM {quoted} ORDER BY {ROW_ID} LIMIT ?", (limit,))  # noqa: S608
            columns = [one[0] for one in rows.description]
            return [dict(zip(columns, row, strict=True)) for row in rows]
    except sqlite3.Error as error:
        raise OSError(str(error)) from error
