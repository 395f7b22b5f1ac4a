"""Gives each thread its own way to read, and lets it keep what it read while nobody writes; knows no table.

A call reads several times: what is done for each reading costs more than the reading itself.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sqlalchemy import Dialect, Engine
from sqlalchemy.exc import OperationalError

from server_stub.database.reader import Reader, as_sqlalchemys

# Something else after every change of the data by another connection than this, None where it is not known.
StateOf = Callable[[Any], object]
_MOST_KEPT = 1000


class _Reading:
    """How one thread reads; made once for it, for it is entered several times in each call."""

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
        """What was kept of data that may be others by now."""
        kept = self._reader.kept
        state = self._state_of(self._driver) if self._state_of else None
        if state is None or state != self._state or len(kept) > _MOST_KEPT:
            kept.clear()
            self._state = state

    def __exit__(self, *_: object) -> None:
        if self._is_open and not self.is_held:
            self._is_open = False
            self._driver.rollback()


class _View:
    """All readings of a thread in one transaction, which begins with the first of them."""

    __slots__ = ("_reading",)

    def __init__(self, reading: _Reading) -> None:
        self._reading = reading

    def __enter__(self) -> None:
        self._reading.is_held = True

    def __exit__(self, *_: object) -> None:
        self._reading.is_held = False
        self._reading.__exit__()


class Readers:
    """A driver connection for each thread that reads, out of the engine's pool."""

    def __init__(self, engine: Engine, state_of: StateOf | None) -> None:
        self._engine = engine
        self._state_of = state_of
        self._own = threading.local()
        self._drivers: list[Any] = []
        self._lock = threading.Lock()

    def one(self) -> _Reading:
        """A reader with one consistent view of the data. Raises OperationalError where none can be opened."""
        try:
            reading: _Reading = self._own.reading
        except AttributeError:
            reading = self._own.reading = self._opened()
        return reading

    def view(self) -> AbstractContextManager[None]:
        """All readings of this thread until its end see the data as they are at the first of them."""
        try:
            return _View(self.one())
        except OperationalError:
            return nullcontext()  # The first reading in it fails likewise, where that can be answered.

    def close(self) -> None:
        """Closes them all; nobody may be reading."""
        with self._lock:
            while self._drivers:
                self._drivers.pop().close()
        self._own = threading.local()

    def _opened(self) -> _Reading:
        try:
            fairy = self._engine.raw_connection()
        except self._engine.dialect.loaded_dbapi.Error as error:
            raise as_sqlalchemys(error) from error
        fairy.detach()
        driver = fairy.dbapi_connection
        with self._lock:
            self._drivers.append(driver)
        return _Reading(driver, self._engine.dialect, self._state_of)
