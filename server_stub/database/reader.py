"""Fast reads: statements compiled once and run directly by the driver, with one connection for each thread.

SQLAlchemy compiles the statements for the dialect. Its connections, transactions and results are not used:
they would take ten times as long as the database needs for a short result.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import namedtuple
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import lru_cache
from itertools import islice
from queue import Empty, LifoQueue
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import BindParameter, Connection, Dialect, Engine, Select
from sqlalchemy.exc import OperationalError
from sqlalchemy.sql.visitors import iterate

# Returns a different value after every change of the data by another connection, None if this is unknown.
StateOf = Callable[[Any], object]
_MAX_CACHED = 1000
# How long a thread waits for others that read.
_WAIT_SECONDS = 30
# Each begins a transaction in which all statements see the same data.
_BEGIN = {"sqlite": "BEGIN", "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}
# Reads never wait for the server's own writers, and no longer than this for what another program has locked.
# To compile a page (jit) takes PostgreSQL twenty times as long as to read it.
_SETTINGS = {"postgresql": "SET lock_timeout = '10s'; SET statement_timeout = '60s'; SET jit = off"}


class _Prepared(msgspec.Struct, frozen=True):
    """A compiled statement; `names` lists positional parameters, None if the driver takes named ones."""

    sql: str
    constants: Mapping[str, object]
    names: tuple[str, ...] | None
    row: Any

    def arguments(self, values: Mapping[str, object]) -> Any:
        given = {**self.constants, **values}
        return given if self.names is None else tuple(map(given.__getitem__, self.names))


@lru_cache(maxsize=256)
def _prepared(statement: Select[*tuple[Any, ...]], dialect: Dialect) -> _Prepared:
    left_open = {part.key for part in iterate(statement) if isinstance(part, BindParameter) and part.required}
    state = statement.compile(dialect=dialect).construct_expanded_state(dict.fromkeys(left_open))
    constants = {name: value for name, value in state.parameters.items() if name not in left_open}
    names = tuple(state.positiontup) if state.positiontup is not None else None
    row = namedtuple("Row", statement.selected_columns.keys(), rename=True)  # type: ignore[misc]  # noqa: PYI024
    return _Prepared(state.statement, constants, names, row)


class Reader:
    """Reads through one driver connection.

    `cache` holds values derived from the data; it is emptied when any connection has changed the data.
    """

    def __init__(self, driver: Any, dialect: Dialect) -> None:
        self._driver = driver
        self._dialect = dialect
        self.cache: dict[Hashable, Any] = {}

    @classmethod
    def inside(cls, connection: Connection) -> Reader:
        """A reader inside the transaction of a connection, including its uncommitted changes."""
        return cls(connection.connection.dbapi_connection, connection.dialect)

    def first(self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object]) -> Any:
        """The first row as a named tuple, or None if there are no rows."""
        prepared = _prepared(statement, self._dialect)
        found = self._fetch_one(prepared, values)
        return None if found is None else prepared.row._make(found)

    def scalar(self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object]) -> Any:
        """The first value of the first row, or None if there are no rows."""
        found = self._fetch_one(_prepared(statement, self._dialect), values)
        return None if found is None else found[0]

    def limited(self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object], most: int) -> Any:
        """The first value of the first row; raises TooLongError if it is longer than ``most`` bytes.

        The database enforces the limit, so that a long value takes no memory. Databases other than SQLite
        have no such limit; the error is then raised immediately.
        """
        if self._dialect.name != "sqlite":
            raise TooLongError
        before = self._driver.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, most)
        try:
            return self.scalar(statement, values)
        except OperationalError as error:
            if getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_TOOBIG:
                raise TooLongError from None
            raise
        finally:
            self._driver.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, before)

    def expected(self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object]) -> int | None:
        """How many rows PostgreSQL expects, without reading any; SQLite does not tell."""
        if self._dialect.name == "sqlite":
            return None
        prepared = _prepared(statement, self._dialect)
        explained = self._fetch_one(replace(prepared, sql=f"EXPLAIN (FORMAT JSON) {prepared.sql}"), values)
        return int(explained[0][0]["Plan"]["Plan Rows"])

    def batches(
        self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object], size: int
    ) -> Iterator[list[Any]]:
        """All rows as plain tuples, in batches of ``size``; only one batch is in memory."""
        prepared = _prepared(statement, self._dialect)
        run = prepared.sql, prepared.arguments(values)
        try:
            if self._dialect.name == "sqlite":
                rows = self._driver.execute(*run)
            else:
                rows = self._driver.cursor().stream(*run, size=size)
            while batch := [*islice(rows, size)]:
                yield batch
        except self._dialect.loaded_dbapi.Error as error:
            raise to_sqlalchemy_error(error) from error

    def all(self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object]) -> list[Any]:
        """All rows as plain tuples."""
        prepared = _prepared(statement, self._dialect)
        try:
            rows: list[Any] = self._driver.execute(prepared.sql, prepared.arguments(values)).fetchall()
        except self._dialect.loaded_dbapi.Error as error:
            raise to_sqlalchemy_error(error) from error
        return rows

    def _fetch_one(self, prepared: _Prepared, values: Mapping[str, object]) -> Any:
        try:
            cursor = self._driver.execute(prepared.sql, prepared.arguments(values))
            found = cursor.fetchone()
            cursor.close()
        except self._dialect.loaded_dbapi.Error as error:
            raise to_sqlalchemy_error(error) from error
        return found


def to_sqlalchemy_error(error: Exception) -> OperationalError:
    """Wraps an error of the driver as SQLAlchemy does."""
    return OperationalError(None, None, error)


class TooLongError(Exception):
    """A value is too long to be read in one piece."""


class _ThreadReader:
    """The context manager of one thread's reader; reused, since each call enters it several times."""

    __slots__ = (
        "_begin",
        "_connect",
        "_dialect",
        "_driver",
        "_is_open",
        "_reader",
        "_state",
        "_state_of",
        "is_held",
    )

    def __init__(self, connect: Callable[[Any], Any], dialect: Dialect, state_of: StateOf | None) -> None:
        self._connect = connect
        self._dialect = dialect
        self._begin = _BEGIN[dialect.name]
        self._is_open = False
        self._state_of = state_of
        self._state: object = None
        self.is_held = False  # The transaction stays open when the block ends.
        self._use(connect(None))

    def _use(self, driver: Any) -> None:
        self._driver = driver
        self._reader = Reader(driver, self._dialect)

    @property
    def single(self) -> Reader:
        """The reader outside of a transaction: each statement is one of its own. It does not reconnect."""
        return self._reader

    def __enter__(self) -> Reader:
        if not self._is_open:
            try:
                self._driver.execute(self._begin)
            except self._dialect.loaded_dbapi.Error as error:
                self._begin_anew(error)
            self._is_open = True
            self._expire()
        return self._reader

    def _begin_anew(self, error: Exception) -> None:
        """Replaces a lost connection: nothing has been read in the transaction yet."""
        if not self._dialect.is_disconnect(error, self._driver, None):  # type: ignore[arg-type]
            raise to_sqlalchemy_error(error) from error
        self._use(self._connect(self._driver))
        try:
            self._driver.execute(self._begin)
        except self._dialect.loaded_dbapi.Error as again:
            raise to_sqlalchemy_error(again) from again

    def _expire(self) -> None:
        """Empties the cache if the data may have changed."""
        cache = self._reader.cache
        state = self._state_of(self._driver) if self._state_of else None
        if state is None or state != self._state or len(cache) > _MAX_CACHED:
            cache.clear()
            self._state = state

    def __exit__(self, *_: object) -> None:
        if self._is_open and not self.is_held:
            self._is_open = False
            # A lost connection has nothing to roll back; the next transaction replaces it.
            with suppress(self._dialect.loaded_dbapi.Error):
                self._driver.rollback()


class _SharedReader:
    """The context manager of a reader that many threads take turns with."""

    __slots__ = ("_readers", "_taken")

    def __init__(self, readers: ThreadReaders) -> None:
        self._readers = readers

    @property
    def single(self) -> _SharedReader:
        """Itself: each statement of it is one of its own."""
        return self

    def scalar(self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object]) -> Any:
        """The first value of the first row, or None if there are no rows."""
        taken = self._readers.take()
        try:
            return taken.single.scalar(statement, values)
        finally:
            self._readers.give_back(taken)

    def __enter__(self) -> Reader:
        self._taken = self._readers.take()
        try:
            return self._taken.__enter__()
        except BaseException:
            self._readers.give_back(self._taken)
            raise

    def __exit__(self, *_: object) -> None:
        self._taken.__exit__()
        self._readers.give_back(self._taken)


class _Snapshot:
    """Runs all reads of a thread in one transaction, which begins with the first of them."""

    __slots__ = ("_thread_reader",)

    def __init__(self, thread_reader: _ThreadReader) -> None:
        self._thread_reader = thread_reader

    def __enter__(self) -> None:
        self._thread_reader.is_held = True

    def __exit__(self, *_: object) -> None:
        self._thread_reader.is_held = False
        self._thread_reader.__exit__()


class ThreadReaders:
    """Connections for reading, taken from the engine's pool: one for each thread, or ``most`` in all."""

    def __init__(self, engine: Engine, state_of: StateOf | None, most: int | None = None) -> None:
        self._engine = engine
        self._state_of = state_of
        self._most = most
        self._free = self._none_made()
        self._own = threading.local()
        self._drivers: list[Any] = []
        self._lock = threading.Lock()

    def _none_made(self) -> LifoQueue[_ThreadReader | None]:
        free: LifoQueue[_ThreadReader | None] = LifoQueue()
        for _ in range(self._most or 0):
            free.put(None)
        return free

    def take(self) -> _ThreadReader:
        """Waits for one of the readers that threads share. Raises OperationalError."""
        try:
            taken = self._free.get(timeout=_WAIT_SECONDS)
        except Empty as error:
            raise to_sqlalchemy_error(error) from error
        try:
            return taken or self._open()
        except BaseException:
            self._free.put(None)
            raise

    def give_back(self, taken: _ThreadReader) -> None:
        """Lets other threads have it."""
        self._free.put(taken)

    def reader(self) -> _ThreadReader | _SharedReader:
        """Returns a reader for this thread, with one consistent view of the data. Raises OperationalError."""
        if self._most is not None:
            return _SharedReader(self)
        return self._reader()

    def _reader(self) -> _ThreadReader:
        try:
            reader: _ThreadReader = self._own.reader
        except AttributeError:
            reader = self._own.reader = self._open()
        return reader

    def shared_snapshot(self) -> AbstractContextManager[None]:
        """Returns a context in which all reads of this thread see the data as of the first one."""
        if self._most is not None:
            return nullcontext()
        try:
            return _Snapshot(self._reader())
        except OperationalError:
            return nullcontext()  # The first read fails in the same way, where the error can be handled.

    def close(self) -> None:
        """Closes all connections; no thread may be reading."""
        with self._lock:
            while self._drivers:
                self._drivers.pop().close()
        self._own = threading.local()
        self._free = self._none_made()

    def _open(self) -> _ThreadReader:
        return _ThreadReader(self._connect, self._engine.dialect, self._state_of)

    def _connect(self, lost: Any) -> Any:
        """A new connection of the driver, which leaves transactions to the reader; closes a ``lost`` one."""
        if lost is not None:
            with self._lock, suppress(ValueError):
                self._drivers.remove(lost)
            lost.close()
        try:
            fairy = self._engine.raw_connection()
            fairy.detach()
            driver: Any = fairy.dbapi_connection
            self._engine.dialect.set_isolation_level(driver, "AUTOCOMMIT")
            setting = _SETTINGS.get(self._engine.dialect.name)
            # A pooler would give the connection with its settings to others.
            if setting is not None and driver.prepare_threshold is not None:
                driver.execute(setting)
        except self._engine.dialect.loaded_dbapi.Error as error:
            raise to_sqlalchemy_error(error) from error
        with self._lock:
            self._drivers.append(driver)
        return driver
