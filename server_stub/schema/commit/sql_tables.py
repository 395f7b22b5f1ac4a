"""The layouts of tables as SQLAlchemy's tables, from which DDL is made."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    ForeignKeyConstraint,
    Index,
    MetaData,
    Numeric,
    Table,
    Text,
    TextClause,
    false,
    text,
    true,
)
from sqlalchemy.types import TypeEngine

from server_stub.database.bulk import IDENTIFIER, partial_index
from server_stub.schema.commit.storage_layout import (
    PRIMARY_KEY,
    PhysicalColumn,
    PhysicalForeignKey,
    PhysicalTable,
    PhysicalUnique,
    Storage,
    lay_out,
)
from server_stub.schema.document.model import Schema

_TYPES: Mapping[Storage, TypeEngine[Any]] = {
    Storage.IDENTIFIER: IDENTIFIER,
    Storage.INTEGER: BigInteger(),
    Storage.DECIMAL: Numeric(15, 2),
    Storage.BOOLEAN: Boolean(),
    Storage.TEXT: Text(),
}


def sql_tables(schema: Schema) -> list[Table]:
    """The tables of a committed schema, with their foreign keys and indexes."""
    layouts = lay_out(schema)
    names = {number: layout.name for number, layout in layouts.items()}
    return [sql_table(layout, names) for layout in layouts.values()]


def sql_table(table: PhysicalTable, names: Mapping[int, str]) -> Table:
    """A table with its columns, foreign keys and indexes; `names` are the names of link targets by id."""
    return Table(
        table.name,
        MetaData(),
        *(sql_column(column) for column in table.columns),
        *(_sql_foreign_key(table, key, names) for key in table.foreign_keys),
        *(_unique_index(table, unique) for unique in table.uniques),
    )


def sql_column(column: PhysicalColumn) -> Column[object]:
    """A column without its foreign keys."""
    return Column(
        column.name,
        sql_type(column),
        primary_key=column.storage is Storage.IDENTIFIER,
        nullable=column.nullable,
        server_default=sql_default(column),
    )


def sql_type(column: PhysicalColumn) -> TypeEngine[Any]:
    """The type of a column."""
    return _TYPES[column.storage]


def sql_default(column: PhysicalColumn) -> ColumnElement[bool] | TextClause | str | None:
    """The default in the database, None for none."""
    match column.default:
        case None:
            return None
        case bool():
            return true() if column.default else false()
        case str() if column.storage is Storage.TEXT:
            return column.default
        case number:
            return text(str(number))


def _sql_foreign_key(
    table: PhysicalTable, key: PhysicalForeignKey, names: Mapping[int, str]
) -> ForeignKeyConstraint:
    itself = f"{table.name}.{PRIMARY_KEY}"
    return ForeignKeyConstraint(
        [table.column(key.column).name],
        [itself if key.target == table.id else _link_target(names[key.target])],
        name=key.name,
        ondelete=key.on_delete.upper(),
        onupdate=key.on_update.upper(),
    )


@lru_cache(maxsize=1024)
def _link_target(name: str) -> Column[object]:
    """The primary key of a link target; SQLAlchemy needs no other column of it."""
    found: Column[object] = Column(PRIMARY_KEY, IDENTIFIER, primary_key=True)
    Table(name, MetaData(), found)
    return found


def _unique_index(table: PhysicalTable, unique: PhysicalUnique) -> Index:
    names = [table.column(key).name for key in unique.columns]
    where = [table.column(key).name for key in unique.where]
    return Index(unique.name, *names, unique=True, **partial_index(where))
