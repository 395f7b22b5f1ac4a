"""Keeps users at work while the server runs (`--activity`): a thread's loop and its transactions."""

from __future__ import annotations

import logging
import threading
from random import Random
from time import monotonic

import msgspec
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from server_stub.demo.house import House
from server_stub.demo.live import LiveObjects, LiveVisits, keep_sessions, people_at_work

_LOG = logging.getLogger(__name__)

# Events in a transaction, so that it stays short at any rate.
_MOST = 200
# What was missed for longer, asleep or behind a long commit, is not made up for.
_MISSED_SECONDS = 2.0
# A database that fails is left alone for this long.
_REST_SECONDS = 0.5


class _AtWork(msgspec.Struct, frozen=True):
    """The people and objects of one version of the schema."""

    version: int | None
    objects: LiveObjects
    visits: LiveVisits


class Activity:
    """Simulated activity at `per_minute` events a minute, at random intervals.

    Runs on any database with users; what people do follows the objecttypes of CURRENT.
    """

    def __init__(self, house: House, *, per_minute: float, seed: int = 1) -> None:
        if per_minute <= 0:
            raise ValueError(f"activity needs a rate above 0, not {per_minute}")
        self._house = house
        self._rate = per_minute / 60
        # Sessions of an earlier run stay in the database: the clock keeps their names from coming again.
        self._rng = Random(f"{seed} activity {house.now()}")
        self._beat = Random(f"{seed} beat")
        self._at_work: _AtWork | None = None

    def run(self, stop: threading.Event) -> None:
        """Writes events until `stop` is set; what a transaction cannot write is lost and logged."""
        due = monotonic() + self._interval()
        while not stop.wait(max(0.0, due - monotonic())):
            now = monotonic()
            due, count = max(due, now - _MISSED_SECONDS), 0
            while due <= now and count < _MOST:
                due, count = due + self._interval(), count + 1
            try:
                self._write(count)
            except SQLAlchemyError as error:
                self._at_work, due = None, now + _REST_SECONDS
                _LOG.warning("simulated activity was not written: %s", str(error).partition("\n")[0])

    def _interval(self) -> float:
        return self._beat.expovariate(self._rate)

    def _write(self, count: int) -> None:
        house = self._house
        with house.database.write() as connection:
            at_work = self._current(connection)
            drafts = [at_work.visits.next(house.now()) for _ in range(count)]
            at_work.objects.follow(connection, drafts)
            keep_sessions(connection, drafts)
            house.log.append(connection, drafts)

    def _current(self, connection: Connection) -> _AtWork:
        """The people and objects of the present version; a commit changes what can be done."""
        version = self._house.schemas.current_version()
        if self._at_work is None or self._at_work.version != version:
            objects = LiveObjects(self._house.schemas, version)
            visits = LiveVisits(self._rng, people_at_work(connection), objects.stock(connection))
            self._at_work = _AtWork(version, objects, visits)
        return self._at_work
