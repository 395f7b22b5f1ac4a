"""Blocks a login for a while after several failures in a row (wire §2)."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from server_stub.database.tables import login_failure

FAILURES_ALLOWED = 5
BLOCKED_SECONDS = 60


def blocked_until(connection: Connection, login: str, now: int) -> int | None:
    """The second at which the block of a login ends, or None if it is not blocked."""
    found = connection.execute(select(login_failure).where(login_failure.c.login == login)).first()
    if found is None or found.failures < FAILURES_ALLOWED or found.last + BLOCKED_SECONDS <= now:
        return None
    return int(found.last) + BLOCKED_SECONDS


def note_failure(connection: Connection, login: str, now: int) -> None:
    """Counts a failure; after a block has elapsed, counting starts again."""
    found = connection.execute(select(login_failure).where(login_failure.c.login == login)).first()
    stale = found is None or found.last + BLOCKED_SECONDS <= now
    clear(connection, login)
    failures = 1 if found is None or stale else found.failures + 1
    connection.execute(insert(login_failure).values(login=login, failures=failures, last=now))


def clear(connection: Connection, login: str) -> None:
    """Forgets the failures of a login."""
    connection.execute(delete(login_failure).where(login_failure.c.login == login))
