"""Specific to PostgreSQL: the engine, advisory locks, and errors after which work may be repeated."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from itertools import count
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Engine,
    Text,
    case,
    cast,
    create_engine,
    func,
    literal_column,
    select,
    text,
)
from sqlalchemy.event import listen
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from server_stub.database.bulk import drop_indexes
from server_stub.database.liveness import Liveness
from server_stub.database.reader import Reader, ThreadReaders, to_sqlalchemy_error
from server_stub.database.tables import event

DRIVER = "postgresql+psycopg"
# How many connections of the pool stay open; further ones are made for a while.
_POOL_SIZE = 4
# The first number of the server's advisory locks, so that they never meet those of another program.
_LOCK_CLASS = 0x434442
# A network failure is noticed within seconds, not after the two hours of TCP's defaults. All of them can be
# overridden in the address of the database.
_CONNECT_ARGUMENTS = {
    "application_name": "cdb-server",
    "connect_timeout": "3",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
# Of several servers the primary is meant, whichever it is; while one is frozen, the next is asked soon.
_OF_SEVERAL = {"target_session_attrs": "read-write", "connect_timeout": "2"}


def hosts(address: URL) -> list[URL]:
    """The addresses of the single servers, where an address names several ones, otherwise that one."""
    named = address.query.get("host", ())
    if isinstance(named, str):
        return [address]
    query = {
        key: value for key, value in address.query.items() if key not in {"host", "target_session_attrs"}
    }
    return [address.set(query={**query, "host": each}) for each in named]


class Patience(StrEnum):
    """How a transaction begins: how long it waits for others, and may pause while others wait for it.

    Limits are those of one transaction, since a pooler runs the next one on another connection.
    """

    # It waits longer than the largest commit takes, as in SQLite.
    LONG = "BEGIN; SET LOCAL lock_timeout = '60s'"
    # The same, for work that computes between its statements; it is undone if its process is frozen.
    COMPUTING = f"{LONG}; SET LOCAL idle_in_transaction_session_timeout = '30s'"
    # One whose statements take milliseconds, unless the disk hangs.
    BRIEF = (
        "BEGIN; SET LOCAL lock_timeout = '5s'; SET LOCAL idle_in_transaction_session_timeout = '4s'; "
        "SET LOCAL statement_timeout = '30s'"
    )
    READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL lock_timeout = '60s'"
    UNLIMITED = "BEGIN; SET LOCAL lock_timeout = 0"


# Serialization failure (also of a standby that discards rows), deadlock, a pause while others waited.
_ROLLED_BACK = ("40001", "40P01", "25P03")
# Operator intervention (shutdown, crash, database dropped), connection exceptions.
_LOST = ("57P", "08")
# A lock or a statement took longer than it may.
_TOO_LONG = ("55P03", "57014")


class Budget(NamedTuple):
    """How many connections a process has at most: of the pool, of reading threads, and one for `Liveness`."""

    pool: int = 7
    readers: int = 15

    @classmethod
    def of(cls, connection: Connection, processes: int) -> Budget | None:
        """The share of each of several processes in what the server permits; None if that is too little.

        The process that supervises several ones needs a few, and so do commands.
        """
        permitted = int(connection.execute(_PERMITTED).scalar_one()) - _SPARE
        share = permitted // processes if processes == 1 else (permitted - _SUPERVISOR) // processes
        most = cls()
        pool = min(most.pool, max(2, share // 3))
        readers = min(most.readers, share - 1 - pool)
        return cls(pool, readers) if readers > 0 else None


USUAL_BUDGET = Budget()
_SPARE, _SUPERVISOR = 3, 4
# Those for superusers only have several names.
_PERMITTED = text("""
    SELECT least(
        (SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -setting::int END)
            FROM pg_settings
            WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')),
        (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
        (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())
    )
""")


def engine(address: URL, pool: int = USUAL_BUDGET.pool) -> tuple[Engine, Liveness]:
    """An engine that checks each connection of its pool before it is used, and replaces a lost one."""
    usual = _CONNECT_ARGUMENTS | (_OF_SEVERAL if len(hosts(address)) > 1 else {})
    given = {name: value for name, value in usual.items() if name not in address.query}
    made = create_engine(
        address.set(drivername=DRIVER),
        pool_size=min(pool, _POOL_SIZE),
        max_overflow=max(0, pool - _POOL_SIZE),
        pool_timeout=30,
        pool_pre_ping=True,
        connect_args=given,
        hide_parameters=True,
        # Transactions begin with a statement of `_begin` in place of the driver's.
        isolation_level="AUTOCOMMIT",
    )
    listen(made, "begin", _begin)
    listen(made, "connect", _without_statements_in_pooler)
    return made, Liveness(made, given)


def _begin(connection: Connection) -> None:
    begin = connection.get_execution_options().get("begin", Patience.LONG)
    # PostgreSQL expects so many rows of ids in a subquery that it would compile even a short deletion.
    connection.exec_driver_sql(f"{begin}; SET LOCAL jit = off")


def _without_statements_in_pooler(driver: Any, _: object) -> None:
    """Prepares no statements behind a pooler such as PgBouncer, which may run each on another connection.

    A pooler does not tell the process of the connection.
    """
    if driver.info.backend_pid != driver.execute("SELECT pg_backend_pid()").fetchone()[0]:
        driver.prepare_threshold = None


_SYNCHRONY = select(
    func.current_setting("synchronous_commit"), func.current_setting("synchronous_standby_names") != ""
)


def risk_of_loss(connection: Connection, *, has_standbys: bool) -> str | None:
    """What of the acknowledged changes a failure loses, in words; None if nothing."""
    mode, is_synchronous = connection.execute(_SYNCHRONY).one()
    if mode == "off":
        return "PostgreSQL acknowledges changes before they are on its disk (synchronous_commit = off)."
    if has_standbys and (mode == "local" or not is_synchronous):
        return (
            "PostgreSQL acknowledges changes before a standby has them: the last ones are lost if the "
            "primary fails. Set synchronous_standby_names, or synchronous_mode of Patroni."
        )
    return None


def for_reading(engine: Engine) -> Engine:
    """The same engine for transactions that only read and see the data as of their first statement."""
    return engine.execution_options(begin=Patience.READING)


def lock_transaction(connection: Connection, number: int) -> None:
    """Waits for an advisory lock and holds it until the end of the transaction."""
    connection.execute(select(func.pg_advisory_xact_lock(_LOCK_CLASS, number)))


@contextmanager
def exclusive(engine: Engine, number: int) -> Iterator[None]:
    """Holds an advisory lock during a block of several transactions, in one that does nothing else.

    It waits without a limit: another process may be filling a large demo.
    """
    with engine.connect().execution_options(begin=Patience.UNLIMITED) as connection:
        lock_transaction(connection, number)
        try:
            yield
        finally:
            # A lost connection has released the lock.
            with suppress(DBAPIError):
                connection.rollback()


def is_rolled_back(error: DBAPIError) -> bool:
    """Whether the database has undone the transaction because of others, so that it may succeed again."""
    return _state(error).startswith(_ROLLED_BACK)


def is_busy(error: DBAPIError) -> bool:
    """Whether the database has undone the transaction because of others or as it took too long."""
    return is_rolled_back(error) or _state(error) in _TOO_LONG


def is_lost(error: DBAPIError) -> bool:
    """Whether the connection to the database was lost or refused; whether a commit took place is unknown."""
    return error.connection_invalidated or _state(error).startswith(_LOST) or not _state(error)


def _state(error: DBAPIError) -> str:
    # The driver's errors without a state are those of the connection.
    return getattr(error.orig, "sqlstate", None) or ""


log = logging.getLogger(__name__)

# How many ids a new partition takes: some 9 GB with its indexes. Every query plans and locks all partitions,
# so there should be no more than about a hundred.
PARTITION_EVENTS = 10_000_000

# Where the last partition ends; null without any.
_END = text(r"""
    SELECT max(substring(pg_get_expr(part.relpartbound, part.oid) FROM 'TO \(''?(\d+)')::bigint)
    FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid WHERE inhparent = '_event'::regclass
""")
# Those that take no more ids; of the others, one may be being created.
_USED = text(r"""
    SELECT part.relname, substring(bounds FROM 'FROM \(''?(-?\d+)')::bigint, bound
    FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid,
        pg_get_expr(part.relpartbound, part.oid) bounds,
        CAST(substring(bounds FROM 'TO \(''?(\d+)') AS bigint) bound
    WHERE inhparent = '_event'::regclass AND NOT inhdetachpending
        AND bound <= (SELECT value FROM _counter WHERE name = 'event')
    ORDER BY bound
""")
# A remark tells what is to be dropped from what an administrator has detached.
_DROPPED = "dropped by retain"
_LEFT = text("""
    SELECT left_over.relname, coalesce(inhdetachpending, false)
    FROM pg_class left_over LEFT JOIN pg_inherits ON inhrelid = left_over.oid
    WHERE obj_description(left_over.oid, 'pg_class') = :remark
        AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '_event'::regclass)
        AND coalesce(inhdetachpending, true)
""")
_UNPARTITIONED = text("SELECT 1 FROM pg_class WHERE oid = to_regclass('_event') AND relkind = 'r'")
_FIRST = "_event_0"


class Partition(NamedTuple):
    """A partition of the event table, with its ids from the first (None: any) up to that before the end."""

    name: str
    first: int | None
    end: int

    def holds(self, id_: ColumnElement[int]) -> ColumnElement[bool]:
        """Whether an id belongs to the partition."""
        return id_ < self.end if self.first is None else (id_ >= self.first) & (id_ < self.end)


class EventPartitions:
    """Keeps at least one empty partition ahead of the last event id, in all processes together.

    ``lock`` is the number of the advisory lock of those that create partitions, ``size`` how many ids each
    takes. Databases may have partitions of different sizes.
    """

    def __init__(self, engine: Engine, lock: int, size: int) -> None:
        self._engine = engine
        self._lock = lock
        self._size = size
        self._end = 0  # As last read; other processes may have created more.
        self._creating = threading.Lock()
        self._thread: threading.Thread | None = None

    def set_up(self, connection: Connection, last_id: int) -> None:
        """Creates the first partitions; `_event` exists and may be empty."""
        lock_transaction(connection, self._lock)
        self._end = self._extended(connection, last_id)

    def reach(self, last_id: int) -> None:
        """Ensures that events up to an id can be stored.

        The next partition is created in the background when half of the last one is used, so that no writer
        waits. A writer creates it only if that has failed for so long that its id has no partition. This
        takes another transaction, so that it does not depend on the success of the writer's.
        """
        if last_id + self._size // 2 < self._end:
            return
        if last_id >= self._end:
            with self._creating:
                self._extend(last_id)
        elif self._creating.acquire(blocking=False):
            self._thread = threading.Thread(target=self._extend_later, args=(last_id,), daemon=True)
            self._thread.start()

    def used(self, connection: Connection) -> list[Partition]:
        """The partitions that take no more events."""
        return [Partition(*row) for row in connection.execute(_USED)]

    def drop(self, name: str) -> None:
        """Drops a partition with its events: it waits for those who read them, and nobody for it."""
        with self._engine.begin() as connection:
            connection.exec_driver_sql(f"COMMENT ON TABLE {name} IS '{_DROPPED}'")
        self._run_alone(f"ALTER TABLE _event DETACH PARTITION {name} CONCURRENTLY")
        self._run_alone(f"DROP TABLE {name}")

    def drop_detached(self) -> None:
        """Drops what `drop` has left that was interrupted."""
        with self._engine.begin() as connection:
            found = connection.execute(_LEFT, {"remark": _DROPPED}).all()
        for name, is_pending in found:
            if is_pending:
                self._run_alone(f"ALTER TABLE _event DETACH PARTITION {name} FINALIZE")
            self._run_alone(f"DROP TABLE {name}")

    def _run_alone(self, statement: str) -> None:
        """Runs what must not be part of a transaction."""
        with self._engine.connect() as connection:
            driver: Any = connection.connection.dbapi_connection
            try:
                driver.execute(statement)
            except connection.dialect.loaded_dbapi.Error as error:
                raise to_sqlalchemy_error(error) from error

    def close(self) -> None:
        """Waits until no partition is being created."""
        if self._thread is not None:
            self._thread.join()

    def _extend_later(self, last_id: int) -> None:
        try:
            self._extend(last_id)
        except SQLAlchemyError:
            log.exception("The next partition of the event table could not be created")
        finally:
            self._creating.release()

    def _extend(self, last_id: int) -> None:
        with self._engine.begin() as connection:
            lock_transaction(connection, self._lock)
            end = self._extended(connection, last_id)
        self._end = end

    def _extended(self, connection: Connection, last_id: int) -> int:
        """Creates what is missing; returns where the last partition ends."""
        end = connection.execute(_END).scalar()
        while end is None or end - self._size <= last_id:
            end = self._create(connection, end)
        return int(end)

    def _create(self, connection: Connection, first: int | None) -> int:
        end = self._size + (first or 0)
        name = _FIRST if first is None else f"_event_{first}"
        # CREATE TABLE … PARTITION OF would wait for all readers and make the next ones wait; attaching does
        # not. A DEFAULT partition would have to be locked for it, and there is none for that reason.
        connection.exec_driver_sql(f"CREATE TABLE {name} (LIKE _event)")
        _attach(connection, name, first, end)
        return end


def convert(connection: Connection) -> None:
    """Makes an unpartitioned event table, as older versions created it, the first partition of a new one."""
    if connection.execute(_UNPARTITIONED).first() is None:
        return
    log.warning("The event table becomes partitioned; its indexes are built anew")
    last = connection.execute(select(func.coalesce(func.max(event.c.id), 0))).scalar_one()
    drop_indexes(connection, event)
    connection.exec_driver_sql(f"ALTER TABLE _event RENAME TO {_FIRST}")
    connection.exec_driver_sql(f"ALTER INDEX _event_pkey RENAME TO {_FIRST}_pkey")
    event.create(connection)
    _attach(connection, _FIRST, None, last + 1)


def _attach(connection: Connection, name: str, first: int | None, end: int) -> None:
    start = "MINVALUE" if first is None else first
    connection.exec_driver_sql(
        f"ALTER TABLE _event ATTACH PARTITION {name} FOR VALUES FROM ({start}) TO ({end})"
    )


# How long a read waits for the standbys to replay what the primary has just committed, and between two looks.
_PATIENCE_SECONDS = 0.05
_LOOK_SECONDS = 0.003
# How long a standby that has failed is left alone.
_RETRY_SECONDS = 5.0
# When a standby replays nothing for so long, it lacks the end of a record, which the primary has not sent.
_REST_SECONDS = 0.3

# Up to where the primary's changes may be visible. A commit is visible after its record was flushed, unless
# the administrator has turned that off.
_POSITION = select(
    cast(
        case(
            (func.current_setting("synchronous_commit") == "off", func.pg_current_wal_insert_lsn()),
            else_=func.pg_current_wal_flush_lsn(),
        ),
        Text,
    )
)
_START = text("CAST('0/0' AS pg_lsn)")
# Null of a server that is no standby, or is none any more.
_HAS_REPLAYED = select(
    case((func.pg_is_in_recovery(), func.pg_last_wal_replay_lsn() >= text("CAST(:position AS pg_lsn)")))
)
# How many bytes of its log a standby has replayed, null of a primary, and whether it has received no more.
_REPLAYED = select(
    case((func.pg_is_in_recovery(), func.pg_wal_lsn_diff(func.pg_last_wal_replay_lsn(), _START))),
    func.pg_last_wal_replay_lsn() >= func.coalesce(func.pg_last_wal_receive_lsn(), _START),
)
_IDENTITY = select(literal_column("system_identifier"), func.current_database()).select_from(
    func.pg_control_system()
)

_T = TypeVar("_T")


class NoStandbyError(Exception):
    """No standby can be read at the moment."""


class WrongStandbyError(Exception):
    """The server at the address has another database."""


class Standbys:
    """The standbys of one database, which take turns.

    ``liveness`` is that of the primary. ``are_found``: the addresses are those of all servers, whichever is
    the primary at the moment.
    """

    def __init__(
        self,
        primary: ThreadReaders,
        addresses: Sequence[URL],
        liveness: Liveness,
        *,
        are_found: bool = False,
    ) -> None:
        self._primary = primary
        self._liveness = liveness
        self._standbys = [_Standby(address) for address in addresses]
        self._are_found = are_found
        self._turns = count()
        self._is_lagging = False
        self._known_identity: tuple[object, ...] | None = None
        # The standby that all reads of a thread go to.
        self._instead = threading.local()

    def check(self) -> None:
        """Raises WrongStandbyError if one of those that can be reached has another database."""
        for standby in self._standbys:
            try:
                if not standby.check(self._identity()) and not self._are_found:
                    log.warning("%s is no standby or has been promoted, so that it is not read", standby)
            except DBAPIError as error:
                standby.leave(error)

    def read(self, work: Callable[[Reader], _T]) -> _T:
        """Runs reads on a standby that has replayed what was committed by now.

        Raises NoStandbyError if there is none or it fails; the reads must then be run elsewhere from their
        beginning. Errors of the database are raised only if they are the primary's.
        """
        if self.instead is not None:
            raise NoStandbyError
        position = str(self._primary.reader().single.scalar(_POSITION, {}))
        standby = self._caught_up(position)
        try:
            with standby.used() as readers:
                asked = readers.reader().single
                with readers.reader() as reader:
                    # A new connection may be to a standby that has been restarted and is behind what it said.
                    if reader is not asked:
                        raise NoStandbyError
                    return work(reader)
        except DBAPIError as error:
            # A query that was in the way of what has to be replayed says nothing about the next one.
            if not is_rolled_back(error):
                standby.leave(error)
            raise NoStandbyError from error

    @property
    def instead(self) -> _Standby | None:
        """The standby that the reads of this thread go to instead of the primary."""
        found: _Standby | None = getattr(self._instead, "standby", None)
        return found

    @contextmanager
    def instead_of_primary(self) -> Iterator[None]:
        """Lets all reads of this thread go to the standby that has most, while the primary is away.

        They see what had been committed when the primary was lost, perhaps except for the last moment. Raises
        NoStandbyError, and errors of the database if the standby fails.
        """
        others = self._others()
        found = self._amounts(others if any(each.is_usable for each in others) else self._standbys)
        if not found:
            raise NoStandbyError
        _, standby = max(found, key=lambda each: each[0])
        with standby.used():
            self._instead.standby = standby
            try:
                yield
            finally:
                self._instead.standby = None

    def close(self) -> None:
        """Closes all connections."""
        for standby in self._standbys:
            standby.close()

    def _others(self) -> list[_Standby]:
        """All but the one that was the primary: if it has failed, it would only be waited for."""
        return [each for each in self._standbys if each.answering != self._liveness.answering]

    def _caught_up(self, position: str) -> _Standby:
        """A standby that has replayed up to a position. Raises NoStandbyError.

        It waits a moment for that, unless this was in vain the last time.
        """
        until = time.monotonic() + (0 if self._is_lagging else _PATIENCE_SECONDS)
        first = next(self._turns)
        while True:
            usable = [each for each in self._others() if each.is_usable]
            for number in range(len(usable)):
                standby = usable[(first + number) % len(usable)]
                if self._has_replayed(standby, position):
                    self._is_lagging = False
                    return standby
            if not usable:
                raise NoStandbyError
            if time.monotonic() >= until:
                self._is_lagging = True
                raise NoStandbyError
            time.sleep(_LOOK_SECONDS)

    def _has_replayed(self, standby: _Standby, position: str) -> bool:
        try:
            with standby.used() as readers:
                if not standby.is_checked:
                    standby.check(self._identity())
                # Before the transaction of the reads, whose snapshot must be taken after the answer.
                found = readers.reader().single.scalar(_HAS_REPLAYED, {"position": position})
        except (DBAPIError, WrongStandbyError) as error:
            standby.leave(error)
            return False
        if found is None:
            standby.leave()
        return bool(found)

    def _amounts(self, standbys: Iterable[_Standby]) -> list[tuple[int, _Standby]]:
        return [(amount, each) for each in standbys if (amount := self._replayed(each)) is not None]

    def _replayed(self, standby: _Standby) -> int | None:
        """How much a standby has, None if it is none, fails, or is replaying more."""
        if not standby.is_usable or self._known_identity is None:
            return None
        try:
            if not standby.is_checked:
                standby.check(self._known_identity)
            with standby.used() as readers, readers.reader() as reader:
                replayed: int | None
                replayed, is_all = reader.first(_REPLAYED, {})
        except (DBAPIError, WrongStandbyError) as error:
            standby.leave(error)
            return None
        return replayed if standby.rests_at(replayed) or is_all else None

    def _identity(self) -> tuple[object, ...]:
        if self._known_identity is None:
            with self._primary.reader() as reader:
                self._known_identity = tuple(reader.first(_IDENTITY, {}))
        return self._known_identity


class _Standby:
    """One standby, left alone for a while after it has failed or turned out to be the primary."""

    def __init__(self, address: URL) -> None:
        self._engine, self._liveness = engine(address)
        self._shown = self._engine.url.render_as_string(hide_password=True)
        self._readers = ThreadReaders(self._engine, None)
        self.reading = for_reading(self._engine)
        self.is_checked = False
        self._retry_at = 0.0
        self._replayed: tuple[int | None, float] = None, 0.0
        self._lock = threading.Lock()
        self._users = 0
        self._is_left = False

    def __str__(self) -> str:
        return self._shown

    @property
    def answering(self) -> tuple[str, str] | None:
        """Host and port of the server."""
        return self._liveness.answering

    @property
    def is_usable(self) -> bool:
        """Whether it has not been left lately."""
        return time.monotonic() >= self._retry_at

    def rests_at(self, replayed: int | None) -> bool:
        """Whether it had already replayed exactly so much some time ago."""
        known, since = self._replayed
        if known != replayed:
            self._replayed = replayed, time.monotonic()
        return known == replayed and time.monotonic() >= since + _REST_SECONDS

    @property
    def readers(self) -> ThreadReaders:
        """Those of the threads, inside of `used`."""
        return self._readers

    @contextmanager
    def used(self) -> Iterator[ThreadReaders]:
        """The readers; the last thread that uses a standby that was left closes them.

        Otherwise a standby that becomes the primary would keep connections that the primary needs.
        """
        with self._lock:
            self._users += 1
        try:
            yield self._readers
        finally:
            with self._lock:
                self._users -= 1
                self._close_if_left()

    def _close_if_left(self) -> None:
        if self._is_left and not self._users:
            self._is_left = False
            self._readers.close()
            self._engine.dispose()

    def check(self, identity: tuple[object, ...]) -> bool:
        """Whether it is a standby.

        Raises WrongStandbyError if it has another database, OperationalError if it does not answer.
        """
        with self.used() as readers, readers.reader() as reader:
            own = tuple(reader.first(_IDENTITY, {}))
            is_standby = bool(reader.scalar(select(func.pg_is_in_recovery()), {}))
        if own != identity:
            raise WrongStandbyError(f"{self._shown} is no standby of the database.")
        self.is_checked = True
        return is_standby

    def leave(self, error: Exception | None = None) -> None:
        """Leaves it alone for a while, because of an error or as it is no standby."""
        if error is not None:
            reason = str(getattr(error, "orig", error)).partition("\n")[0]
            log.warning("The standby %s is not read for a while: %s", self._shown, reason)
            self.is_checked = False
        self._retry_at = time.monotonic() + _RETRY_SECONDS
        with self._lock:
            self._is_left = True
            self._close_if_left()

    def close(self) -> None:
        """Closes all connections."""
        self._liveness.close()
        self._readers.close()
        self._engine.dispose()
