"""Keeps the sessions of simulated people beside their events; knows no visit."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, insert, select, update

from server_stub.accounts.sessions import session_record
from server_stub.database.tables import session
from server_stub.demo.history import session_row
from server_stub.events import EventDraft


def keep_sessions(connection: Connection, drafts: Iterable[EventDraft]) -> None:
    """A log-in opens a session, a log-out ends it."""
    for draft in drafts:
        if draft.actor is not None and draft.actor.session is not None:
            now, reference = draft.timestamp, draft.actor.session
            if draft.type == "USER_LOGIN":
                row = session_row(reference, now, now, signed_out=False, end=now)
                connection.execute(insert(session), row)
            elif draft.type == "USER_LOGOUT":
                own = session.c.reference == reference
                created = connection.execute(select(session.c.created).where(own)).scalar_one()
                record = session_record(created, now)
                connection.execute(update(session).where(own).values(record=record, last_used=now))
