"""Backups: files of tables without indexes in SQLite's format, which are restored into either database.

A backup is read in one transaction, so that it holds the database as of one moment while servers run on it.
The manifest in the file has the number of rows and the checksum of every table.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from sqlalchemy import Column, Connection, MetaData, Table, Text, create_engine, insert, inspect
from sqlalchemy.exc import DatabaseError
from sqlalchemy.schema import CreateTable

from server_stub.backup.contents import (
    END_SESSIONS,
    BackupError,
    Checksum,
    Progress,
    StoredTable,
    Summary,
    clear_own_tables,
    create_object_table,
    finish_object_tables,
    insert_stored,
    last_event,
    own_tables,
    require_contents,
    require_empty,
    require_equal,
    set_sequences,
    stored_tables,
    update_statistics,
)
from server_stub.database import Database, DatabaseUnusableError, WriteLock, new_file, open_database
from server_stub.database.bulk import drop_indexes, missing_indexes
from server_stub.database.tables import BACKUP_MANIFEST, event, session

_FORMAT = 1
_manifest = Table(BACKUP_MANIFEST, MetaData(), Column("manifest", Text, nullable=False))
# Their indexes take longer to update with each row than to make afterwards.
_INDEXED = (event, session)


class Manifest(msgspec.Struct, frozen=True):
    """What a backup holds; `created` is in epoch seconds."""

    created: int
    tables: dict[str, Summary]
    format: int = _FORMAT


def create_backup(
    database: Database, file: Path, created: int, progress: Progress, *, replaces: bool = False
) -> Manifest:
    """Writes a backup, which replaces an existing file only if `replaces` is true.

    The file has its name only when it is complete and verified. Raises BackupError, DatabaseUnusableError.
    """
    if file.is_dir():
        raise BackupError(f"{file} is a folder: name a file in it.")
    with new_file(f"sqlite:///{file.absolute()}", replaces=replaces) as temporary:
        if temporary is None:
            raise BackupError(f"There is a file {file} already. Choose another name, or give --force.")
        with database.snapshot() as source:
            require_contents(source)
            manifest = _write(source, Path(temporary), created, progress)
        with _opened(Path(temporary)) as copy:
            _verify(copy, manifest, f"The backup was not written to {file}; check the disk.")
    return manifest


def _write(source: Connection, file: Path, created: int, progress: Progress) -> Manifest:
    engine = create_engine(f"sqlite:///{file}")
    os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    summaries = {}
    try:
        with engine.connect() as connection:
            # Nothing reads the file before it is complete and on the disk.
            for setting in ("PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF", "PRAGMA cache_size=-65536"):
                connection.exec_driver_sql(setting)
            for table in stored_tables(source):
                connection.execute(CreateTable(table.table))
                summaries[table.name] = _copy(source, connection, table, progress)
            manifest = Manifest(created, summaries)
            connection.execute(CreateTable(_manifest))
            connection.execute(insert(_manifest).values(manifest=msgspec.json.encode(manifest).decode()))
            connection.commit()
    except DatabaseError as error:
        raise BackupError(f"The backup cannot be written or the database not read: {error.orig}.") from error
    finally:
        engine.dispose()
    return manifest


def _copy(source: Connection, target: Connection, table: StoredTable, progress: Progress) -> Summary:
    checksum, total = Checksum(), table.count(source)
    for rows in table.read(source):
        checksum.add(rows)
        insert_stored(target, table, rows)
        progress(table.name, checksum.rows, total)
    return checksum.summary


@contextmanager
def _opened(file: Path) -> Iterator[Connection]:
    """A backup, opened for reading only, also on a medium that cannot be written."""
    engine = create_engine(f"sqlite:///file:{file.absolute()}?mode=ro&uri=true")
    try:
        with engine.connect() as connection:
            yield connection
    except DatabaseError as error:
        raise BackupError(f"{file} cannot be read: {error.orig}.") from error
    finally:
        engine.dispose()


def read_manifest(file: Path) -> Manifest:
    """The manifest of a backup. Raises BackupError if the file is none."""
    if not file.is_file():
        raise BackupError(f"There is no file {file}.")
    with _opened(file) as connection:
        return _manifest_of(connection, file)


def _manifest_of(connection: Connection, file: Path) -> Manifest:
    if not inspect(connection).has_table(BACKUP_MANIFEST):
        raise BackupError(
            f"{file} is no backup. If it is a database, copy it with migrate --from {file} --to URL."
        )
    text = connection.execute(_manifest.select()).scalar_one()
    try:
        manifest = msgspec.json.decode(text, type=Manifest)
    except msgspec.DecodeError as error:
        raise BackupError(f"The manifest of the backup {file} cannot be read: {error}.") from error
    if manifest.format != _FORMAT:
        raise BackupError(
            f"The backup {file} has the format {manifest.format}, which this version cannot read."
        )
    return manifest


def _verify(connection: Connection, manifest: Manifest, remedy: str) -> None:
    tables = {table.name: table for table in stored_tables(connection)}
    if unknown := sorted(set(manifest.tables) - set(tables)):
        raise BackupError(f"The backup holds tables that this version does not know: {', '.join(unknown)}.")
    require_equal(manifest.tables, lambda name: tables[name].summary(connection), remedy)


def restore_backup(file: Path, url: str, progress: Progress) -> Manifest:
    """Fills an empty database from a backup; if anything fails, the database is as it was before.

    Raises BackupError, DatabaseUnusableError.
    """
    manifest = read_manifest(file)
    with new_file(url) as temporary, _opened(file) as source:
        _verify(source, manifest, "The backup is damaged.")
        database = open_database(temporary or url)
        try:
            if temporary is None:
                _restore(source, database, manifest, progress)
            else:
                with database.filling():
                    _restore(source, database, manifest, progress)
        except DatabaseError as error:
            raise DatabaseUnusableError(f"The database cannot be filled: {error.orig}.") from error
        finally:
            database.close()
    return manifest


def _restore(source: Connection, database: Database, manifest: Manifest, progress: Progress) -> None:
    database.reach_event(last_event(source))
    # A single transaction, in which the copy is also verified.
    with database.set_up(), database.write(WriteLock.SCHEMA, foreign_keys=False, pauses=True) as target:
        require_empty(target)
        own = own_tables()
        clear_own_tables(target, own)
        for indexed in _INDEXED:
            drop_indexes(target, indexed)
        tables = [table for table in stored_tables(source) if table.name in manifest.tables]
        for table in tables:
            if not table.is_own:
                create_object_table(target, table.table)
        for table in tables:
            _copy(source, target, table, progress)
        finish_object_tables(target, [table for table in tables if not table.is_own])
        for indexed in _INDEXED:
            for index in missing_indexes(target, indexed):
                index.create(target)
        set_sequences(target, tables)
        update_statistics(target)
        by_name = {table.name: table for table in tables}
        require_equal(
            manifest.tables,
            lambda name: by_name[name].summary(target),
            "The database was left empty.",
        )
        for statement in END_SESSIONS:
            target.exec_driver_sql(statement)
