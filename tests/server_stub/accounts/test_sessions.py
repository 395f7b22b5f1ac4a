"""Sessions store no token, and credentials are hidden."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection

from server_stub.accounts import Administration, Configuration, Credentials, Passwords, Sessions, User, Users
from server_stub.database import Database, WriteLock
from server_stub.events import EventLog
from server_stub.foundation.errors import UserError
from tests.contract.caller import Clock


@pytest.fixture
def sessions(database: Database, log: EventLog) -> Sessions:
    """Sessions with one user, anna, whose password is her name."""
    users = Users(Passwords(cheap=True))
    with database.write() as connection:
        users.add(connection, "anna", "anna", displayname="Anna")
    return Sessions(database, users, log, Configuration(log, lambda: 1000), lambda: 1000)


def test_the_file_contains_no_token(sessions: Sessions, database: Database, tmp_path: Path) -> None:
    """The database file does not contain the token."""
    token, started = sessions.start()
    sessions.authenticate(started, Credentials("anna", "anna"))
    database.close()
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert token.encode() not in stored
    assert started.reference.encode() in stored


class _ChangingUsers(Users):
    """Users of whom one is changed by another process right after the password was checked."""

    def __init__(self, change: Callable[[User], None]) -> None:
        super().__init__(Passwords(cheap=True))
        self._change = change

    def verified(self, connection: Connection, login: str, password: str) -> User | None:
        who = super().verified(connection, login, password)
        assert who is not None
        self._change(who)
        return who


@pytest.mark.parametrize("is_removed", [True, False])
def test_a_log_in_during_a_change_of_the_user(database: Database, log: EventLog, is_removed: bool) -> None:
    """A user who is removed or gets another password during the log-in is not signed in."""

    def change(who: User) -> None:
        administration = Administration(Users(Passwords(cheap=True)), changed_sessions)
        with database.write(WriteLock.ACCOUNTS) as connection:
            if is_removed:
                administration.remove(connection, who.login)
            else:
                administration.change_password(connection, who.login, "other")

    users = _ChangingUsers(change)
    changed_sessions = Sessions(database, users, log, Configuration(log, lambda: 1000), lambda: 1000)
    with database.write() as connection:
        users.add(connection, "anna", "anna", displayname="Anna")
    token, started = changed_sessions.start()
    with pytest.raises(UserError, match="login_failed"):
        changed_sessions.authenticate(started, Credentials("anna", "anna"))
    with database.reader() as reader:
        assert changed_sessions.find(reader, token).user is None


def test_credentials_hide_the_password() -> None:
    """The representation of credentials does not contain the password."""
    assert "geheim" not in repr(Credentials("anna", "geheim"))


def test_an_unknown_token_is_not_repeated_whole(sessions: Sessions, database: Database) -> None:
    """The error for an unknown token contains only a part of it."""
    with database.reader() as reader, pytest.raises(UserError) as caught:
        sessions.find(reader, "a-token-of-another-server")
    assert "another" not in str(caught.value.parameters)


@pytest.fixture
def clock() -> Clock:
    """The one clock of `restarted`."""
    return Clock()


@pytest.fixture
def restarted(database: Database, log: EventLog, clock: Clock) -> Sessions:
    """Sessions that live for a day, on a clock that is wrong from one start of the server to the next."""
    users = Users(Passwords(cheap=True))
    return Sessions(database, users, log, Configuration(log, clock), clock)


@pytest.mark.parametrize("step", [-86_400, -3_600, -1])
def test_a_clock_that_was_set_back(restarted: Sessions, database: Database, clock: Clock, step: int) -> None:
    """Sessions continue, and live as long as they would have lived, counted from their last use."""
    token, _ = restarted.start()
    clock.second += step
    _use(restarted, database, token)
    clock.second -= step
    _use(restarted, database, token)
    clock.second += 86_401
    with database.reader() as reader, pytest.raises(UserError):
        restarted.find(reader, token)


def test_a_clock_that_was_years_ahead(restarted: Sessions, database: Database, clock: Clock) -> None:
    """A session that was used while the clock was wrong ends a day after its last use with the right one."""
    clock.second += 10 * 365 * 86_400
    token, _ = restarted.start()
    clock.second -= 10 * 365 * 86_400
    _use(restarted, database, token)
    clock.second += 86_401
    with database.reader() as reader, pytest.raises(UserError):
        restarted.find(reader, token)


def _use(sessions: Sessions, database: Database, token: str) -> None:
    with database.reader() as reader:
        found = sessions.find(reader, token)
    sessions.touch(found)


def test_the_wall_clock_has_no_effect_on_how_long_sessions_live(database: Database, log: EventLog) -> None:
    """While the server runs, only the steady clock counts."""
    wall, steady = Clock(), Clock()
    sessions = Sessions(database, Users(Passwords(cheap=True)), log, Configuration(log, wall), wall, steady)
    token, _ = sessions.start()
    for step in (-86_400, 10 * 86_400):
        wall.second += step
        _use(sessions, database, token)
    steady.second += 86_401
    with database.reader() as reader, pytest.raises(UserError):
        sessions.find(reader, token)
