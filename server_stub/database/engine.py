"""Opens a database and provides read and write transactions."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, inspect, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError

from server_stub.database import sqlite
from server_stub.database.bulk import missing_indexes
from server_stub.database.reader import ThreadReaders
from server_stub.database.tables import counter, event, metadata, session

_BACKENDS = ("sqlite", "postgresql")


class DatabaseUnusableError(Exception):
    """The database cannot be opened, read or written; the message is for the administrator."""


class WrongDatabaseError(DatabaseUnusableError):
    """The address is wrong: it does not name a database that the server supports."""


class Database:
    """Transactions on one database: many readers, one writer at a time in this process."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writer = threading.Lock()
        self._readers = ThreadReaders(
            engine, sqlite.data_version if engine.dialect.name == "sqlite" else None
        )
        # Like `read`, for statements that run often and are compiled once; not reentrant within a thread.
        self.reader = self._readers.reader
        # A context in which every `reader` of this thread shares one transaction.
        self.shared_snapshot = self._readers.shared_snapshot

    @property
    def version(self) -> str:
        """Name and version of the database: `sqlite 3.45.1`."""
        dialect = self.engine.dialect
        return " ".join((dialect.name, ".".join(str(part) for part in dialect.server_version_info or ())))

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection with one consistent view of the data."""
        with self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self, *, foreign_keys: bool = True) -> Iterator[Connection]:
        """One transaction, committed at the end of the block, rolled back on any exception.

        `foreign_keys=False` turns enforcement off to rebuild tables; the block must check the links itself.
        """
        with self._writer, self.engine.connect() as connection:
            if self.engine.dialect.name == "sqlite":
                with sqlite.writing(connection, foreign_keys=foreign_keys):
                    yield connection
            else:
                with connection.begin():
                    yield connection

    @contextmanager
    def filling(self) -> Iterator[None]:
        """Makes writing as fast as possible until the end of the block, at the expense of durability.

        Nothing else in this process may use the database until then. A killed process loses no committed
        transaction, but a power failure may corrupt the file, so use it only for a temporary file.
        """
        self.close()
        with sqlite.filling(self.engine) if self.engine.dialect.name == "sqlite" else nullcontext():
            try:
                yield
            finally:
                self._readers.close()

    def close(self) -> None:
        """Closes all connections."""
        self._readers.close()
        self.engine.dispose()


def check_address(url: str) -> None:
    """Raises WrongDatabaseError if the address does not name a supported database."""
    address = _address(url)
    if address.get_backend_name() == "sqlite":
        _check_file(address)
        return
    try:
        if address.get_backend_name() not in _BACKENDS:
            raise WrongDatabaseError(
                f"The server keeps its data in SQLite or PostgreSQL, not in {address.get_backend_name()!r}."
            )
        address.get_dialect().import_dbapi()
    except (NoSuchModuleError, ImportError) as error:
        raise WrongDatabaseError(f"The driver of the database is not installed: {error}.") from error


def is_sqlite(url: str) -> bool:
    """Whether the URL names an SQLite file. Raises WrongDatabaseError."""
    return _address(url).get_backend_name() == "sqlite"


def _address(url: str) -> URL:
    try:
        return make_url(url) if "://" in url else make_url("sqlite://").set(database=url)
    except (ArgumentError, ValueError):
        raise WrongDatabaseError(
            "The address of the database cannot be read: give the path of a file, or an address such as "
            "sqlite:////var/lib/cdb.sqlite or postgresql+psycopg://user@host/name."
        ) from None


def _check_file(address: URL) -> None:
    name = address.database or ":memory:"
    if address.drivername not in ("sqlite", "sqlite+pysqlite"):
        raise WrongDatabaseError(f"The server opens SQLite files with sqlite:///, not {address.drivername}.")
    if name.startswith((":memory:", "file:")):
        raise WrongDatabaseError(
            "The database must be a file, such as sqlite:///cdb.sqlite: each thread of the server would have "
            "another one in memory."
        )
    if Path(name).is_dir():
        raise WrongDatabaseError(f"{name} is a folder: name a file in it.")


def open_database(url: str) -> Database:
    """Opens the database at a URL or, without a scheme, in an SQLite file, and creates missing tables.

    Raises DatabaseUnusableError, whose message names the database and the reason.
    """
    check_address(url)
    address = _address(url)
    try:
        engine = (
            sqlite.engine(address)
            if address.get_backend_name() == "sqlite"
            else create_engine(address, hide_parameters=True)
        )
        shown = engine.url.render_as_string(hide_password=True)
    except (ArgumentError, TypeError, ValueError) as error:
        raise WrongDatabaseError(f"This is no database address that the server knows: {error}.") from error
    except OSError as error:
        raise DatabaseUnusableError(f"The file of the database cannot be made: {error}.") from error
    database = Database(engine)
    try:
        _create_tables(database)
    except DatabaseUnusableError:
        engine.dispose()
        raise
    except (DatabaseError, OSError) as error:
        engine.dispose()
        reason = getattr(error, "orig", None) or error
        raise DatabaseUnusableError(f"The database {shown} cannot be used: {reason}.") from error
    return database


def _create_tables(database: Database) -> None:
    with database.write() as connection:
        tables = inspect(connection).get_table_names()
        if tables and counter.name not in tables:
            # A mistyped path may name another program's file, which must not be changed.
            raise DatabaseUnusableError(
                "The database holds tables of another program. Choose a new or empty one."
            )
        metadata.create_all(connection)
        # An interrupted filling or an older version may have left a file without some of the indexes.
        for index in (*missing_indexes(connection, event), *missing_indexes(connection, session)):
            index.create(connection)
        if connection.execute(counter.select()).first() is None:
            connection.execute(counter.insert().values(name="event", value=0))
