"""Fast writes: many rows of one table at the speed of the driver, also without its indexes."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Connection,
    Dialect,
    Index,
    Insert,
    Integer,
    Table,
    Update,
    and_,
    bindparam,
    column,
    insert,
    inspect,
    table,
    update,
)
from sqlalchemy.schema import CreateTable

from server_stub.database.dialects import only


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


# Copying this many rows twice takes as long as one rename in SQLite in a model of this many tables.
_FEW_ROWS = 10_000
_TABLES = 300
_COPY = "_copied_rows"

# In SQLite only a primary key declared as INTEGER is an alias of the row id.
IDENTIFIER = BigInteger().with_variant(Integer, "sqlite")


def _all_true(names: Sequence[str]) -> ColumnElement[bool]:
    """The condition that all of these boolean columns are true; always true for an empty sequence."""
    return and_(True, *(column(name, Boolean).is_(True) for name in names))


def partial_index(names: Sequence[str]) -> dict[str, Any]:
    """Options of a partial index over the rows where all of these boolean columns are true."""
    return only(_all_true(names)) if names else {}


def write_column(
    connection: Connection, table_name: str, key: str, name: str, values: Sequence[tuple[object, object]]
) -> None:
    """Updates one column of many rows, given as (value, key) pairs."""
    rows = table(table_name, column(key), column(name))
    chosen = rows.c[key] == bindparam("row")
    write = update(rows).where(chosen).values({name: bindparam("value")})
    run_prepared(connection, write, [{"value": value, "row": row} for value, row in values])


def may_link_ahead(connection: Connection) -> bool:
    """Whether a table may link to a table that is created later or dropped earlier.

    SQLite checks links only when rows change; other databases require both tables to exist.
    """
    return connection.dialect.name == "sqlite"


def _has_more_rows(connection: Connection, table_name: str, limit: int) -> bool:
    name = connection.dialect.identifier_preparer.quote(table_name)
    found = connection.exec_driver_sql(f"SELECT 1 FROM {name} LIMIT 1 OFFSET {limit}")  # noqa: S608 - quoted
    return found.first() is not None


class SlowTables:
    """The tables that are rebuilt faster than the database alters or renames something in them.

    For every column or table that is added or renamed, SQLite reads the definitions of all tables, so that
    changes of many tables would take quadratic time. To rebuild a table takes as long as copying its rows.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._few_rows: int | None = None

    def __contains__(self, table_name: str) -> bool:
        """Whether the table has so few rows that it is better rebuilt; never for databases but SQLite."""
        if self._connection.dialect.name != "sqlite":
            return False
        if self._few_rows is None:
            counted = "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
            tables = int(self._connection.exec_driver_sql(counted).scalar_one())
            self._few_rows = _FEW_ROWS * max(_TABLES, tables) // _TABLES
        return self._few_rows >= 0 and not _has_more_rows(self._connection, table_name, self._few_rows)


def rebuild_table(
    connection: Connection, name: str, wanted: Table, sources: Mapping[str, str], casts: Container[str]
) -> None:
    """Replaces the table `name` by `wanted`, which may have another name, and copies the rows.

    `sources` maps new columns to old ones; the values of columns in `casts` are converted to the new type.
    Foreign keys must not be enforced meanwhile, and no foreign key of another table is changed. Only for
    SQLite.
    """
    quote = connection.dialect.identifier_preparer.quote
    typed = connection.dialect.type_compiler_instance.process
    cells = [
        f"CAST({quote(source)} AS {typed(wanted.c[column].type)})" if column in casts else quote(source)
        for column, source in sources.items()
    ]
    into = f"INSERT INTO {quote(wanted.name)} ({', '.join(map(quote, sources))}) SELECT {', '.join(cells)}"
    if name != wanted.name:
        connection.execute(CreateTable(wanted))
        connection.exec_driver_sql(f"{into} FROM {quote(name)}")
        connection.exec_driver_sql(f"DROP TABLE {quote(name)}")
        # The names of indexes are unique in the whole database.
        for index in wanted.indexes:
            index.create(connection)
        return
    is_filled = _has_more_rows(connection, name, 0)
    if is_filled:
        connection.exec_driver_sql(f"CREATE TEMPORARY TABLE {_COPY} AS SELECT * FROM {quote(name)}")  # noqa: S608
    connection.exec_driver_sql(f"DROP TABLE {quote(name)}")
    wanted.create(connection)
    if is_filled:
        connection.exec_driver_sql(f"{into} FROM {_COPY}")
        connection.exec_driver_sql(f"DROP TABLE temp.{_COPY}")


def dangling_links(connection: Connection) -> Iterator[tuple[str, str]]:
    """Returns (table, column) of links to missing rows that were written while enforcement was off.

    Only SQLite needs this check: other databases refuse such a link themselves.
    """
    if connection.dialect.name != "sqlite":
        return
    for row in connection.exec_driver_sql("PRAGMA foreign_key_check").all():
        table, _, _, key = row
        quoted = connection.dialect.identifier_preparer.quote(table)
        for link in connection.exec_driver_sql(f"PRAGMA foreign_key_list({quoted})").mappings():
            if link["id"] == key:
                yield table, link["from"]
