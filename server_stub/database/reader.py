"""Fast reads: statements compiled once and run at the speed of the driver, a connection for each thread.

SQLAlchemy compiles them and knows the dialect; its connections, transactions and results would cost ten times
what the database needs for a short answer.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import namedtuple
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import BindParameter, Connection, Dialect, Engine, Select
from sqlalchemy.exc import OperationalError
from sqlalchemy.sql.visitors import iterate

# Returns another value after every change of the data by another connection, None if that is not known.
StateOf = Callable[[Any], object]
_MAX_KEPT = 1000


class _Prepared(msgspec.Struct, frozen=True):
    """The SQL of a statement; `names` of its parameters in their order, None where the driver takes names."""

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

    `kept` is for what was made of the data and may be asked for again: none of it outlives a change of the
    data by anybody.
    """

    def __init__(self, driver: Any, dialect: Dialect) -> None:
        self._driver = driver
        self._dialect = dialect
        self.kept: dict[Hashable, Any] = {}

    @classmethod
    def inside(cls, connection: Connection) -> Reader:
        """A reader that sees what the transaction of a connection has written."""
        return cls(connection.connection.dbapi_connection, connection.dialect)

    def first(self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object]) -> Any:
        """The first row as a named tuple, None when there is none."""
        prepared = _prepared(statement, self._dialect)
        found = self._fetch_one(prepared, values)
        return None if found is None else prepared.row._make(found)

    def scalar(self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object]) -> Any:
        """The first value of the first row, None when there is none."""
        found = self._fetch_one(_prepared(statement, self._dialect), values)
        return None if found is None else found[0]

    def limited(self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object], most: int) -> Any:
        """The first value of the first row; raises TooLongError where it is longer than ``most`` bytes.

        The database stops there itself, so that a long value takes no memory. Databases other than SQLite
        have no such limit: there the error is raised at once.
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

    def batches(
        self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object], size: int
    ) -> Iterator[list[Any]]:
        """All rows as plain tuples, ``size`` of them at a time; only these are in memory."""
        prepared = _prepared(statement, self._dialect)
        try:
            cursor = self._driver.execute(prepared.sql, prepared.arguments(values))
            while rows := cursor.fetchmany(size):
                yield rows
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
    """A value is too long to be read at once."""


class _ThreadReader:
    """The reads of one thread; made once, since it is entered several times in each call."""

    __slots__ = ("_driver", "_is_open", "_reader", "_state", "_state_of", "is_held")

    def __init__(self, driver: Any, dialect: Dialect, state_of: StateOf | None) -> None:
        self._driver = driver
        self._reader = Reader(driver, dialect)
        self._is_open = False
        self._state_of = state_of
        self._state: object = None
        self.is_held = False  # The transaction is to stay.

    def __enter__(self) -> Reader:
        if not self._is_open:
            self._driver.execute("BEGIN")
            self._is_open = True
            self._forget()
        return self._reader

    def _forget(self) -> None:
        """Empties `kept` if the data may have changed."""
        kept = self._reader.kept
        state = self._state_of(self._driver) if self._state_of else None
        if state is None or state != self._state or len(kept) > _MAX_KEPT:
            kept.clear()
            self._state = state

    def __exit__(self, *_: object) -> None:
        if self._is_open and not self.is_held:
            self._is_open = False
            self._driver.rollback()


class _Snapshot:
    """Holds all reads of a thread in one transaction, which begins with the first of them."""

    __slots__ = ("_reading",)

    def __init__(self, reading: _ThreadReader) -> None:
        self._reading = reading

    def __enter__(self) -> None:
        self._reading.is_held = True

    def __exit__(self, *_: object) -> None:
        self._reading.is_held = False
        self._reading.__exit__()


class ThreadReaders:
    """A driver connection for each thread that reads, out of the engine's pool."""

    def __init__(self, engine: Engine, state_of: StateOf | None) -> None:
        self._engine = engine
        self._state_of = state_of
        self._own = threading.local()
        self._drivers: list[Any] = []
        self._lock = threading.Lock()

    def one(self) -> _ThreadReader:
        """Returns this thread's reader, with one consistent view of the data. Raises OperationalError."""
        try:
            reading: _ThreadReader = self._own.reading
        except AttributeError:
            reading = self._own.reading = self._open()
        return reading

    def view(self) -> AbstractContextManager[None]:
        """Returns a context in which all reads of this thread see the data as they are at the first one."""
        try:
            return _Snapshot(self.one())
        except OperationalError:
            return nullcontext()  # The first reading in it fails likewise, where that can be answered.

    def close(self) -> None:
        """Closes all connections; nobody may be reading."""
        with self._lock:
            while self._drivers:
                self._drivers.pop().close()
        self._own = threading.local()

    def _open(self) -> _ThreadReader:
        try:
            fairy = self._engine.raw_connection()
        except self._engine.dialect.loaded_dbapi.Error as error:
            raise to_sqlalchemy_error(error) from error
        fairy.detach()
        driver = fairy.dbapi_connection
        with self._lock:
            self._drivers.append(driver)
        return _ThreadReader(driver, self._engine.dialect, self._state_of)
