"""Rules of administration that the command line cannot show by itself."""

from __future__ import annotations

import pytest

from server_stub.accounts import (
    ROOT,
    Account,
    AccountError,
    Administration,
    Configuration,
    Credentials,
    Passwords,
    Sessions,
    User,
    Users,
)
from server_stub.database import Database
from server_stub.events import EventLog
from server_stub.foundation.errors import UserError


@pytest.fixture
def administration(database: Database, log: EventLog) -> Administration:
    """Users of an empty database, and their sessions."""
    users = Users(Passwords(cheap=True))
    return Administration(
        users, Sessions(database, users, log, Configuration(log, lambda: 1000), lambda: 1000)
    )


def _account(login: str, *rights: str) -> Account:
    return Account(User(0, login, "easydb", login.title(), frozenset(rights)), ())


def test_the_log_in_of_a_program_is_not_the_last_root(
    administration: Administration, database: Database
) -> None:
    """It ends with the program that made it up; whoever has a password must be able to do everything."""
    with database.write() as connection:
        administration.add(connection, _account("anna", ROOT), "x")
        administration.users.admit_embedded_user(
            connection, "desktop", "y", displayname="Desktop", rights=[ROOT]
        )
        with pytest.raises(AccountError, match="anna is the last user"):
            administration.remove(connection, "anna")
        administration.add(connection, _account("bert", ROOT), "z")
        administration.remove(connection, "anna")
        assert [each.user.login for each in administration.accounts(connection)] == ["desktop", "bert"]


def test_ended_sessions_stay_known(administration: Administration, database: Database) -> None:
    """Full event records tell of a session when it began and ended, also after its user is gone."""
    sessions = administration.sessions
    with database.write() as connection:
        administration.add(connection, _account("anna", ROOT), "x")
        administration.add(connection, _account("bert"), "y")
    token, started = sessions.start()
    sessions.authenticate(started, Credentials("bert", "y"))
    with database.write() as connection:
        administration.remove(connection, "bert")
    with database.reader() as reader:
        assert sessions.find(reader, token).user is None
    with database.read() as connection:
        record = connection.exec_driver_sql("SELECT record FROM _session").scalar_one()
    assert '"expired":"1970-01-01T00:16:40+00:00"' in record


def test_unknown_logins_cost_as_much_as_known_ones(database: Database) -> None:
    """A hash is verified in both cases, so that the time of the refusal does not tell which there are."""
    verified: list[str] = []

    class Counted(Passwords):
        def fits(self, password: str, hashed: str) -> bool:
            verified.append(hashed)
            return super().fits(password, hashed)

    users = Users(Counted())
    with database.write() as connection:
        users.add(connection, "anna", "x", displayname="Anna")
        assert users.verified(connection, "anna", "wrong") is None
        assert users.verified(connection, "nobody", "wrong") is None
    costs = [hashed.rsplit("$", 2)[0] for hashed in verified]
    assert len(costs) == 2
    assert costs[0] == costs[1]


def test_the_hash_of_nobody_opens_nothing(administration: Administration, database: Database) -> None:
    """Whatever is typed for a login that does not exist."""
    _, started = administration.sessions.start()
    for password in ("nobody", "anything"):
        with pytest.raises(UserError, match="login_failed"):
            administration.sessions.authenticate(started, Credentials("nobody", password))
