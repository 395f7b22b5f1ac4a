"""Reads on hot standbys of a PostgreSQL database, which never lack what a client may already have seen.

A standby may be read if it has replayed all that the primary had committed when the read was requested. This
holds for every session, worker process and server without any of them remembering anything: whatever a
client has seen, on the primary or on any standby, had been committed before its next request.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from itertools import count
from typing import TypeVar

from sqlalchemy import Engine, Text, case, cast, func, literal_column, select, text
from sqlalchemy.exc import DBAPIError

from server_stub.database.postgresql import is_rolled_back
from server_stub.database.reader import Reader, ThreadReaders

log = logging.getLogger(__name__)

# How long a read waits for the standbys to replay what the primary has just committed, and between two looks.
_PATIENCE_SECONDS = 0.05
_LOOK_SECONDS = 0.003
# How long a standby that has failed is left alone.
_RETRY_SECONDS = 5.0

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
# A standby that was promoted is none: its position does not change any more.
_HAS_REPLAYED = select(
    func.pg_is_in_recovery() & (func.pg_last_wal_replay_lsn() >= text("CAST(:position AS pg_lsn)"))
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
    """The standbys of one database, which take turns."""

    def __init__(self, primary: ThreadReaders, engines: Sequence[Engine]) -> None:
        self._primary = primary
        self._standbys = [_Standby(engine) for engine in engines]
        self._turns = count()
        self._is_lagging = False

    def check(self) -> None:
        """Raises WrongStandbyError if one of those that can be reached has another database."""
        for standby in self._standbys:
            try:
                standby.check(self._identity())
            except DBAPIError as error:
                standby.fail(error)

    def read(self, work: Callable[[Reader], _T]) -> _T:
        """Runs reads on a standby that has replayed what was committed by now.

        Raises NoStandbyError if there is none or it fails; the reads must then be run elsewhere from their
        beginning. Errors of the database are raised only if they are the primary's.
        """
        position = str(self._primary.reader().single.scalar(_POSITION, {}))
        standby = self._caught_up(position)
        try:
            asked = standby.readers.reader().single
            with standby.readers.reader() as reader:
                # A new connection may be to a standby that has been restarted and is behind what it said.
                if reader is not asked:
                    raise NoStandbyError
                return work(reader)
        except DBAPIError as error:
            # A query that was in the way of what has to be replayed says nothing about the next one.
            if not is_rolled_back(error):
                standby.fail(error)
            raise NoStandbyError from error

    def close(self) -> None:
        """Closes all connections."""
        for standby in self._standbys:
            standby.close()

    def _caught_up(self, position: str) -> _Standby:
        """A standby that has replayed up to a position. Raises NoStandbyError.

        It waits a moment for that, unless this was in vain the last time.
        """
        until = time.monotonic() + (0 if self._is_lagging else _PATIENCE_SECONDS)
        first = next(self._turns)
        while True:
            usable = [each for each in self._standbys if each.is_usable]
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
            if not standby.is_checked:
                standby.check(self._identity())
            # Before the transaction of the reads, whose snapshot must be taken after the answer.
            reader = standby.readers.reader().single
            return bool(reader.scalar(_HAS_REPLAYED, {"position": position}))
        except (DBAPIError, WrongStandbyError) as error:
            standby.fail(error)
            return False

    def _identity(self) -> tuple[object, ...]:
        with self._primary.reader() as reader:
            return tuple(reader.first(_IDENTITY, {}))


class _Standby:
    """One standby, left alone for a while after it has failed."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._shown = engine.url.render_as_string(hide_password=True)
        self.readers = ThreadReaders(engine, None)
        self.is_checked = False
        self._retry_at = 0.0

    @property
    def is_usable(self) -> bool:
        """Whether it has not failed lately."""
        return time.monotonic() >= self._retry_at

    def check(self, identity: tuple[object, ...]) -> None:
        """Raises WrongStandbyError if it has another database, OperationalError if it does not answer."""
        with self.readers.reader() as reader:
            own = tuple(reader.first(_IDENTITY, {}))
            is_standby = reader.scalar(select(func.pg_is_in_recovery()), {})
        if own != identity:
            raise WrongStandbyError(f"{self._shown} is no standby of the database.")
        if not is_standby:
            log.warning("%s is no standby or has been promoted, so that it is not read", self._shown)
        self.is_checked = True

    def fail(self, error: Exception) -> None:
        """Leaves the standby alone for a while because of an error."""
        log.warning("The standby %s is not read for a while", self._shown, exc_info=error)
        self.is_checked = False
        self._retry_at = time.monotonic() + _RETRY_SECONDS

    def close(self) -> None:
        """Closes all connections."""
        self.readers.close()
        self._engine.dispose()
