"""Lets the database join records' JSON from the texts that rows keep; knows no filter and no order.

Fetching a thousand rows into Python costs three times as much as fetching their one text.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    Subquery,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    select,
)

from server_stub.database.expressions import utf8
from server_stub.database.tables import event, session

# The public reference of the session that asks, given when a statement runs.
ASKER = bindparam("asker", type_=Text)


def _text(constant: str) -> ColumnElement[str]:
    return literal_column(f"'{constant}'", Text)


_own = case((event.c.session == ASKER, _text(',"session_self":true')), else_=_text(""))
_opening = _text('{"event":{"_id":') + cast(event.c.id, Text) + _text(",") + event.c.head + _own
_pollable = case((event.c.pollable == 1, _text("true")), else_=_text("false"))
_address = func.coalesce(_text(',"ipv4_address":"') + event.c.ipv4_address + _text('"'), _text(""))
_details = _text(',"pollable":') + _pollable + _text(',"info":') + event.c.info + _address
# The times of the session go before the last two braces of the record.
_head_of_tail = func.substr(event.c.tail, 1, func.length(event.c.tail) - 2)
_tail_with_times = case(
    (session.c.record.is_(None), event.c.tail), else_=_head_of_tail + session.c.record + _text("}}")
)

SHORT: Select[str] = select((_opening + event.c.tail).label("record"))
FULL: Select[str] = select((_opening + _details + _tail_with_times).label("record")).outerjoin_from(
    event, session, event.c.session == session.c.reference
)


def joined(records: Select[Any]) -> Select[bytes]:
    """One UTF-8 text of all the records, comma-separated in their order."""
    rows: Subquery = records.subquery()
    return select(utf8(func.aggregate_strings(rows.c.record, ",")))
