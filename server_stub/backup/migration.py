"""Migrations: copy one database into another, resumably, and verify every table at the end.

The source is locked against changes meanwhile; servers on it answer reads. Each batch of rows is one
transaction of the target, together with the key up to which it has been filled, so that a killed migration
continues where it was. Servers refuse the target until the migration has ended.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    MetaData,
    Table,
    Text,
    delete,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.exc import DatabaseError

from server_stub.backup.contents import (
    BackupError,
    Progress,
    StoredTable,
    Summary,
    clear_own_tables,
    create_object_table,
    finish_object_tables,
    insert_stored,
    last_event,
    object_tables,
    own_tables,
    require_contents,
    require_empty,
    require_equal,
    set_sequences,
    update_statistics,
)
from server_stub.database import Database, DatabaseUnusableError
from server_stub.database.bulk import drop_indexes, missing_indexes
from server_stub.database.tables import MIGRATION_STATE, configuration, event, schema_version, session

_INDEXED = (event, session)
# The row about the source; its name is that of no table.
_SOURCE = "source"
_state = Table(
    MIGRATION_STATE,
    MetaData(),
    Column("name", Text, primary_key=True),
    Column("last", Text),
    Column("rows", BigInteger, nullable=False),
)
_LOCK_SECONDS = 60


class Migrated(msgspec.Struct, frozen=True):
    """The result of a migration; `resumed` is the number of rows that an earlier run had copied."""

    tables: Mapping[str, Summary]
    resumed: int


def migrate(source: Database, target: Database, progress: Progress) -> Migrated:
    """Fills an empty database, or continues an unfinished migration from the same source.

    Raises BackupError, also if the copy is not equal, and DatabaseUnusableError.
    """
    try:
        with _unchanging(source) as (reading, tables):
            return _Migration(reading, target, tables, progress).run()
    except DatabaseError as error:
        raise DatabaseUnusableError(
            f"A database cannot be read or written: {str(error.orig).strip()}. Run the same migration again: "
            "it continues."
        ) from error


@contextmanager
def _unchanging(source: Database) -> Iterator[tuple[Connection, list[StoredTable]]]:
    """A connection to the source, which nobody can change until the end of the block, and its tables."""
    with source.write(pauses=True) as connection:
        own = own_tables()
        _lock(connection, own)
        require_contents(connection)
        objects = object_tables(connection)
        _lock(connection, objects)
        yield connection, [*own, *objects]


def _lock(connection: Connection, tables: Sequence[StoredTable]) -> None:
    # The transaction of a writer has locked an SQLite database as a whole.
    if connection.dialect.name == "sqlite" or not tables:
        return
    quote = connection.dialect.identifier_preparer.quote
    names = ", ".join(quote(table.name) for table in tables)
    connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'"))
    connection.exec_driver_sql(f"LOCK TABLE {names} IN SHARE MODE")


class _Migration:
    """One run."""

    def __init__(
        self, source: Connection, target: Database, tables: Sequence[StoredTable], progress: Progress
    ) -> None:
        self._source = source
        self._target = target
        self._tables = tables
        self._objects = [table for table in tables if not table.is_own]
        self._progress = progress

    def run(self) -> Migrated:
        resumed = self._begin()
        for table in self._tables:
            self._copy(table)
        expected = {table.name: table.summary(self._source) for table in self._tables}
        if resumed:
            self._copy_changed_again(expected)
        self._end(expected)
        return Migrated(expected, resumed)

    def _begin(self) -> int:
        """Prepares the target; returns how many rows an earlier run has copied."""
        identity = _identity(self._source)
        self._target.reach_event(last_event(self._source))
        with self._target.set_up(), self._target.write(foreign_keys=False, pauses=True) as connection:
            if inspect(connection).has_table(MIGRATION_STATE):
                known = select(_state.c.last).where(_state.c.name == _SOURCE)
                if connection.execute(known).scalar() != identity:
                    raise BackupError(
                        "The unfinished migration into this database is from another database, or the schema "
                        "of the source has changed since it began. Empty the target and begin again."
                    )
                found = connection.execute(select(_state.c.name, _state.c.rows))
                done: dict[str, int] = {row.name: row.rows for row in found}
                # A version without some of today's tables may have begun.
                self._begin_tables(connection, [each for each in self._tables if each.name not in done])
                return sum(done.values())
            require_empty(connection)
            _state.create(connection)
            own = [table for table in self._tables if table.is_own]
            clear_own_tables(connection, own)
            for indexed in _INDEXED:
                drop_indexes(connection, indexed)
            for table in self._objects:
                create_object_table(connection, table.table)
            connection.execute(insert(_state).values(name=_SOURCE, last=identity, rows=0))
            self._begin_tables(connection, self._tables)
        return 0

    def _begin_tables(self, connection: Connection, tables: Sequence[StoredTable]) -> None:
        for table in tables:
            connection.execute(insert(_state).values(name=table.name, last=None, rows=0))

    def _copy(self, table: StoredTable) -> None:
        with self._target.read() as connection:
            chosen = select(_state.c.last, _state.c.rows).where(_state.c.name == table.name)
            last, done = connection.execute(chosen).one()
        total = table.count(self._source)
        after: list[Any] | None = None if last is None else msgspec.json.decode(last)
        for rows in table.read(self._source, after):
            with self._target.write(foreign_keys=False, pauses=True) as connection:
                insert_stored(connection, table, rows)
                self._note(connection, table, after, table.key_of(rows[-1]), done + len(rows))
            after, done = table.key_of(rows[-1]), done + len(rows)
            self._progress(table.name, done, total)

    def _note(
        self,
        connection: Connection,
        table: StoredTable,
        before: list[Any] | None,
        last: list[Any] | None,
        rows: int,
    ) -> None:
        """Stores how far a table is. Raises BackupError if another run has filled it meanwhile."""
        stored, expected = (
            None if key is None else msgspec.json.encode(key).decode() for key in (last, before)
        )
        change = update(_state).where(
            _state.c.name == table.name, _state.c.last.is_not_distinct_from(expected)
        )
        if connection.execute(change.values(last=stored, rows=rows)).rowcount != 1:
            raise BackupError("Another migration into the same database is running.")

    def _copy_changed_again(self, expected: Mapping[str, Summary]) -> None:
        """Copies tables anew that have changed in the source since the earlier run."""
        for table in self._tables:
            with self._target.snapshot() as connection:
                found = table.summary(connection)
            if found == expected[table.name]:
                continue
            with self._target.write(foreign_keys=False, pauses=True) as connection:
                chosen = select(_state.c.last).where(_state.c.name == table.name)
                last = connection.execute(chosen).scalar()
                before = None if last is None else msgspec.json.decode(last)
                connection.execute(table.table.delete())
                self._note(connection, table, before, None, 0)
            self._copy(table)

    def _end(self, expected: Mapping[str, Summary]) -> None:
        """Verifies the copy and removes the mark of the unfinished migration, in one transaction."""
        by_name = {table.name: table for table in self._tables}
        with self._target.write(foreign_keys=False, pauses=True) as connection:
            for indexed in _INDEXED:
                for index in missing_indexes(connection, indexed):
                    index.create(connection)
            finish_object_tables(connection, self._objects)
            set_sequences(connection, self._tables)
            update_statistics(connection)
            require_equal(
                expected,
                lambda name: by_name[name].summary(connection, self._progress),
                "The target is not used by any server. Empty it and begin again.",
            )
            connection.execute(delete(_state))
            _state.drop(connection)


def _identity(source: Connection) -> str:
    """Distinguishes databases, and schemas of one database."""
    digest = hashlib.blake2b(digest_size=16)
    instance = select(configuration.c.value).where(configuration.c.name == "_instance")
    digest.update(str(source.execute(instance).scalar()).encode())
    committed = select(schema_version.c.version, schema_version.c.document).where(
        schema_version.c.committed_at.is_not(None)
    )
    for version, document in source.execute(committed.order_by(schema_version.c.version)):
        digest.update(f"{version} {document}".encode())
    return digest.hexdigest()
