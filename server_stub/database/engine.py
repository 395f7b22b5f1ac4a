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
    """The database cannot be opened, read or written; the message is for whoever starts the server."""


class WrongDatabaseError(DatabaseUnusableError):
    """The address is no database that the server can work with: the argument is wrong."""


class Database:
    """Transactions on one database: many readers, one writer at a time in this process."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writer = threading.Lock()
        self._readers = ThreadReaders(
            engine, sqlite.data_version if engine.dialect.name == "sqlite" else None
        )
        # `read` for statements that are made once and read often; not to be opened twice in a thread.
        self.reading = self._readers.one
        # Every `reading` of this thread until its end shares one view of the data, and its cost.
        self.shared_snapshot = self._readers.view

    @property
    def version(self) -> str:
        """Which database this is: `sqlite 3.45.1`."""
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

        `foreign_keys=False` puts off enforcement where tables are rebuilt; the block checks them itself.
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
        """Until the end of the block, writing costs as little as it can; for a file with nothing to lose.

        Nobody else in this process may use it until then. A killed process loses no transaction; a computer
        that fails may leave a file that cannot be used, so it is for one in no place of its own yet.
        """
        self.close()
        with sqlite.filling(self.engine) if self.engine.dialect.name == "sqlite" else nullcontext():
            try:
                yield
            finally:
                self._readers.close()

    def close(self) -> None:
        """Gives every connection back."""
        self._readers.close()
        self.engine.dispose()


def check_address(url: str) -> None:
    """Raises WrongDatabaseError with a sentence where no database can be at this address."""
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
    """Whether a database is an SQLite file. Raises WrongDatabaseError."""
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
    """Opens (and where new, lays out) the database at a URL or, without a scheme, in an SQLite file.

    Raises DatabaseUnusableError with a sentence that names the place and the reason.
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
        _lay_out(database)
    except DatabaseUnusableError:
        engine.dispose()
        raise
    except (DatabaseError, OSError) as error:
        engine.dispose()
        reason = getattr(error, "orig", None) or error
        raise DatabaseUnusableError(f"The database {shown} cannot be used: {reason}.") from error
    return database


def _lay_out(database: Database) -> None:
    with database.write() as connection:
        tables = inspect(connection).get_table_names()
        if tables and counter.name not in tables:
            # A mistyped path may name another program's file; its content is nobody's to add to.
            raise DatabaseUnusableError(
                "The database holds tables of another program. Choose a new or empty one."
            )
        metadata.create_all(connection)
        # An interrupted filling leaves some of them out, an older file does not have all.
        for index in (*missing_indexes(connection, event), *missing_indexes(connection, session)):
            index.create(connection)
        if connection.execute(counter.select()).first() is None:
            connection.execute(counter.insert().values(name="event", value=0))
