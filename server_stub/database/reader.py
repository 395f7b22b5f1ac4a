"""Runs statements that are made once and read often, at the driver's own speed; knows no table.

SQLAlchemy compiles them and knows the dialect; its connections, transactions and results cost ten times what
the database needs for a short answer.
"""

from __future__ import annotations

import threading
from collections import namedtuple
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import BindParameter, Connection, Dialect, Engine, Select
from sqlalchemy.exc import OperationalError
from sqlalchemy.sql.visitors import iterate


class _Prepared(msgspec.Struct, frozen=True):
    """The SQL of a statement; `names` of its parameters in their order, None where the driver takes names."""

    sql: str
    constants: Mapping[str, object]
    names: tuple[str, ...] | None
    row: Any

    def arguments(self, values: Mapping[str, object]) -> Any:
        given = {**self.constants, **values}
        return given if self.names is None else [given[name] for name in self.names]


@lru_cache(maxsize=256)
def _prepared(statement: Select[*tuple[Any, ...]], dialect: Dialect) -> _Prepared:
    left_open = {part.key for part in iterate(statement) if isinstance(part, BindParameter) and part.required}
    state = statement.compile(dialect=dialect).construct_expanded_state(dict.fromkeys(left_open))
    constants = {name: value for name, value in state.parameters.items() if name not in left_open}
    names = tuple(state.positiontup) if state.positiontup is not None else None
    row = namedtuple("Row", statement.selected_columns.keys(), rename=True)  # type: ignore[misc]  # noqa: PYI024
    return _Prepared(state.statement, constants, names, row)


class Reader:
    """Reads through one driver connection."""

    def __init__(self, driver: Any, dialect: Dialect) -> None:
        self._driver = driver
        self._dialect = dialect

    @classmethod
    def inside(cls, connection: Connection) -> Reader:
        """A reader that sees what the transaction of a connection has written."""
        return cls(connection.connection.dbapi_connection, connection.dialect)

    def first(self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object]) -> Any:
        """The first row as a named tuple, None when there is none."""
        prepared = _prepared(statement, self._dialect)
        found = self._fetched(prepared, values)
        return None if found is None else prepared.row._make(found)

    def scalar(self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object]) -> Any:
        """The first value of the first row, None when there is none."""
        found = self._fetched(_prepared(statement, self._dialect), values)
        return None if found is None else found[0]

    def all(self, statement: Select[*tuple[Any, ...]], values: Mapping[str, object]) -> list[Any]:
        """All rows as plain tuples."""
        prepared = _prepared(statement, self._dialect)
        try:
            rows: list[Any] = self._driver.execute(prepared.sql, prepared.arguments(values)).fetchall()
        except self._dialect.loaded_dbapi.Error as error:
            raise _as_sqlalchemys(error) from error
        return rows

    def _fetched(self, prepared: _Prepared, values: Mapping[str, object]) -> Any:
        try:
            cursor = self._driver.execute(prepared.sql, prepared.arguments(values))
            found = cursor.fetchone()
            cursor.close()
        except self._dialect.loaded_dbapi.Error as error:
            raise _as_sqlalchemys(error) from error
        return found


def _as_sqlalchemys(error: Exception) -> OperationalError:
    """What the driver raises as whoever reads through SQLAlchemy knows it."""
    return OperationalError(None, None, error)


class _Own(threading.local):
    """What a thread reads with; `is_open` while a transaction stands, `is_held` while it is to stay."""

    driver: Any = None
    reader: Reader | None = None
    is_open = False
    is_held = False


class _Reading:
    """One reading of a thread; a class, for it is entered several times in each call."""

    __slots__ = ("_own", "_readers")

    def __init__(self, readers: Readers, own: _Own) -> None:
        self._readers = readers
        self._own = own

    def __enter__(self) -> Reader:
        own = self._own
        reader = own.reader or self._readers.opened(own)
        if not own.is_open:
            own.driver.execute("BEGIN")
            own.is_open = True
        return reader

    def __exit__(self, *_: object) -> None:
        if not self._own.is_held:
            self._own.is_open = False
            self._own.driver.rollback()


class Readers:
    """A driver connection for each thread that reads, out of the engine's pool."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._own = _Own()
        self._drivers: list[Any] = []
        self._lock = threading.Lock()

    def one(self) -> AbstractContextManager[Reader]:
        """A reader with one consistent view of the data."""
        return _Reading(self, self._own)

    @contextmanager
    def view(self) -> Iterator[None]:
        """All readings of this thread until its end see the data as they are at the first of them."""
        own = self._own
        own.is_held = True
        try:
            yield
        finally:
            own.is_held = False
            if own.is_open:
                own.is_open = False
                own.driver.rollback()

    def close(self) -> None:
        """Closes them all; nobody may be reading."""
        with self._lock:
            while self._drivers:
                self._drivers.pop().close()
        self._own = _Own()

    def opened(self, own: _Own) -> Reader:
        """The reader of a thread that has none yet."""
        fairy = self._engine.raw_connection()
        fairy.detach()
        own.driver = fairy.dbapi_connection
        own.reader = Reader(own.driver, self._engine.dialect)
        with self._lock:
            self._drivers.append(own.driver)
        return own.reader
