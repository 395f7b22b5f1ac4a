"""Forgets sessions that ended long ago and that no event tells of; knows no token and no user."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, delete, func, select, true

from server_stub.database.tables import event, session

# So long after its end a token is told from one that never was.
_REMEMBERED_SECONDS = 86_400
# Of each kind at once; somebody waits for the log-in that does it.
_MOST = 100


def purge(connection: Connection, now: int, timeout: int) -> None:
    """Forgets some: those that nobody ever signed in with, and those whose events are all deleted.

    The others stay, for the full records of their events tell when they were (wire §3). `timeout` is how
    long sessions live unused, in seconds.
    """
    ended = now - timeout - _REMEMBERED_SECONDS
    _forget(connection, ended, session.c.current_max_event_id.is_(None))
    oldest = connection.execute(select(func.min(event.c.timestamp))).scalar()
    _forget(connection, ended if oldest is None else min(ended, oldest - timeout), true())


def _forget(connection: Connection, unused_since: int, which: ColumnElement[bool]) -> None:
    chosen = select(session.c.reference).where(session.c.last_used < unused_since, which)
    some = chosen.order_by(session.c.last_used).limit(_MOST)
    connection.execute(delete(session).where(session.c.reference.in_(some)))
