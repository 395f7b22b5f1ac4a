"""Rules of administration that the command line alone cannot test."""

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
    """The administration of an empty database, and its sessions."""
    users = Users(Passwords(cheap=True))
    return Administration(
        users, Sessions(database, users, log, Configuration(log, lambda: 1000), lambda: 1000)
    )


def _account(login: str, *rights: str) -> Account:
    return Account(User(0, login, "easydb", login.title(), frozenset(rights)), ())


def test_the_log_in_of_a_program_is_not_the_last_root(
    administration: Administration, database: Database
) -> None:
    """A user of an embedding program does not count as the last user with every right."""
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


def test_sessions_of_removed_users_are_kept(administration: Administration, database: Database) -> None:
    """Full event records contain the times of a session even after its user is removed."""
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
    """A hash is verified for unknown logins too, so that timing does not reveal logins."""
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


def test_the_hash_for_unknown_logins_matches_nothing(
    administration: Administration, database: Database
) -> None:
    """No password matches the hash that is used for unknown logins."""
    _, started = administration.sessions.start()
    for password in ("nobody", "anything"):
        with pytest.raises(UserError, match="login_failed"):
            administration.sessions.authenticate(started, Credentials("nobody", password))
