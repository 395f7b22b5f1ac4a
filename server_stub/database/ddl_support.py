"""DDL that differs between databases."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Connection,
    Integer,
    Table,
    and_,
    bindparam,
    column,
    table,
    update,
)

from server_stub.database.bulk import run_prepared
from server_stub.database.dialects import only

# Copying this many rows twice takes as long as one rename in SQLite in a model of some 300 tables.
_FEW_ROWS = 10_000
_COPY = "_copied_rows"

# In SQLite only a primary key declared as INTEGER is an alias of the row id.
IDENTIFIER = BigInteger().with_variant(Integer, "sqlite")


def all_true(names: Sequence[str]) -> ColumnElement[bool]:
    """The condition that all of these boolean columns are true; always true for an empty sequence."""
    return and_(True, *(column(name, Boolean).is_(True) for name in names))


def partial_index(names: Sequence[str]) -> dict[str, Any]:
    """Options of a partial index over the rows where all of these boolean columns are true."""
    return only(all_true(names)) if names else {}


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


def alters_slowly(connection: Connection, table_name: str) -> bool:
    """Whether rebuilding a table is faster than altering or renaming something in it.

    SQLite parses the definitions of all tables several times for every rename.
    """
    if connection.dialect.name != "sqlite":
        return False
    name = connection.dialect.identifier_preparer.quote(table_name)
    counted = f"SELECT count(*) FROM (SELECT 1 FROM {name} LIMIT {_FEW_ROWS + 1})"  # noqa: S608 - quoted
    return int(connection.exec_driver_sql(counted).scalar_one()) <= _FEW_ROWS


def rebuild_table(
    connection: Connection, wanted: Table, sources: Mapping[str, str], casts: Container[str]
) -> None:
    """Replaces the table of the same name by `wanted` and copies the rows.

    `sources` maps new columns to old ones; the values of columns in `casts` are converted to the new type.
    Foreign keys must not be enforced meanwhile. Requires that `alters_slowly` is true.
    """
    quote = connection.dialect.identifier_preparer.quote
    typed = connection.dialect.type_compiler_instance.process
    name = quote(wanted.name)
    cells = [
        f"CAST({quote(source)} AS {typed(wanted.c[column].type)})" if column in casts else quote(source)
        for column, source in sources.items()
    ]
    connection.exec_driver_sql(f"CREATE TEMPORARY TABLE {_COPY} AS SELECT * FROM {name}")  # noqa: S608 - quoted
    connection.exec_driver_sql(f"DROP TABLE {name}")
    wanted.create(connection)
    into = f"{name} ({', '.join(map(quote, sources))})"
    connection.exec_driver_sql(f"INSERT INTO {into} SELECT {', '.join(cells)} FROM {_COPY}")  # noqa: S608
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
