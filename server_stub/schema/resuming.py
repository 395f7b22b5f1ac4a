"""Whether a step stands in the database already: a run that was cut off may have done it without its row.

Only a database that commits each change of tables by itself comes to this. Changes of rows never do: they
are in one transaction with their row in the journal.
"""

from __future__ import annotations

from sqlalchemy import Connection, inspect
from sqlalchemy.engine.reflection import Inspector

from server_stub.schema.physical import PhysicalTable
from server_stub.schema.steps import (
    AddColumn,
    AlterTable,
    CreateTable,
    CreateUnique,
    DropTable,
    DropUnique,
    RenameColumn,
    RenameTable,
    Step,
)


def stands(connection: Connection, step: Step) -> bool:
    """Whether what a step changes has changed; False for one that changes no table."""
    database, found = inspect(connection), False
    match step:
        case RenameTable():
            found = not database.has_table(step.old) and database.has_table(step.new)
        case CreateTable():
            found = database.has_table(step.table.name)
        case DropTable():
            found = not database.has_table(step.table)
        case RenameColumn():
            names = _columns(database, step.table)
            found = step.old not in names and step.new in names
        case AddColumn():
            found = step.column.name in _columns(database, step.table)
        case DropUnique():
            found = step.name not in _indexes(database, step.table)
        case CreateUnique():
            found = step.name in _indexes(database, step.table)
        case AlterTable():
            found = _has_shape(database, step.after)
    return found


def _columns(database: Inspector, table: str) -> dict[str, bool]:
    """Name and whether it may be empty."""
    return {column["name"]: column["nullable"] for column in database.get_columns(table)}


def _indexes(database: Inspector, table: str) -> set[str | None]:
    return {index["name"] for index in database.get_indexes(table)}


def _has_shape(database: Inspector, table: PhysicalTable) -> bool:
    links = {key["name"] for key in database.get_foreign_keys(table.name)}
    return _columns(database, table.name) == {column.name: column.nullable for column in table.columns} and (
        links == {key.name for key in table.foreign_keys}
    )
