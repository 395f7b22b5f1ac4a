"""Fast writes: many rows of one table at the speed of the driver, also without its indexes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Dialect, Index, Insert, Table, Update, insert, inspect


def insert_rows(connection: Connection, table: Table, rows: Sequence[tuple[object, ...]]) -> None:
    """Inserts rows whose values are in the order of the table's columns.

    SQLAlchemy would create a dict of parameters for every row, which takes as long as storing the row.
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
    """Drops the indexes: building them at the end takes a third of the time of updating them row by row."""
    for index in table.indexes:
        index.drop(connection, checkfirst=True)


def missing_indexes(connection: Connection, table: Table) -> list[Index]:
    """The table's indexes that the database does not have, or has over other columns."""
    found = {each["name"]: each["column_names"] for each in inspect(connection).get_indexes(table.name)}
    return sorted(
        (index for index in table.indexes if found.get(index.name) != index.columns.keys()),
        key=lambda index: str(index.name),
    )


def create_index(connection: Connection, index: Index) -> None:
    """Creates an index, in the place of that of an older version."""
    index.drop(connection, checkfirst=True)
    index.create(connection)


def run_prepared(
    connection: Connection, statement: Insert | Update, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Runs a statement without results once for each row, a mapping of parameter names to values.

    SQLAlchemy's own way prepares every row anew, which costs more than what the database does with it.
    Values must be such as the driver takes.
    """
    text, names, fixed = _compiled(statement, connection.dialect)
    whole = [{**fixed, **row} for row in rows]
    if names is None:
        connection.exec_driver_sql(text, whole)
    else:
        connection.exec_driver_sql(text, [tuple(row[name] for name in names) for row in whole])


@lru_cache(maxsize=64)
def _compiled(
    statement: Insert | Update, dialect: Dialect
) -> tuple[str, tuple[str, ...] | None, Mapping[str, Any]]:
    """The text, the names of its parameters in order where the driver wants no names, and fixed values."""
    compiled = statement.compile(dialect=dialect)
    names = tuple(compiled.positiontup or ()) if compiled.positional else None
    return str(compiled), names, compiled.params
