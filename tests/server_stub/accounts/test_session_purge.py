"""Expired sessions are deleted during sign-ins; their data in events remains."""

import pytest
from sqlalchemy import delete, func, select, text

from server_stub.accounts import Configuration, Credentials, Passwords, Sessions, Users
from server_stub.database import Database
from server_stub.database.tables import event, session
from server_stub.events import Caller, EventLog
from server_stub.foundation.errors import UserError
from tests.contract.caller import Clock

DAY = 86_400


@pytest.fixture
def clock() -> Clock:
    """A separate clock for each test."""
    return Clock()


@pytest.fixture
def sessions(database: Database, log: EventLog, clock: Clock) -> Sessions:
    """Sessions that live a day, with one user, anna, whose password is her name."""
    users = Users(Passwords(cheap=True))
    with database.write() as connection:
        users.add(connection, "anna", "anna", displayname="Anna")
    return Sessions(database, users, log, Configuration(log, clock), clock)


def _sign_in(sessions: Sessions, database: Database, token: str) -> str:
    with database.reader() as reader:
        found = sessions.find(reader, token)
    return sessions.authenticate(found, Credentials("anna", "anna")).reference


def _known(database: Database) -> int:
    with database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(session)).scalar_one())


def _refusals(sessions: Sessions, database: Database, tokens: list[str]) -> list[str]:
    codes = []
    for token in tokens:
        with database.reader() as reader, pytest.raises(UserError) as caught:
            sessions.find(reader, token)
        codes.append(caught.value.code.removeprefix("error.user."))
    return codes


def test_unused_sessions_are_deleted(sessions: Sessions, database: Database, clock: Clock) -> None:
    """Unused sessions are deleted a day after their end; until then their token counts as expired."""
    tokens = [sessions.start()[0] for _ in range(250)]
    clock.second += 2 * DAY
    _sign_in(sessions, database, sessions.start()[0])
    assert _refusals(sessions, database, tokens) == ["session_invalid"] * 250
    clock.second += 1
    _sign_in(sessions, database, sessions.start()[0])
    # They are of both kinds: they ended before the oldest event too.
    assert _known(database) == 250 - 2 * 100 + 2
    _sign_in(sessions, database, sessions.start()[0])
    assert _refusals(sessions, database, tokens) == ["session_not_found"] * 250


def test_sessions_with_events_are_preserved(
    sessions: Sessions, database: Database, log: EventLog, clock: Clock
) -> None:
    """Sessions are preserved while events may refer to them; the public reference always remains."""
    reference = _sign_in(sessions, database, sessions.start()[0])
    clock.second += 400 * DAY
    own = _sign_in(sessions, database, sessions.start()[0])
    with database.reader() as reader:
        record = log.full_record(reader, 1, Caller("nobody", None))
    assert record is not None
    assert f'"_session":{{"token":"{reference}","created":"2025-06-15T15:06:40+00:00"' in record
    with database.write() as connection:
        connection.execute(delete(event).where(event.c.id == 1))
    last = _sign_in(sessions, database, sessions.start()[0])
    with database.read() as connection:
        assert set(connection.execute(select(session.c.reference)).scalars()) == {own, last}


def test_an_empty_log(sessions: Sessions, database: Database, clock: Clock) -> None:
    """With an empty log no expired session is preserved."""
    _sign_in(sessions, database, sessions.start()[0])
    clock.second += 3 * DAY
    with database.write() as connection:
        connection.execute(delete(event))
    _sign_in(sessions, database, sessions.start()[0])
    assert _known(database) == 1


def test_the_work_is_bounded(database: Database) -> None:
    """Both kinds of sessions are found by an index, without reading all sessions."""
    asked = "EXPLAIN QUERY PLAN SELECT reference FROM _session WHERE last_used < 5"
    with database.read() as connection:
        for more in ("", " AND current_max_event_id IS NULL"):
            plan = connection.execute(text(f"{asked}{more} ORDER BY last_used LIMIT 100")).all()
            assert [row.detail.startswith("SEARCH _session USING") for row in plan] == [True]
