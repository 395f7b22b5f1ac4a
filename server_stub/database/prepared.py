"""Statements compiled once and run at the driver's own speed; knows no table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Dialect, Insert, Update


def run_prepared(
    connection: Connection, statement: Insert | Update, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Runs a statement that answers nothing once for each row: values by the names of its parameters.

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
