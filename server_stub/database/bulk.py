"""Writes many rows of one table at the driver's own speed, also without its indexes; knows no table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from sqlalchemy import Connection, Dialect, Index, Table, insert, inspect


def insert_rows(connection: Connection, table: Table, rows: Sequence[tuple[object, ...]]) -> None:
    """Inserts rows whose values stand in the order of the table's columns.

    SQLAlchemy's own way makes a dict of parameters for every row, which costs as much as storing it.
    """
    statement, names = _insert(table, connection.dialect)
    if names is None:
        connection.exec_driver_sql(statement, list(rows))
    else:
        connection.exec_driver_sql(statement, [dict(zip(names, row, strict=True)) for row in rows])


@lru_cache(maxsize=32)
def _insert(table: Table, dialect: Dialect) -> tuple[str, tuple[str, ...] | None]:
    """The statement, and the names of its parameters where the driver wants names."""
    compiled = insert(table).compile(dialect=dialect)
    return str(compiled), None if compiled.positional else tuple(column.name for column in table.columns)


def drop_indexes(connection: Connection, table: Table) -> None:
    """Takes the indexes away: building each at once in the end costs a third of keeping all up to date."""
    for index in table.indexes:
        index.drop(connection, checkfirst=True)


def missing_indexes(connection: Connection, table: Table) -> list[Index]:
    """The table's indexes that the database does not have."""
    names = {found["name"] for found in inspect(connection).get_indexes(table.name)}
    return sorted(
        (index for index in table.indexes if index.name not in names), key=lambda index: str(index.name)
    )
