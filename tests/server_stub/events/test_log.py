"""The event log: ids, records, and that a poll never passes an event by."""

from __future__ import annotations

import threading

import msgspec

from server_stub.database import Database
from server_stub.events import Actor, Asker, EventDraft, EventFilter, EventLog, Listing

ANNA = Actor(7, "easydb", "Anna", "session-anna", "10.0.0.1")
ASKER = Asker("session-anna", 7)
UPDATE = EventDraft("OBJECT_UPDATE", 1_552_474_865, ANNA, True, None, "USER", "work", 42, 3, '{"batch_id":1}')


def _append(database: Database, log: EventLog, *drafts: EventDraft) -> range:
    with database.write() as connection:
        return log.append(connection, drafts)


def test_a_full_record_has_the_shape_of_the_wire(database: Database, log: EventLog) -> None:
    """Every key of wire §3 stands, `info` as it was given."""
    _append(database, log, UPDATE)
    with database.reading() as reader:
        record = msgspec.json.decode(log.full_record(reader, 1, ASKER) or "")
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


def test_a_system_event_has_neither_user_nor_session(database: Database, log: EventLog) -> None:
    """Keys without a value are omitted (wire §3)."""
    _append(database, log, EventDraft("SERVER_START", 0))
    with database.reading() as reader:
        record = log.records(reader, ASKER, Listing(), full=False)
    assert msgspec.json.decode(record) == {
        "event": {"_id": 1, "timestamp": "1970-01-01T00:00:00+00:00", "type": "SERVER_START"}
    }


def test_ids_are_never_used_again(database: Database, log: EventLog) -> None:
    """A deleted event's id stays gone, else a poll would pass a new one by."""
    _append(database, log, UPDATE, UPDATE)
    with database.write() as connection:
        assert log.delete_matching(connection, EventFilter(), 1000, 0) == 2
    assert _append(database, log, UPDATE) == range(3, 4)


def test_a_poll_sees_every_event_of_four_writers(database: Database, log: EventLog) -> None:
    """Id order is the order in which events become visible."""
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
    with database.reading() as reader:
        records = log.poll(reader, ASKER, seen[-1] if seen else 0, 1000)
    seen += [record["event"]["_id"] for record in msgspec.json.decode(b"[%b]" % records)]
    return not records
