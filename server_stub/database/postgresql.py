"""Specific to PostgreSQL: the engine, advisory locks, and errors after which work may be repeated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL, Connection, Engine, create_engine, func, select
from sqlalchemy.exc import DBAPIError

DRIVER = "postgresql+psycopg"
# Connections that stay open, and how many more there may be for a while. Each reading thread has another one,
# which are 14 in a process on two cores: four workers stay below the 100 that PostgreSQL permits by default.
_POOL_SIZE = 4
_MOST_MORE = 5
# The first number of the server's advisory locks, so that they never meet those of another program.
_LOCK_CLASS = 0x434442
# A network failure is noticed within seconds, not after the two hours of TCP's defaults. All of them can be
# overridden in the address of the database.
_CONNECT_ARGUMENTS = {
    "application_name": "cdb-server",
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
    # How long a statement waits for other transactions, as in SQLite: longer than the largest commit.
    "options": "-c lock_timeout=60s",
}
# Serialization failure (also of a standby that discards rows), deadlock.
_ROLLED_BACK = ("40001", "40P01")
# Operator intervention (shutdown, crash, database dropped), connection exceptions.
_LOST = ("57P", "08")


def engine(address: URL) -> Engine:
    """An engine that checks each connection of its pool before it is used, and replaces a lost one."""
    given = {name: value for name, value in _CONNECT_ARGUMENTS.items() if name not in address.query}
    return create_engine(
        address.set(drivername=DRIVER),
        pool_size=_POOL_SIZE,
        max_overflow=_MOST_MORE,
        pool_timeout=30,
        pool_pre_ping=True,
        connect_args=given,
        hide_parameters=True,
    )


def for_reading(engine: Engine) -> Engine:
    """The same engine for transactions that only read and see the data as of their first statement."""
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def lock_transaction(connection: Connection, number: int) -> None:
    """Waits for an advisory lock and holds it until the end of the transaction."""
    connection.execute(select(func.pg_advisory_xact_lock(_LOCK_CLASS, number)))


@contextmanager
def exclusive(engine: Engine, number: int) -> Iterator[None]:
    """Holds an advisory lock during a block of several transactions, on a connection of its own."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        # Another process may be filling a large demo.
        connection.exec_driver_sql("SET lock_timeout = 0")
        connection.execute(select(func.pg_advisory_lock(_LOCK_CLASS, number)))
        try:
            yield
        finally:
            # A lost connection has released the lock.
            if not connection.invalidated:
                connection.execute(select(func.pg_advisory_unlock(_LOCK_CLASS, number)))
                connection.exec_driver_sql("RESET lock_timeout")


def is_rolled_back(error: DBAPIError) -> bool:
    """Whether the database has undone the transaction because of others, so that it may succeed again."""
    return _state(error).startswith(_ROLLED_BACK)


def is_lost(error: DBAPIError) -> bool:
    """Whether the connection to the database was lost or refused; whether a commit took place is unknown."""
    return error.connection_invalidated or _state(error).startswith(_LOST) or not _state(error)


def _state(error: DBAPIError) -> str:
    # The driver's errors without a state are those of the connection.
    return getattr(error.orig, "sqlstate", None) or ""
