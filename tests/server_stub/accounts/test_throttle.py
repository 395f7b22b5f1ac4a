"""Failed log-ins delay the next ones: whom, for how long, across processes and changes of the clock."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Protocol

import pytest

from server_stub.accounts import Configuration, Credentials, Passwords, Sessions, Users
from server_stub.accounts import throttle as throttling
from server_stub.accounts.throttle import BlockedError, Throttle
from server_stub.database import Database, open_database
from server_stub.events import EventLog
from server_stub.foundation.errors import UserError
from server_stub.foundation.times import SteadyClock, to_wire

HOME, ELSEWHERE = "192.0.2.1", "198.51.100.7"
NOW = 1_750_000_000


def attempt(database: Database, now: int, address: str | None = HOME, name: str = "anna") -> int:
    """Counts a failure; returns the seconds that are left if it comes too early, else 0."""
    try:
        with database.write() as connection:
            Throttle().count(connection, address, name, now)
    except BlockedError as blocked:
        return blocked.seconds
    return 0


def failures(database: Database, count: int, now: int = NOW, **who: str) -> int:
    """Makes this many failures as early as possible; returns the time of the last."""
    for _ in range(count):
        while left := attempt(database, now, **who):
            now += left
    return now


def rows(database: Database) -> int:
    """The number of rows."""
    with database.read() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM _login_throttle").scalar_one())


def test_delays_double_up_to_a_limit(database: Database) -> None:
    """Five failures of a name at an address are free; then the delay doubles up to 15 minutes."""
    now, delays = failures(database, 5), []
    for _ in range(12):
        delays.append(attempt(database, now))
        now += delays[-1]
        assert attempt(database, now - 1) == 1
        assert attempt(database, now) == 0
    assert delays == [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]


def test_the_name_is_free_elsewhere(database: Database) -> None:
    """Who guesses a name delays neither that name at other addresses nor other names at the own one."""
    now = failures(database, 12)
    assert attempt(database, now) > 60
    assert attempt(database, now, ELSEWHERE) == 0
    assert attempt(database, now, name="bert") == 0


def test_an_address_that_tries_many_names(database: Database) -> None:
    """After fifty failures only names that failed there wait, by at most a minute, and only there."""
    for number in range(60):
        assert attempt(database, NOW, name=f"name{number}") == 0
    assert attempt(database, NOW, name="name1") == 60
    assert attempt(database, NOW, ELSEWHERE, name="name1") == 0
    with database.write() as connection:
        Throttle().count(connection, HOME, "anna", NOW)
        Throttle().forgive(connection, HOME, "anna")
        level = connection.exec_driver_sql("SELECT failures FROM _login_throttle WHERE name = ''").first()
    assert level is not None
    assert round(level[0]) == 60
    assert attempt(database, NOW, name="anna") == 0
    assert attempt(database, NOW, name="anna") == 60


def test_a_name_that_many_addresses_guess(database: Database) -> None:
    """Only a thousand failures delay a name everywhere, by at most a minute."""
    with database.write() as connection:
        for number in range(1000):
            Throttle().count(connection, f"10.0.{number // 250}.{number % 250}", "anna", NOW)
    assert attempt(database, NOW, ELSEWHERE) == 2
    assert attempt(database, NOW, ELSEWHERE, "bert") == 0


def test_failures_are_forgotten(database: Database) -> None:
    """A failure of a name at an address is forgotten after an hour, but a pause forgets at most half."""
    now = failures(database, 5)
    assert attempt(database, now + 3_600) == 0
    assert attempt(database, now + 3_600) == 2
    now = failures(database, 10, now + 3_600)
    assert attempt(database, now + 10 * 86_400) == 0
    assert attempt(database, now + 10 * 86_400) > 2


def test_a_right_password_is_forgiven(database: Database) -> None:
    """It clears the name at the address; the address and the name lose this attempt, nothing else."""
    now = failures(database, 4, name="bert")
    now = failures(database, 4, now)
    with database.write() as connection:
        Throttle().count(connection, HOME, "anna", now)
        Throttle().forgive(connection, HOME, "anna")
    with database.read() as connection:
        stored = connection.exec_driver_sql(
            "SELECT address, name, round(failures) FROM _login_throttle ORDER BY address, name"
        ).all()
    assert [tuple(row) for row in stored] == [
        ("", "anna", 4),
        ("", "bert", 4),
        (HOME, "", 8),
        (HOME, "bert", 4),
    ]
    with database.write() as connection:
        Throttle().count(connection, ELSEWHERE, "carla", now)
        Throttle().forgive(connection, ELSEWHERE, "carla")
    assert rows(database) == 4


@pytest.mark.parametrize("address", ["2001:db8::1", "2001:db8::2%eth0", "2001:db8::ffff:0:1"])
def test_addresses_of_a_network_are_one(database: Database, address: str) -> None:
    """The addresses of an IPv6 network count as one, as do both spellings of an IPv4 address."""
    failures(database, 5, address="2001:db8::1")
    assert attempt(database, NOW, address) == 2
    assert attempt(database, NOW, "2001:db8:0:1::1") == 0
    failures(database, 5, address=f"::ffff:{HOME}")
    assert attempt(database, NOW, HOME) == 2
    failures(database, 5, address="testclient")
    assert attempt(database, NOW, "testclient") == 2
    assert attempt(database, NOW, None) == 0


@pytest.mark.parametrize("step", [-10 * 365 * 86_400, -86_400, -3_600])
def test_a_clock_that_was_set_back(database: Database, step: int) -> None:
    """After a restart with an earlier clock, one attempt passes and the next is delayed as before."""
    now = failures(database, 12)
    delay = attempt(database, now)
    later = now + step
    assert attempt(database, later) == 0
    assert attempt(database, later) == 2 * delay


def test_a_clock_that_was_set_forward(database: Database) -> None:
    """After a restart with a later clock, one attempt passes; half of the failures still count."""
    now = failures(database, 14)
    assert attempt(database, now + 86_400) == 0
    assert attempt(database, now + 86_400) >= 8


def test_the_clocks_of_two_servers_differ(database: Database) -> None:
    """A server whose clock is some seconds late does not let an attempt pass."""
    now = failures(database, 5)
    assert attempt(database, now - 3) == 5


def test_few_rows_are_kept(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unused rows are deleted after two days, and the oldest when there are too many."""
    throttle = Throttle()
    monkeypatch.setattr(throttling, "_MAX_ROWS", 20)
    with database.write() as connection:
        for number in range(30):
            throttle.count(connection, f"10.0.0.{number}", f"name{number}", NOW + number)
    while rows(database) > 20:
        with database.write() as connection:
            throttle.purge(connection, NOW + 30)
    assert attempt(database, NOW + 30, "10.0.0.29", "name29") == 0
    with database.write() as connection:
        throttle.purge(connection, NOW + 30 + 2 * 86_400)
    assert rows(database) == 3


class OpenedSessions(Protocol):
    """Opens the sessions of a server on a file."""

    def __call__(self, file: Path, steady: Callable[[], int] = ..., now: int = ...) -> Sessions: ...


@pytest.fixture
def sessions_in() -> Iterator[OpenedSessions]:
    """Opens the sessions of servers, whose databases are closed after the test."""
    with ExitStack() as opened:

        def sessions(file: Path, steady: Callable[[], int] = lambda: NOW, now: int = NOW) -> Sessions:
            database = opened.enter_context(closing(open_database(str(file))))
            log = EventLog(database, "instance")
            users = Users(Passwords(cheap=True))
            with database.write() as connection:
                if users.is_empty(connection):
                    users.add(connection, "anna", "anna", displayname="Anna")
            return Sessions(database, users, log, Configuration(log, lambda: now), lambda: now, steady)

        yield sessions


def _outcome(sessions: Sessions, password: str | None = None, address: str = HOME) -> str:
    _, started = sessions.start()
    try:
        sessions.authenticate(started, Credentials("anna", password or "wrong", ipv4_address=address))
    except UserError as error:
        return error.code.removeprefix("error.user.")
    return "signed in"


def test_parallel_guesses(tmp_path: Path, sessions_in: OpenedSessions) -> None:
    """Of 72 guesses at the same time, in what stands for three processes, five are checked."""
    servers = [sessions_in(tmp_path / "a.sqlite") for _ in range(3)]
    gate = threading.Barrier(24)

    def guess(number: int) -> str:
        gate.wait()
        return _outcome(servers[number % 3])

    with ThreadPoolExecutor(24) as pool:
        found = list(pool.map(guess, range(72)))
    assert (found.count("login_failed"), found.count("login_disabled_to")) == (5, 67)
    assert _outcome(servers[0], "anna") == "login_disabled_to"
    assert _outcome(servers[1], "anna", ELSEWHERE) == "signed in"


def test_parallel_log_ins(tmp_path: Path, sessions_in: OpenedSessions) -> None:
    """Many clients log in with the right password at the same time from one address: none is refused."""
    sessions, gate = sessions_in(tmp_path / "a.sqlite"), threading.Barrier(16)

    def enter(_: int) -> str:
        gate.wait()
        return _outcome(sessions, "anna")

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(enter, range(64))) == ["signed in"] * 64


@pytest.mark.parametrize("step", [-86_400, 86_400])
def test_the_wall_clock_has_no_effect_while_the_server_runs(
    tmp_path: Path, sessions_in: OpenedSessions, step: int
) -> None:
    """Delays follow the steady clock; only the time in the refusal is that of the wall clock."""
    passed = [NOW]
    before, after = (
        sessions_in(tmp_path / "a.sqlite", lambda: passed[0], wall) for wall in (NOW, NOW + step)
    )
    assert [_outcome(before) for _ in range(5)] == ["login_failed"] * 5
    _, started = after.start()
    with pytest.raises(UserError) as caught:
        after.authenticate(started, Credentials("anna", "anna", ipv4_address=HOME))
    assert caught.value.code == "error.user.login_disabled_to"
    assert caught.value.parameters["to"] == to_wire(NOW + step + 2)
    passed[0] += 2
    assert _outcome(after, "anna") == "signed in"


def test_the_steady_clock_advances_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Setting the computer's clock does not change it."""
    clock = SteadyClock()
    before = clock()
    monkeypatch.setattr("time.time", lambda: 0.0)
    assert 0 <= clock() - before <= 60


def test_a_database_of_version_0_1(tmp_path: Path, sessions_in: OpenedSessions) -> None:
    """The old table stays unused in a database that has it."""
    file = tmp_path / "old.sqlite"
    sessions_in(file)
    with closing(sqlite3.connect(file)) as old, old:
        old.execute("DROP TABLE _login_throttle")
        old.execute("CREATE TABLE _login_failure (login TEXT PRIMARY KEY, failures INT, last INT)")
        old.execute("INSERT INTO _login_failure VALUES ('anna', 9, 1750000000)")
    assert _outcome(sessions_in(file), "anna") == "signed in"
