"""The event log: ids, records, and polls that never miss an event."""

import threading

import msgspec
import pytest
from sqlalchemy import Connection, Select, select

from server_stub.database import Database
from server_stub.database.tables import event
from server_stub.events import Actor, Caller, EventDraft, EventFilter, EventLog
from server_stub.events.query import SortField, paged

ANNA = Actor(7, "easydb", "Anna", "session-anna", "10.0.0.1")
CALLER = Caller("session-anna", 7)
UPDATE = EventDraft("OBJECT_UPDATE", 1_552_474_865, ANNA, True, None, "USER", "work", 42, 3, '{"batch_id":1}')


def _append(database: Database, log: EventLog, *drafts: EventDraft) -> range:
    with database.write() as connection:
        return log.append(connection, drafts)


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


def test_ranges_of_ids_are_found(database: Database) -> None:
    """Not all events are compared with the ranges."""
    with database.read() as connection:
        ranges = EventFilter(ids=((1, 2), (5, 7))).conditions()
        plan = _plan(connection, select(event.c.id, event.c.head).where(*ranges))
    assert "SEARCH _event USING INTEGER PRIMARY KEY" in plan
    assert "SCAN _event" not in plan


def _plan(connection: Connection, statement: Select[int, str]) -> str:
    text = statement.compile(connection, compile_kwargs={"render_postcompile": True})
    steps = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", tuple(1 for _ in text.positiontup or ()))
    return "\n".join(step.detail for step in steps)
