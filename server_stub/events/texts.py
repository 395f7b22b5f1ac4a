"""Lets the database join a record's JSON from the texts that its row keeps; knows no filter and no order."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Text, case, cast, func, literal

from server_stub.database.tables import event


def short(asker: str) -> ColumnElement[str]:
    """The short record (wire §3) as the session with reference `asker` sees it."""
    return _opening(asker) + event.c.tail


def full(asker: str) -> tuple[ColumnElement[str], ColumnElement[str | None]]:
    """The full record but for the times of its session, and that session's reference."""
    pollable = case((event.c.pollable == 1, ',"pollable":true,"info":'), else_=',"pollable":false,"info":')
    address = func.coalesce(literal(',"ipv4_address":"') + event.c.ipv4_address + '"', "")
    return _opening(asker) + pollable + event.c.info + address + event.c.tail, event.c.session


def _opening(asker: str) -> ColumnElement[str]:
    own = case((event.c.session == asker, ',"session_self":true'), else_="")
    return literal('{"event":{"_id":', Text) + cast(event.c.id, Text) + "," + event.c.head + own
