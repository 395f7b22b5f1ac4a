"""SQL expressions with which the database builds the JSON of records from the texts that rows keep.

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
    func,
    literal,
    literal_column,
    select,
)

from server_stub.database.dialects import concatenated, utf8
from server_stub.database.tables import event, session

# Parameter: the public reference of the calling session.
CALLER = bindparam("caller", type_=Text)


def _text(constant: str) -> ColumnElement[str]:
    return literal_column(f"'{constant}'", Text)


_own = case((event.c.session == CALLER, _text(',"session_self":true')))
_opening = (_text('{"event":{"_id":'), event.c.id, _text(","), event.c.head, _own)
POLLABLE = case((event.c.pollable == 1, _text("true")), else_=_text("false"))
# `head` begins with the time as the wire has it, whose text is of one length.
TIMESTAMP = func.substr(event.c.head, len('"timestamp":"') + 1, 25)
_address = _text(',"ipv4_address":"') + event.c.ipv4_address + _text('"')
_details = (_text(',"pollable":'), POLLABLE, _text(',"info":'), event.c.info, _address)
# The times of the session go before the last two braces of the record, which follow a quotation mark.
_timed = session.c.record.is_not(None)
_tail = case((_timed, func.rtrim(event.c.tail, _text("}"))), else_=event.c.tail)
_times = (session.c.record, case((_timed, _text("}}"))))

SHORT: Select[str] = select(concatenated(*_opening, event.c.tail).label("record"))
FULL: Select[str] = select(concatenated(*_opening, *_details, _tail, *_times).label("record")).outerjoin_from(
    event, session, event.c.session == session.c.reference
)


def global_id(instance: str) -> ColumnElement[str | None]:
    """The id of a user object that is unique over all instances (wire §3); null for other events."""
    is_object = (event.c.schema == "USER") & event.c.object_id.is_not(None)
    return case((is_object, concatenated(event.c.object_id, literal(f"@{instance}", Text))))


def separate_records(records: Select[Any]) -> Select[bytes]:
    """The records one by one, each as UTF-8 text."""
    (record,) = records.selected_columns
    return records.with_only_columns(utf8(record).label("record"))


def joined_records(records: Select[Any]) -> Select[bytes]:
    """One UTF-8 text of all the records, comma-separated in their order."""
    rows: Subquery = records.subquery()
    return select(utf8(func.aggregate_strings(rows.c.record, ",")))
