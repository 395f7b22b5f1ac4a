"""The event log: ids, records, and polls that never miss an event."""

from __future__ import annotations

import threading

import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, Select, select

from server_stub.database import Database
from server_stub.database.tables import event
from server_stub.events import Actor, Caller, EventDraft, EventFilter, EventLog, EventQuery
from server_stub.events.query import SortField, paged

ANNA = Actor(7, "easydb", "Anna", "session-anna", "10.0.0.1")
CALLER = Caller("session-anna", 7)
UPDATE = EventDraft("OBJECT_UPDATE", 1_552_474_865, ANNA, True, None, "USER", "work", 42, 3, '{"batch_id":1}')


def _append(database: Database, log: EventLog, *drafts: EventDraft) -> range:
    with database.write() as connection:
        return log.append(connection, drafts)


def test_a_full_record_has_the_shape_of_the_wire(database: Database, log: EventLog) -> None:
    """A full record has every key of wire §3, with `info` as it was given."""
    _append(database, log, UPDATE)
    with database.reader() as reader:
        record = msgspec.json.decode(log.full_record(reader, 1, CALLER) or "")
    assert record == {
        "event": {
            "_id": 1,
            "timestamp": "2019-03-13T11:01:05+00:00",
            "type": "OBJECT_UPDATE",
            "schema": "USER",
            "objecttype": "work",
            "global_object_id": "42@instance",
            "object_id": 42,
            "object_version": 3,
            "session_self": True,
            "pollable": True,
            "info": {"batch_id": 1},
            "ipv4_address": "10.0.0.1",
        },
        "user": {"_id": 7, "_generated_displayname": "Anna"},
        "_session": {"token": "session-anna"},
    }


def test_who_gets_the_update_of_a_user(database: Database, log: EventLog) -> None:
    """A user's own update is only visible to that user (§4.2 rule 2), other updates to everyone."""
    changed = EventDraft("OBJECT_UPDATE", 0, ANNA, True, "user", "BASE", object_id=9)
    _append(database, log, changed, replace(changed, actor=None), replace(changed, base_type="group"), UPDATE)
    callers = {
        "her own session": CALLER,
        "her other session": Caller("elsewhere", 7),
        "another user": Caller("session-ben", 8),
        "the user who was changed": Caller("session-9", 9),
        "nobody": Caller("session-0", None),
    }
    with database.reader() as reader:
        seen = {
            name: [
                each["event"]["_id"] for each in msgspec.json.decode(b"[%b]" % log.poll(reader, caller, 0, 9))
            ]
            for name, caller in callers.items()
        }
    assert seen == {
        "her own session": [1, 3, 4],
        "her other session": [1, 3, 4],
        "another user": [3, 4],
        "the user who was changed": [3, 4],
        "nobody": [
            2,
            3,
            4,
        ],  # An event without a user and a session that is not signed in.
    }


def test_a_system_event_has_neither_user_nor_session(database: Database, log: EventLog) -> None:
    """Keys without a value are omitted (wire §3)."""
    _append(database, log, EventDraft("SERVER_START", 0))
    with database.reader() as reader:
        (record,) = log.records(reader, CALLER, EventQuery(), full=False)
    assert msgspec.json.decode(record) == {
        "event": {"_id": 1, "timestamp": "1970-01-01T00:00:00+00:00", "type": "SERVER_START"}
    }


def test_ids_are_never_used_again(database: Database, log: EventLog) -> None:
    """The id of a deleted event is not reused, since polls would miss the new event."""
    _append(database, log, UPDATE, UPDATE)
    with database.write() as connection:
        assert log.delete_matching(connection, EventFilter(), 1000, 0) == 2
    assert _append(database, log, UPDATE) == range(3, 4)


def test_a_poll_sees_every_event_of_four_writers(database: Database, log: EventLog) -> None:
    """The order of ids is the order in which events become visible."""
    writers = [threading.Thread(target=_write_many, args=(database, log)) for _ in range(4)]
    for writer in writers:
        writer.start()
    seen: list[int] = []
    while len(seen) < 1000 and (
        any(writer.is_alive() for writer in writers) or not _polled(database, log, seen)
    ):
        _polled(database, log, seen)
    for writer in writers:
        writer.join()
    _polled(database, log, seen)
    assert seen == list(range(1, 1001))


def _write_many(database: Database, log: EventLog) -> None:
    for _ in range(50):
        _append(database, log, *[UPDATE] * 5)


def _polled(database: Database, log: EventLog, seen: list[int]) -> bool:
    with database.reader() as reader:
        records = log.poll(reader, CALLER, seen[-1] if seen else 0, 1000)
    seen += [record["event"]["_id"] for record in msgspec.json.decode(b"[%b]" % records)]
    return not records


@pytest.mark.parametrize(
    "event_filter", [EventFilter(), EventFilter(pollable=True), EventFilter(date_to=2_000)]
)
@pytest.mark.parametrize("descending", [True, False])
def test_rows_to_be_skipped_are_counted_in_the_index(
    database: Database, log: EventLog, event_filter: EventFilter, *, descending: bool
) -> None:
    """Skipped rows are counted in the index and not read; the page is that of OFFSET."""
    drafts = [EventDraft("LOGIN", second, ANNA, second % 3 > 0) for second in range(40, 0, -1)]
    _append(database, log, *drafts)
    sort = (SortField("_id", descending=descending),)
    statement = paged(select(event.c.id, event.c.head), event_filter, sort)
    with database.read() as connection:
        ids = connection.execute(statement, {"page_limit": 5, "page_offset": 7}).scalars().all()
        plan = _plan(connection, statement)
    possible = [id_ for id_, draft in enumerate(drafts, 1) if draft.pollable or not event_filter.pollable]
    assert ids == (possible[::-1] if descending else possible)[7:12]
    assert "SEARCH _event USING INTEGER PRIMARY KEY" in plan
    assert "SCAN _event USING COVERING INDEX _event_id" in plan


@pytest.mark.parametrize(
    ("event_filter", "index"),
    [
        (EventFilter(type=("LOGIN",), date_to=2_000), "_event_type_id (type=?)"),
        (EventFilter(type=("LOGIN", "SEARCH"), date_to=2_000, pollable=True), "_event_type_id (type=?)"),
        (EventFilter(base_type=("user",), date_to=2_000), "_event_base_type (base_type=?)"),
    ],
)
def test_a_frozen_page_by_id_sorts_no_rows(
    database: Database, log: EventLog, event_filter: EventFilter, index: str
) -> None:
    """Ids are found in a covering index, and only rows of the page are read."""
    kinds = "LOGIN", "SEARCH", "OTHER"
    drafts = [
        EventDraft(kinds[number % 3], number, ANNA, number % 2 > 0, "user" if number % 5 else None)
        for number in range(60)
    ]
    _append(database, log, *drafts)
    statement = paged(select(event.c.id, event.c.head), event_filter, (SortField("_id", descending=True),))
    with database.read() as connection:
        ids = connection.execute(statement, {"page_limit": 5, "page_offset": 7}).scalars().all()
        plan = _plan(connection, statement.params(page_limit=5, page_offset=7))
    possible = [
        id_
        for id_, draft in enumerate(drafts, 1)
        if draft.type in (event_filter.type or kinds)
        and draft.base_type in (event_filter.base_type or ("user", None))
        and (draft.pollable or not event_filter.pollable)
    ]
    assert ids == possible[::-1][7:12]
    assert "SEARCH _event USING INTEGER PRIMARY KEY" in plan
    assert f"SEARCH _event USING COVERING INDEX {index}" in plan


def _plan(connection: Connection, statement: Select[int, str]) -> str:
    text = statement.compile(connection, compile_kwargs={"render_postcompile": True})
    steps = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", tuple(1 for _ in text.positiontup or ()))
    return "\n".join(step.detail for step in steps)
