"""What a change of tables needs that databases do each in its own way; knows no schema document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import BigInteger, Boolean, ColumnElement, Connection, Integer, and_, column

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
