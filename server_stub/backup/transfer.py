"""Creates the tables of a copy, writes rows into them, and ends with indexes, links and sequences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import AddConstraint, CreateIndex, CreateTable

from server_stub.backup.contents import BackupError, Row, StoredTable, Summary
from server_stub.database.bulk import insert_rows
from server_stub.database.ddl_support import dangling_links


def create_object_table(connection: Connection, table: Table) -> None:
    """Creates a table of objects without its indexes, and without its links where these can be added later.

    SQLite cannot add them, but does not check them either if the transaction turns enforcement off.
    """
    keeps_links = connection.dialect.name == "sqlite"
    connection.execute(CreateTable(table, include_foreign_key_constraints=None if keeps_links else []))


def insert_stored(connection: Connection, table: StoredTable, rows: list[Row]) -> None:
    """Inserts rows as `StoredTable.read` returned them.

    Raises BackupError if this database cannot store one of them, such as a text with a zero character.
    """
    values = table.stored(connection, rows)
    try:
        if connection.dialect.name == "sqlite":
            insert_rows(connection, table.table, [tuple(row) for row in values])
        else:
            _copy_in(connection, table.table, values)
    except (DBAPIError, ValueError) as error:
        reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
        raise BackupError(f"Rows of {table.name} cannot be stored: {reason}.") from error
    except Exception as error:
        if not isinstance(error, connection.dialect.loaded_dbapi.Error):
            raise
        reason = str(error).partition("\n")[0]
        raise BackupError(f"Rows of {table.name} cannot be stored: {reason}.") from error


def _copy_in(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """PostgreSQL's COPY, which takes a fifth of the time of INSERT."""
    quote = connection.dialect.identifier_preparer.quote
    columns = ", ".join(quote(column.name) for column in table.columns)
    driver: Any = connection.connection.dbapi_connection
    with (
        driver.cursor() as cursor,
        cursor.copy(f"COPY {quote(table.name)} ({columns}) FROM STDIN") as lines,
    ):
        for row in rows:
            lines.write_row(row)


def finish_object_tables(connection: Connection, tables: Sequence[StoredTable]) -> None:
    """Adds indexes and links to tables of objects that `create_object_table` has made.

    Raises BackupError if the rows violate one of them.
    """
    try:
        for each in tables:
            for index in sorted(each.table.indexes, key=lambda index: str(index.name)):
                connection.execute(CreateIndex(index))
        if connection.dialect.name != "sqlite":
            for each in tables:
                for link in each.table.foreign_key_constraints:
                    connection.execute(AddConstraint(link))
    except DBAPIError as error:
        raise BackupError(
            f"The objects violate a constraint of their schema: {str(error.orig).strip()}."
        ) from error
    for table, column in dangling_links(connection):
        raise BackupError(f"Rows of {table} link to missing rows by {column}.")


def set_sequences(connection: Connection, tables: Sequence[StoredTable]) -> None:
    """Lets the generated ids of PostgreSQL continue after the copied ones."""
    if connection.dialect.name == "sqlite":
        return
    quote = connection.dialect.identifier_preparer.quote
    for each in tables:
        if len(each.key) != 1:
            continue
        (key,) = each.table.primary_key
        found = func.pg_get_serial_sequence(quote(each.name), key.name)
        if (sequence := connection.execute(select(found)).scalar()) is None:
            continue
        greatest = connection.execute(select(func.max(key))).scalar()
        if greatest is not None:
            connection.execute(select(func.setval(sequence, greatest)))


def clear_own_tables(connection: Connection, tables: Sequence[StoredTable]) -> None:
    """Removes what opening a new database has stored."""
    for each in reversed(tables):
        connection.execute(each.table.delete())


def update_statistics(connection: Connection) -> None:
    """Lets PostgreSQL plan with the new rows at once; SQLite needs no statistics here."""
    if connection.dialect.name != "sqlite":
        connection.execute(text("ANALYZE"))


def require_equal(
    expected: Mapping[str, Summary], summary_of: Callable[[str], Summary], remedy: str
) -> dict[str, Summary]:
    """Returns the summaries of the copy by name. Raises BackupError with a remedy if any differs."""
    found = {name: summary_of(name) for name in expected}
    for name, wanted in expected.items():
        if found[name] != wanted:
            raise BackupError(
                f"The copy of {name} differs: it has {found[name].rows:,} rows with the checksum "
                f"{found[name].checksum}, the original {wanted.rows:,} with {wanted.checksum}. {remedy}"
            )
    return found
