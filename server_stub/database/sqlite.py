"""What only SQLite needs: settings, transactions around DDL, foreign keys put off; knows no table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url

_SETTINGS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA busy_timeout=10000",
    f"PRAGMA mmap_size={1 << 30}",
)


def engine(url: str) -> Engine:
    """An engine on an SQLite file whose folder is made when it is missing."""
    path = make_url(url).database
    if path:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    made = create_engine(
        url, pool_size=8, max_overflow=8, connect_args={"check_same_thread": False}, hide_parameters=True
    )
    event.listen(made, "connect", _configure)
    event.listen(made, "begin", _begin)
    return made


def _configure(connection: sqlite3.Connection, _record: object) -> None:
    # The driver's own transactions would begin too late: after the DDL, which must be inside.
    connection.isolation_level = None
    for setting in _SETTINGS:
        connection.execute(setting)


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


@contextmanager
def writing(connection: Connection, *, foreign_keys: bool) -> Iterator[None]:
    """A write transaction that takes the write lock at once, so that it can never fail half-way for it."""
    driver: Any = connection.connection.dbapi_connection
    # The setting has no effect inside a transaction, so it is made before and undone after.
    driver.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
    try:
        with connection.execution_options(begin="BEGIN IMMEDIATE").begin():
            yield
    finally:
        driver.execute("PRAGMA foreign_keys=ON")
