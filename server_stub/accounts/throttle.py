"""Delays after failed log-ins (wire §2), for each name at each address, each address, and each name.

Each failure counts for the name at the address, for the address and for the name. A few failures are free;
after those, each further one doubles the time that must pass before the next attempt, up to a maximum:

=====================  =====  ============  =======  ==========================
Counted for            Free   First delay   Longest  One failure is forgotten in
=====================  =====  ============  =======  ==========================
a name at an address   5      2 s           15 min   1 hour
an address             50     2 s           1 min    1 min
a name                 1000   2 s           1 min    1 min
=====================  =====  ============  =======  ==========================

So who guesses a name delays that name at the own address only. An address may be that of many users: its
delays are for names that have failed there. A name is delayed everywhere only after a thousand failures,
which takes many addresses.

An attempt is counted before the password is checked, and forgiven if it is right: attempts at the same time
cannot all pass before one of them has been counted, in whichever process. Refused attempts do not count.

Times are seconds of a clock that advances evenly. If it was changed between two starts of the server, a
stored time may be in the future: the next attempt is then permitted, and the one after that is delayed as
usual. A pause of any length forgets at most half of the failures.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, case, delete, literal, or_, select, tuple_, update

from server_stub.database.dialects import upsert
from server_stub.database.tables import login_throttle

_FIRST_DELAY = 2
# By how much the clocks of two servers on one database may differ.
_SKEW = 5
# How long an unused row is kept at least: longer than a clock may be wrong by, and than failures count.
_KEPT_SECONDS = 2 * 86_400
_MAX_ROWS = 10_000
_PURGED_AT_ONCE = 100
# In the row of an address for all names, and of a name for all addresses. No name is empty.
_ALL = ""
_UNKNOWN_ADDRESS = "-"

_address, _name = login_throttle.c.address, login_throttle.c.name
_level, _last = login_throttle.c.failures, login_throttle.c.last


class _Budget(msgspec.Struct, frozen=True):
    """How many failures are free, the longest delay, and the time in which one is forgotten, in seconds."""

    free: int
    longest: int
    forgotten: int

    @property
    def delays(self) -> list[tuple[float, int]]:
        """Levels with the delay that applies below each of them; the longest applies above the last."""
        # Half a failure less, for some of it is forgotten during the delays.
        found, delay = [(self.free - 0.5, 0)], _FIRST_DELAY
        while delay < self.longest:
            found.append((found[-1][0] + 1, delay))
            delay *= 2
        return found

    def delay(self, level: float) -> int:
        """The delay after so many failures."""
        return next((delay for bound, delay in self.delays if level < bound), self.longest)


_PAIR, _ADDRESS, _NAME = _Budget(5, 900, 3600), _Budget(50, 60, 60), _Budget(1000, 60, 60)


class BlockedError(Exception):
    """The attempt comes too early; `seconds` are left."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Throttle:
    """Counts the attempts to log in on one database. `now` is in seconds of an even clock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: defaultdict[tuple[str, str], threading.Lock] = defaultdict(threading.Lock)
        self._waiting: defaultdict[tuple[str, str], int] = defaultdict(int)

    @contextmanager
    def turn(self, address: str | None, name: str) -> Iterator[None]:
        """A block in which this process makes one attempt at a time with a name at an address.

        Otherwise clients that log in with the right password at the same time would use up what is free.
        """
        pair = _source(address), name
        with self._lock:
            self._waiting[pair] += 1
            lock = self._turns[pair]
        try:
            with lock:
                yield
        finally:
            with self._lock:
                self._waiting[pair] -= 1
                if not self._waiting[pair]:
                    del self._waiting[pair], self._turns[pair]

    def count(self, connection: Connection, address: str | None, name: str, now: int) -> None:
        """Counts an attempt. Raises BlockedError, and the caller must roll back then."""
        # In the same order everywhere, so that transactions cannot wait for one another in a circle.
        for row, budget in _rows(address, name):
            try:
                _count(connection, row, budget, now)
            except BlockedError:
                if budget is not _ADDRESS or _has_failed(connection, (_source(address), name), now):
                    raise
                # Counted, as all are, but no reason for the next one to wait from now on.
                connection.execute(update(login_throttle).where(_is_row(row)).values(failures=_level + 1))

    def forgive(self, connection: Connection, address: str | None, name: str) -> None:
        """Takes the count of a right attempt back, and forgets the failures of the name at the address."""
        for row, budget in _rows(address, name):
            one = _is_row(row)
            forgets = one if budget is _PAIR else and_(one, _level <= 1)
            if not connection.execute(delete(login_throttle).where(forgets)).rowcount:
                connection.execute(update(login_throttle).where(one).values(failures=_level - 1))

    def purge(self, connection: Connection, now: int) -> None:
        """Deletes some rows that have not been used for long, and the oldest of too many."""
        rows = select(_address, _name).limit(_PURGED_AT_ONCE).with_for_update(skip_locked=True)
        unused = rows.where(_last < now - _KEPT_SECONDS)
        beyond = rows.order_by(_last.desc()).offset(_MAX_ROWS)
        for chosen in (unused, beyond):
            connection.execute(delete(login_throttle).where(tuple_(_address, _name).in_(chosen)))


def clear(connection: Connection, name: str) -> None:
    """Forgets the failures of a name at all addresses."""
    connection.execute(delete(login_throttle).where(_name == name))


def _is_row(row: tuple[str, str]) -> ColumnElement[bool]:
    address, name = row
    return and_(_address == address, _name == name)


def _has_failed(connection: Connection, pair: tuple[str, str], now: int) -> bool:
    """Whether failures of the name at the address are not forgotten yet."""
    remembered = _last > now - _level * _PAIR.forgotten
    return connection.execute(select(_level).where(_is_row(pair), remembered)).first() is not None


def _rows(address: str | None, name: str) -> list[tuple[tuple[str, str], _Budget]]:
    source = _source(address)
    return [((source, _ALL), _ADDRESS), ((_ALL, name), _NAME), ((source, name), _PAIR)]


def _source(address: str | None) -> str:
    """The address, or the network of an IPv6 address: each customer of a provider has that many addresses."""
    try:
        known = ip_address((address or "").partition("%")[0])
    except ValueError:
        return address or _UNKNOWN_ADDRESS
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return f"{IPv6Address(int(known) >> 64 << 64)}/64"


def _count(connection: Connection, row: tuple[str, str], budget: _Budget, now: int) -> None:
    """One statement checks and counts: two attempts at the same time cannot both be the last free one."""
    address, name = row
    passed = literal(now) - _last
    leaked = passed / literal(float(budget.forgotten))
    left = case((passed <= 0, _level), (leaked < _level / 2, _level - leaked), else_=_level / 2)
    delay = case(*((_level < bound, delay) for bound, delay in budget.delays), else_=budget.longest)
    counted = (
        upsert(connection, login_throttle)
        .values(address=address, name=name, failures=1.0, last=now)
        .on_conflict_do_update(
            index_elements=["address", "name"],
            set_={"failures": left + 1, "last": now},
            where=or_(delay == 0, passed >= delay, _last > now + _SKEW),
        )
        .returning(_level)
    )
    if connection.execute(counted).first() is not None:
        return
    level, last = connection.execute(select(_level, _last).where(_is_row(row))).one()
    raise BlockedError(max(1, last + budget.delay(level) - now))
