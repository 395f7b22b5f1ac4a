"""Opens a database and provides read and write transactions."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from enum import IntEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from sqlite3 import SQLITE_CANTOPEN
from typing import TypeVar

from sqlalchemy import URL, Connection, Engine, func, inspect, literal, make_url, select
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from server_stub.database import postgresql, sqlite
from server_stub.database.bulk import create_index, missing_indexes
from server_stub.database.liveness import Liveness
from server_stub.database.postgresql import (
    PARTITION_EVENTS,
    USUAL_BUDGET,
    Budget,
    EventPartitions,
    NoStandbyError,
    Partition,
    Patience,
    Standbys,
    WrongStandbyError,
    convert,
)
from server_stub.database.reader import Reader, ThreadReaders
from server_stub.database.sqlite import (
    READ_ONLY,
    DiskSpace,
    private_file,
    private_folder,
    release_reserve,
    remove_file,
    rename_durably,
    write_obstacle,
)
from server_stub.database.tables import (
    BACKUP_MANIFEST,
    MIGRATION_STATE,
    counter,
    event,
    metadata,
    session,
)

log = logging.getLogger(__name__)

# In place of the addresses of standbys.
FIND_STANDBYS = "auto"
_MAY_BE_DONE = "whether the transaction was committed is unknown"
StandbysOf = Callable[[ThreadReaders], Standbys]
# Of how many rows the deletion of more is tried again, half as many, where the disk is full.
_LARGEST_PART = 1024
# How often a transaction is begun anew that the database undid because of other transactions.
_REPEATS = 3

_T = TypeVar("_T")


class WriteLock(IntEnum):
    """What only one transaction at a time may change, in all processes; the values are stored nowhere."""

    SETUP = 1
    SCHEMA = 2  # Versions of the schema, localized names, tables of objects
    ACCOUNTS = 3  # Users, groups, log-ins, base configuration
    PARTITIONS = 4
    DELETION = 5  # Of events: of two that match the same ones, the second must see what the first has left


class DatabaseUnusableError(Exception):
    """The database cannot be opened, read or written; the message is for the administrator."""


class WrongDatabaseError(DatabaseUnusableError):
    """The address is wrong: it does not name a database that the server supports."""


class Database:
    """Transactions on one database: many readers; one writer at a time where this is SQLite."""

    def __init__(
        self,
        engine: Engine,
        partition_events: int = PARTITION_EVENTS,
        standbys: StandbysOf | None = None,
        obstacle: str | None = None,
        liveness: Liveness | None = None,
        readers: int | None = None,
    ) -> None:
        self.engine = engine
        self._liveness = liveness
        # Why nothing can be written, in words, if that was found when the database was opened.
        self.obstacle = obstacle
        self.is_sqlite = engine.dialect.name == "sqlite"
        self.disk_space = DiskSpace(engine) if self.is_sqlite and obstacle is None else None
        self._reading = engine if self.is_sqlite else postgresql.for_reading(engine)
        self._partitions = (
            None if self.is_sqlite else EventPartitions(engine, WriteLock.PARTITIONS, partition_events)
        )
        self._writer = threading.Lock()
        self._readers = ThreadReaders(engine, sqlite.data_version if self.is_sqlite else None, readers)
        self.standbys = standbys and standbys(self._readers)
        # Like `read`, for statements that run often and are compiled once; not reentrant within a thread.
        self.reader = self._readers.reader if self.standbys is None else self._reader
        # A context in which every `reader` of this thread shares one transaction.
        self.shared_snapshot = self._readers.shared_snapshot

    @property
    def version(self) -> str:
        """Name and version of the database: `sqlite 3.45.1`."""
        dialect = self.engine.dialect
        return " ".join((dialect.name, ".".join(str(part) for part in dialect.server_version_info or ())))

    @property
    def is_silent(self) -> bool:
        """Whether the database has stopped answering, as far as is known."""
        return self._liveness is not None and self._liveness.is_silent

    def answers(self, seconds: float) -> bool:
        """Whether the database answers within some seconds."""
        if self._liveness is not None:
            return self._liveness.answers(seconds)
        try:
            with self.read() as connection:
                connection.execute(select(literal(1)))
        except SQLAlchemyError:
            return False
        return True

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection with one consistent view of the data."""
        instead = self.standbys and self.standbys.instead
        with (instead.reading if instead else self._reading).connect() as connection:
            yield connection

    def _reader(self) -> AbstractContextManager[Reader]:
        instead = self.standbys and self.standbys.instead
        return (instead.readers if instead else self._readers).reader()

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection that sees the data as of its beginning until the end of the block, without locks."""
        if self.is_sqlite:
            with self.engine.connect() as connection:
                # The transaction of SQLite begins with its first read.
                connection.execute(select(func.count()).select_from(counter))
                yield connection
            return
        with self.read() as connection:
            yield connection

    def read_replicated(self, work: Callable[[Reader], _T]) -> _T:
        """Runs reads on a standby that has all that was committed before, otherwise on the database itself.

        They may be run twice, if the standby fails meanwhile.
        """
        if self.standbys is not None:
            with suppress(NoStandbyError):
                return self.standbys.read(work)
        with self.reader() as reader:
            return work(reader)

    @contextmanager
    def write(
        self, lock: WriteLock | None = None, *, foreign_keys: bool = True, pauses: bool = False
    ) -> Iterator[Connection]:
        """One transaction, committed at the end of the block, rolled back on any exception.

        Writers with the same ``lock`` wait for one another, whichever process they are in, and each sees what
        the previous one has written. In SQLite, all writers do. ``foreign_keys=False`` turns enforcement off
        to rebuild tables; the block must check the links itself.

        In PostgreSQL, a transaction that does nothing for some seconds is undone, for others may wait for it,
        unless it ``pauses``.
        """
        if self.is_sqlite:
            with (
                self._writer,
                self.engine.connect() as connection,
                sqlite.writing(connection, foreign_keys=foreign_keys),
            ):
                yield connection
            return
        takes_long = lock in {WriteLock.SCHEMA, WriteLock.DELETION}
        patience = Patience.COMPUTING if takes_long else Patience.BRIEF
        begun = self.engine.connect().execution_options(begin=Patience.LONG if pauses else patience)
        is_complete = False
        try:
            with begun as connection, connection.begin():
                if lock is not None:
                    postgresql.lock_transaction(connection, lock)
                yield connection
                is_complete = True
        except DBAPIError as error:
            if is_complete:
                error.add_note(_MAY_BE_DONE)
            raise

    @contextmanager
    def write_if_idle(self) -> Iterator[Connection | None]:
        """Like `write`, but yields None instead of waiting if SQLite has another writer, in any process."""
        if not self.is_sqlite:
            with self.write() as connection:
                yield connection
            return
        if not self._writer.acquire(blocking=False):
            yield None
            return
        try:
            with self.engine.connect() as connection, sqlite.writing_if_idle(connection) as is_writing:
                yield connection if is_writing else None
        finally:
            self._writer.release()

    def delete_in_parts(
        self, lock: WriteLock, most: int, delete_some: Callable[[Connection, int], int]
    ) -> int:
        """Deletes rows, at most so many; returns how many.

        `delete_some` deletes the next rows, at most so many. It gets them all in one transaction, or in as
        many as it takes where the disk is full: for deleting needs space, too.
        """
        deleted, part, space = 0, most, None
        try:
            while deleted < most:
                part = min(part, most - deleted)
                try:
                    with self.write(lock) as connection:
                        count = delete_some(connection, part)
                except DBAPIError as error:
                    space = self.disk_space
                    if space is None or part == 1 or not space.make_room(error, use_reserve=True):
                        raise
                    part = min(part, _LARGEST_PART) // 2
                    continue
                deleted += count
                if count < part:
                    break
                if space is not None:
                    # For the next part.
                    space.empty_log()
            return deleted
        finally:
            if space is not None:
                space.restore()

    @contextmanager
    def set_up(self) -> Iterator[None]:
        """Keeps other processes from preparing the same database until the end of the block."""
        with nullcontext() if self.is_sqlite else postgresql.exclusive(self.engine, WriteLock.SETUP):
            yield

    def create_tables(self, connection: Connection) -> None:
        """Creates the server's tables and indexes that are missing."""
        if not self.is_sqlite:
            convert(connection)
        metadata.create_all(connection)
        # An interrupted filling or an older version may have left a database without some of the indexes.
        missing = (*missing_indexes(connection, event), *missing_indexes(connection, session))
        if missing:
            log.warning("Missing or outdated indexes are built: about 10 seconds for each million events")
        for index in missing:
            create_index(connection, index)
        last = connection.execute(select(counter.c.value).where(counter.c.name == "event")).scalar()
        if last is None:
            connection.execute(counter.insert().values(name="event", value=0))
        if self._partitions is not None:
            self._partitions.set_up(connection, last or 0)

    def reach_event(self, last_id: int) -> None:
        """Prepares the event table for ids up to this one; called by the writer that takes them."""
        if self._partitions is not None:
            self._partitions.reach(last_id)

    def used_partitions(self, connection: Connection) -> list[Partition]:
        """The partitions of the event table that take no more events; none in SQLite."""
        return self._partitions.used(connection) if self._partitions else []

    def drop_partition(self, name: str) -> None:
        """Drops a partition with its events; nobody waits for that."""
        if self._partitions is not None:
            self._partitions.drop(name)

    def drop_detached_partitions(self) -> None:
        """Drops those whose dropping was interrupted."""
        if self._partitions is not None:
            self._partitions.drop_detached()

    @property
    def is_read_instead(self) -> bool:
        """Whether the reads of this thread go to a standby."""
        return self.standbys is not None and self.standbys.instead is not None

    @contextmanager
    def read_instead(self) -> Iterator[None]:
        """Lets all reads of this thread go to a standby instead of the database. Raises NoStandbyError."""
        if self.standbys is None:
            raise NoStandbyError
        with self.standbys.instead_of_primary():
            yield

    def hurried(self) -> AbstractContextManager[None]:
        """A context in which reads of this thread end early with an error where a standby can be read."""
        if self.standbys is None or self._liveness is None:
            return nullcontext()
        return self._liveness.hurried()

    def is_away(self, error: DBAPIError) -> bool:
        """Whether the error is that the database is not there, and nothing was changed before it was lost."""
        return (
            not self.is_sqlite
            and postgresql.is_lost(error)
            and _MAY_BE_DONE not in getattr(error, "__notes__", ())
        )

    def is_busy(self, error: SQLAlchemyError) -> bool:
        """Whether others kept the database from it for too long, and nothing was changed."""
        if not isinstance(error, DBAPIError):
            return isinstance(error, PoolTimeoutError)
        return sqlite.is_busy(error) if self.is_sqlite else postgresql.is_busy(error)

    def repeats(self, error: DBAPIError, *, only_reads: bool) -> int:
        """How often work that ended with an error may be repeated from its beginning.

        Not at all if its changes may have been committed before the connection was lost.
        """
        if self.is_sqlite:
            return 0
        if postgresql.is_rolled_back(error):
            return _REPEATS
        return int(only_reads and postgresql.is_lost(error))

    def risk_of_loss(self) -> str | None:
        """What of the acknowledged changes a failure loses, in words; None if nothing."""
        if self.is_sqlite:
            return None
        has_standbys = self.standbys is not None or len(postgresql.hosts(self.engine.url)) > 1
        with self.read() as connection:
            return postgresql.risk_of_loss(connection, has_standbys=has_standbys)

    def write_obstacle(self, error: DBAPIError, *, used_reserve: bool = False) -> str | None:
        """Why the database could not be written, in words; None if the error has another cause."""
        found = write_obstacle(error, used_reserve=used_reserve)
        return found and (self.obstacle or found)

    @contextmanager
    def filling(self) -> Iterator[None]:
        """Makes writing as fast as possible until the end of the block, at the expense of durability.

        Nothing else in this process may use the database until then. A killed process loses no committed
        transaction, but a power failure may corrupt the file, so use it only for a temporary file.
        """
        self.close()
        with sqlite.filling(self.engine) if self.is_sqlite else nullcontext():
            try:
                yield
            finally:
                self._readers.close()

    def close(self) -> None:
        """Closes all connections."""
        if self._liveness is not None:
            self._liveness.close()
        if self._partitions is not None:
            self._partitions.close()
        if self.standbys is not None:
            self.standbys.close()
        self._readers.close()
        self.engine.dispose()


_NO_REPLICAS = "Only a PostgreSQL database has replicas: hot standbys of it."


def check_replicas(url: str, replicas: Sequence[str]) -> None:
    """Raises WrongDatabaseError if the addresses cannot be those of a database and its standbys."""
    if replicas and _address(url).get_backend_name() != "postgresql":
        raise WrongDatabaseError(_NO_REPLICAS)
    if FIND_STANDBYS in replicas:
        if len(replicas) > 1 or len(postgresql.hosts(_address(url))) < 2:
            raise WrongDatabaseError(
                "--replica auto takes the standbys among the servers that the address of the database names: "
                "name them all, as in postgresql://user@/name?host=first:5432&host=second:5432, and no other "
                "--replica."
            )
        return
    for replica in replicas:
        check_address(replica)
        if _address(replica).get_backend_name() != "postgresql":
            raise WrongDatabaseError(_NO_REPLICAS)


def check_address(url: str) -> None:
    """Raises WrongDatabaseError if the address does not name a supported database."""
    address = _address(url)
    if address.get_backend_name() == "sqlite":
        _check_file(address)
        return
    if address.get_backend_name() != "postgresql":
        raise WrongDatabaseError(
            f"The server keeps its data in SQLite or PostgreSQL, not in {address.get_backend_name()!r}."
        )
    if address.drivername not in ("postgresql", postgresql.DRIVER):
        raise WrongDatabaseError(
            f"The server opens PostgreSQL with {postgresql.DRIVER}://, not with {address.drivername}://."
        )
    try:
        import_module("psycopg")
    except ImportError as error:
        raise WrongDatabaseError(
            "PostgreSQL needs the driver psycopg 3, which is not installed: install cdb-desktop[postgresql] "
            f"({error})."
        ) from error


def has_password(url: str) -> bool:
    """Whether the URL contains a password. Raises WrongDatabaseError."""
    address = _address(url)
    return bool(address.password) or "password" in address.query


def read_address(file: Path) -> str:
    """Returns the URL in a file. Raises WrongDatabaseError."""
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongDatabaseError(f"The address of the database cannot be read: {error}.") from None


def _address(url: str) -> URL:
    try:
        return make_url(url) if "://" in url else make_url("sqlite://").set(database=url)
    except (ArgumentError, ValueError):
        raise WrongDatabaseError(
            "The address of the database cannot be read: give the path of a file, or an address such as "
            "sqlite:////var/lib/cdb.sqlite or postgresql+psycopg://user@host/name."
        ) from None


def database_file(url: str) -> Path | None:
    """The file of an SQLite database, None for any other one. Raises WrongDatabaseError."""
    check_address(url)
    address = _address(url)
    return Path(str(address.database)) if address.get_backend_name() == "sqlite" else None


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


def open_database(
    url: str,
    replicas: Sequence[str] = (),
    *,
    partition_events: int = PARTITION_EVENTS,
    migrating: bool = False,
    processes: int = 1,
    budget: Budget = USUAL_BUDGET,
) -> Database:
    """Opens the database at a URL or, without a scheme, in an SQLite file, and creates missing tables.

    ``replicas`` are the addresses of standbys, for reads that may go to them, or FIND_STANDBYS. In
    PostgreSQL, each new partition of the event table takes ``partition_events`` ids. ``migrating`` allows the
    unfinished target of a migration. ``processes`` is how many share the connections that the server permits,
    of which this one takes at most its ``budget``.
    Raises DatabaseUnusableError, whose message names the database and the reason.
    """
    file = database_file(url)
    check_replicas(url, replicas)
    address = _address(url)
    try:
        database = _database(address, partition_events, replicas, budget)
        shown = database.engine.url.render_as_string(hide_password=True)
        identity = _inode(file)
    except (ArgumentError, TypeError, ValueError) as error:
        raise WrongDatabaseError(f"This is no database address that the server knows: {error}.") from error
    except OSError as error:
        raise DatabaseUnusableError(f"The file of the database cannot be made: {error}.") from error
    share = budget
    try:
        _create_tables(database, migrating=migrating)
        if database.standbys is not None:
            database.standbys.check()
        share = _share(database, processes, budget)
    except DatabaseUnusableError:
        database.close()
        raise
    except WrongStandbyError as error:
        database.close()
        raise WrongDatabaseError(str(error)) from error
    except (DatabaseError, OSError) as error:
        database.close()
        if _inode(file) == identity:
            if database.is_sqlite and (readable := _opened_for_reading(address, error)) is not None:
                return readable
            reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
            raise DatabaseUnusableError(f"The database {shown} cannot be used: {reason}.") from error
    # A snapshot may have replaced the file between its opening and the first lock on it.
    if _inode(file) == identity and share == budget:
        return database
    database.close()
    return open_database(
        url,
        replicas,
        partition_events=partition_events,
        migrating=migrating,
        processes=processes,
        budget=share,
    )


def _database(address: URL, partition_events: int, replicas: Sequence[str], budget: Budget) -> Database:
    if address.get_backend_name() == "sqlite":
        return Database(sqlite.engine(address))
    engine, liveness = postgresql.engine(address, budget.pool)
    are_found = FIND_STANDBYS in replicas
    addresses = postgresql.hosts(address) if are_found else [*map(_address, replicas)]
    standbys = partial(Standbys, addresses=addresses, liveness=liveness, are_found=are_found)
    return Database(
        engine, partition_events, standbys if replicas else None, liveness=liveness, readers=budget.readers
    )


def _share(database: Database, processes: int, budget: Budget) -> Budget:
    """How many connections a process may have. Raises DatabaseUnusableError if these are too few."""
    if database.is_sqlite:
        return budget
    with database.read() as connection:
        found = Budget.of(connection, processes)
    if found is None:
        raise DatabaseUnusableError(
            f"The database permits too few connections for {processes} processes: start fewer --workers, or "
            "raise max_connections or the CONNECTION LIMIT of the role or database."
        )
    return found


def _inode(file: Path | None) -> int | None:
    """What distinguishes a file from one that replaces it; None for no file."""
    try:
        return file.stat().st_ino if file else None
    except OSError:
        return None


def _create_tables(database: Database, *, migrating: bool) -> None:
    with database.set_up(), database.write(pauses=True) as connection:
        tables = inspect(connection).get_table_names()
        if tables and counter.name not in tables:
            # A mistyped path may name another program's file, which must not be changed.
            raise DatabaseUnusableError(
                "The database holds tables of another program. Choose a new or empty one."
            )
        _check_tables(tables, migrating=migrating)
        database.create_tables(connection)


def _check_tables(tables: list[str], *, migrating: bool) -> None:
    if BACKUP_MANIFEST in tables:
        raise DatabaseUnusableError(
            "This file is a backup. Make a database of it with cdb-server restore FILE --database URL."
        )
    if MIGRATION_STATE in tables and not migrating:
        raise DatabaseUnusableError(
            "A migration into this database has not ended. Run the same cdb-server migrate again: it "
            "continues."
        )


def _opened_for_reading(address: URL, error: Exception) -> Database | None:
    """A database of this server that can be read but not written; None if it cannot be read either."""
    # Without a place for its companion files, SQLite does not open a file at all.
    is_refused = getattr(getattr(error, "orig", None), "sqlite_errorcode", 0) & 0xFF == SQLITE_CANTOPEN
    obstacle = write_obstacle(error) or (READ_ONLY if is_refused else None)
    if obstacle is None:
        return None
    if obstacle != READ_ONLY and release_reserve(Path(address.database or "")):
        # A server that was killed has left its reserve.
        return open_database(address.render_as_string(hide_password=False))
    for immutable in (False, True):
        if immutable and sqlite.has_log(address):
            break
        engine = sqlite.reading_engine(address, immutable=immutable)
        try:
            with engine.connect() as connection:
                if connection.execute(counter.select()).first() is not None:
                    _check_tables(inspect(connection).get_table_names(), migrating=False)
                    reason = f"{obstacle} Start the server again when that has changed."
                    return Database(engine, obstacle=reason)
        except DatabaseError:
            pass
        engine.dispose()
    return None


# The timeout for another process that creates the same file, in seconds.
_TIMEOUT = 600


@contextmanager
def new_file(url: str, *, replaces: bool = False) -> Iterator[str | None]:
    """Yields the path of a file to fill, which must be closed at the end of the block.

    Yields None if the file exists already, unless the new one ``replaces`` it, and for any other database.
    Raises DatabaseUnusableError.
    """
    target = _target_of(url, replaces=replaces)
    if target is None:
        yield None
        return
    temporary = target.with_name(f"{target.name}.filling")
    with _exclusive(temporary):
        if target.exists() and not replaces:
            yield None
            return
        remove_file(temporary)
        try:
            yield str(temporary)
            _publish(temporary, target)
        finally:
            remove_file(temporary)


def _target_of(url: str, *, replaces: bool) -> Path | None:
    try:
        address = _address(url)
    except WrongDatabaseError:
        return None
    name = address.database
    if address.get_backend_name() != "sqlite" or address.query or not name or name.startswith((":", "file:")):
        return None
    target = Path(name)
    try:
        private_folder(target.parent)
        return None if target.exists() and not replaces else target
    except OSError:
        return None  # Opening the file raises the error.


@contextmanager
def _exclusive(temporary: Path) -> Iterator[None]:
    """Holds a lock against other processes that create the same file; it is released if this process ends."""
    file = temporary.with_name(f"{temporary.name}-lock")
    try:
        lock = _locked(file)
    except (sqlite3.Error, OSError) as error:
        raise DatabaseUnusableError(
            f"No file can be made in the folder {temporary.parent}: {error}."
        ) from error
    with closing(lock):
        try:
            yield
        finally:
            # Before the lock is released, so that the file cannot belong to another process. On Windows this
            # fails, which is harmless.
            with suppress(OSError):
                file.unlink()


def _locked(file: Path) -> sqlite3.Connection:
    while True:
        private_file(file)
        lock = sqlite3.connect(file, timeout=_TIMEOUT, isolation_level=None)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            lock.close()
            # Retries if the owner of the lock has removed the file, which SQLite reports in many ways.
            if file.exists() or error.sqlite_errorcode == sqlite3.SQLITE_CANTOPEN:
                raise
        else:
            return lock


def _publish(temporary: Path, target: Path) -> None:
    """Renames the file after all of it has been written to the disk."""
    if temporary.with_name(f"{temporary.name}-wal").exists():
        raise DatabaseUnusableError(f"Another program has {temporary} open, so it cannot become {target}.")
    with temporary.open("r+b") as file:
        os.fsync(file.fileno())
    rename_durably(temporary, target)
