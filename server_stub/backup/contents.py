"""The stored tables of a database, their rows as values that are equal on every database, and checksums.

A backup or a migration copies the server's own tables and those of the objects, which the schema in force
describes. Indexes, foreign keys and sequences are made anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec
from sqlalchemy import Boolean, Connection, Numeric, Table, func, inspect, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import AddConstraint, CreateIndex, CreateTable

from server_stub.database.bulk import dangling_links, insert_rows
from server_stub.database.tables import counter, metadata
from server_stub.schema.commit.sql_tables import sql_tables
from server_stub.schema.document.model import read_schema
from server_stub.schema.versions import Versions

Row = Sequence[Any]
# How far a copy is: the name of the table, rows done, rows of the table.
Progress = Callable[[str, int, int], None]

# How many rows are read, and written in one statement, at a time.
BATCH = 1000
# Sessions and tokens that have ended since a copy was made would be valid again: a restoration ends all.
END_SESSIONS = (
    "UPDATE _session SET user_id = NULL, method = NULL, authenticated = NULL WHERE user_id IS NOT NULL",
    "DELETE FROM _oauth_token",
)
_MODULUS = 1 << 128


class BackupError(Exception):
    """A copy cannot be made or is not equal to its source; the message is for the administrator."""


class Summary(msgspec.Struct, frozen=True):
    """The number of rows of a table, and a checksum of their values that does not depend on their order."""

    rows: int
    checksum: str


class Checksum:
    """Adds up a table while its rows pass by."""

    def __init__(self) -> None:
        self._rows = 0
        self._sum = 0

    def add(self, rows: Sequence[Row]) -> None:
        """Adds rows as `StoredTable.read` returns them."""
        self._rows += len(rows)
        for row in rows:
            digest = hashlib.blake2b(msgspec.json.encode(row), digest_size=16).digest()
            self._sum += int.from_bytes(digest, "big")
        self._sum %= _MODULUS

    @property
    def rows(self) -> int:
        """The number of rows so far."""
        return self._rows

    @property
    def summary(self) -> Summary:
        """The summary of all rows so far."""
        return Summary(self._rows, f"{self._sum:032x}")


@dataclass(frozen=True)
class StoredTable:
    """A table; its rows are tuples of integers, texts and nulls in the order of its columns."""

    table: Table
    is_own: bool

    @property
    def name(self) -> str:
        """The name in the database."""
        return self.table.name

    @property
    def key(self) -> tuple[int, ...]:
        """The positions of the primary key's columns."""
        names = [column.name for column in self.table.columns]
        return tuple(names.index(column.name) for column in self.table.primary_key)

    def key_of(self, row: Row) -> list[Any]:
        """The primary key of a row."""
        return [row[position] for position in self.key]

    def count(self, connection: Connection) -> int:
        """The number of rows."""
        name = connection.dialect.identifier_preparer.quote(self.name)
        counted = connection.exec_driver_sql(f"SELECT count(*) FROM {name}")  # noqa: S608 - quoted
        return int(counted.scalar_one())

    def read(self, connection: Connection, after: Sequence[Any] | None = None) -> Iterator[list[Row]]:
        """The rows in batches by ascending key; `after` is the key after which to begin."""
        driver: Any = connection.connection.dbapi_connection
        first, following = self._select(connection, bounded=False), self._select(connection, bounded=True)
        while True:
            cursor = driver.execute(first) if after is None else driver.execute(following, tuple(after))
            rows = self._portable(cursor.fetchall())
            cursor.close()
            if rows:
                yield rows
            if len(rows) < BATCH:
                return
            after = self.key_of(rows[-1])

    def _select(self, connection: Connection, *, bounded: bool) -> str:
        quote = connection.dialect.identifier_preparer.quote
        sign = "?" if connection.dialect.name == "sqlite" else "%s"
        columns = ", ".join(quote(column.name) for column in self.table.columns)
        key = ", ".join(quote(column.name) for column in self.table.primary_key)
        beyond = f" WHERE ({key}) > ({', '.join(sign for _ in self.key)})" if bounded else ""
        return f"SELECT {columns} FROM {quote(self.name)}{beyond} ORDER BY {key} LIMIT {BATCH}"  # noqa: S608

    def summary(self, connection: Connection, progress: Progress | None = None) -> Summary:
        """The summary of the rows in the database."""
        checksum, total = Checksum(), self.count(connection) if progress else 0
        for rows in self.read(connection):
            checksum.add(rows)
            if progress:
                progress(self.name, checksum.rows, total)
        return checksum.summary

    def _portable(self, rows: list[Row]) -> list[Row]:
        """The values that are equal on all databases: truth values as 0 and 1, decimals as text."""
        converted = self._conversions(_portable_decimal, int)
        return _converted(rows, converted) if converted else rows

    def stored(self, connection: Connection, rows: list[Row]) -> list[Row]:
        """Portable rows as the driver of a database takes them."""
        is_sqlite = connection.dialect.name == "sqlite"
        converted = self._conversions(float if is_sqlite else Decimal, int if is_sqlite else bool)
        return _converted(rows, converted) if converted else rows

    def _conversions(
        self, of_decimal: Callable[[Any], Any], of_truth: Callable[[Any], Any]
    ) -> dict[int, Callable[[Any], Any]]:
        found: dict[int, Callable[[Any], Any]] = {}
        for position, column in enumerate(self.table.columns):
            if isinstance(column.type, Numeric):
                found[position] = of_decimal
            elif isinstance(column.type, Boolean):
                found[position] = of_truth
        return found


def _portable_decimal(value: Any) -> str:
    # SQLite stores decimals as numbers without their trailing zeros.
    return f"{Decimal(str(value)):.2f}"


def _converted(rows: list[Row], conversions: dict[int, Callable[[Any], Any]]) -> list[Row]:
    result: list[Row] = []
    for row in rows:
        values = list(row)
        for position, convert in conversions.items():
            if values[position] is not None:
                values[position] = convert(values[position])
        result.append(values)
    return result


def last_event(connection: Connection) -> int:
    """The greatest event id that was ever given."""
    return int(connection.execute(select(counter.c.value).where(counter.c.name == "event")).scalar() or 0)


def own_tables() -> list[StoredTable]:
    """The server's own tables; each after those that it links to."""
    return [StoredTable(table, is_own=True) for table in metadata.sorted_tables]


def object_tables(connection: Connection) -> list[StoredTable]:
    """The tables of the objects of the schema in force."""
    current = Versions(connection).current()
    if current is None:
        return []
    return [StoredTable(table, is_own=False) for table in sql_tables(read_schema(current))]


def stored_tables(connection: Connection) -> list[StoredTable]:
    """All tables whose rows belong to a copy."""
    return [*own_tables(), *object_tables(connection)]


def require_contents(connection: Connection) -> None:
    """Raises BackupError if the database holds nothing: its address is probably mistyped."""
    if not any(table.count(connection) for table in own_tables() if table.name in ("_user", "_event")):
        raise BackupError("The database is empty: it has neither users nor events. Check its address.")


def require_empty(connection: Connection) -> None:
    """Raises BackupError if there is anything in the database that a copy would meet."""
    ours = {table.name: table for table in own_tables()}
    found = set(inspect(connection).get_table_names())
    filled = [name for name, table in ours.items() if name in found and _is_filled(connection, table)]
    if filled:
        raise BackupError(
            f"The database that is to be filled is not empty: it has rows in {', '.join(filled)}. Choose a "
            "new file, or create an empty database (PostgreSQL: createdb NAME)."
        )


def _is_filled(connection: Connection, table: StoredTable) -> bool:
    if table.name != "_counter":
        return table.count(connection) > 0
    return any(value for _, value in connection.execute(table.table.select()).all())


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
