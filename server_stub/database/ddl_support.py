"""What a change of tables needs that databases do each in its own way; knows no schema document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Connection,
    Integer,
    and_,
    bindparam,
    column,
    table,
    update,
)

from server_stub.database.prepared import run_prepared

# SQLite gives its fast row id only to a primary key declared INTEGER.
IDENTIFIER = BigInteger().with_variant(Integer, "sqlite")


def all_true(names: Sequence[str]) -> ColumnElement[bool]:
    """The condition that every one of these boolean columns is true; no columns, no condition."""
    return and_(True, *(column(name, Boolean).is_(True) for name in names))


def partial_index(names: Sequence[str]) -> dict[str, Any]:
    """Options of an index over only those rows where these boolean columns are true."""
    if not names:
        return {}
    return {"sqlite_where": all_true(names), "postgresql_where": all_true(names)}


def write_column(
    connection: Connection, table_name: str, key: str, name: str, values: Sequence[tuple[object, object]]
) -> None:
    """Writes one column of many rows, given as (value, key), at the driver's own speed."""
    rows = table(table_name, column(key), column(name))
    chosen = rows.c[key] == bindparam("row")
    write = update(rows).where(chosen).values({name: bindparam("value")})
    run_prepared(connection, write, [{"value": value, "row": row} for value, row in values])


def may_link_ahead(connection: Connection) -> bool:
    """Whether a table may link to one that is made later, or dropped before it.

    SQLite looks at links only when rows change; the others must know both tables.
    """
    return connection.dialect.name == "sqlite"


def dangling_links(connection: Connection) -> Iterator[tuple[str, str]]:
    """(table, column) of links to nowhere that passed while enforcement was put off.

    Only SQLite puts it off: the others refuse such a link themselves.
    """
    if connection.dialect.name != "sqlite":
        return
    for row in connection.exec_driver_sql("PRAGMA foreign_key_check").all():
        table, _, _, key = row
        quoted = connection.dialect.identifier_preparer.quote(table)
        for link in connection.exec_driver_sql(f"PRAGMA foreign_key_list({quoted})").mappings():
            if link["id"] == key:
                yield table, link["from"]
