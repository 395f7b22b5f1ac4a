"""Simulated activity: it writes, it follows the schema, it stops at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

import pytest
from sqlalchemy import column, func, select, table, text

from server_stub.database.tables import event
from server_stub.demo import Activity, House, fill
from server_stub.demo.activity import people_at_work
from server_stub.events import Actor


@contextmanager
def _running(house: House, *, per_minute: float = 60_000) -> Iterator[None]:
    stop = threading.Event()
    worker = threading.Thread(target=Activity(house, per_minute=per_minute).run, args=(stop,))
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join(10)
        assert not worker.is_alive()


def _wait_for(house: House, count: int, after: int) -> list[str]:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with house.database.read() as connection:
            found = connection.execute(select(event.c.type).where(event.c.id > after)).scalars().all()
        if len(found) >= count:
            return list(found)
        time.sleep(0.01)
    raise AssertionError(f"not {count} events in time")


def _last_id(house: House) -> int:
    with house.database.read() as connection:
        return house.log.last_id(connection)


def test_keeps_people_at_work(new_house: Callable[[str], House]) -> None:
    """Log-ins, searches, views, inserts, updates and index runs come, from none of the demo users."""
    house = new_house("busy")
    fill(house, events=30)
    before = _last_id(house)
    with _running(house):
        types = set(_wait_for(house, 800, before))
    assert types >= {"USER_LOGIN", "SEARCH", "DETAIL_VIEW", "OBJECT_INSERT", "OBJECT_UPDATE", "OBJECT_INDEX"}
    with house.database.read() as connection:
        new = select(event.c.user_id).where(event.c.id > before, event.c.user_id.is_not(None))
        assert min(connection.execute(new).scalars()) > 6


def test_who_made_an_account_of_their_own_keeps_still(new_house: Callable[[str], House]) -> None:
    """Nobody finds in the log what they never did."""
    house = new_house("own")
    fill(house, events=3)
    with house.database.write() as connection:
        house.users.add(connection, "mine", "x", displayname="Mine")
        people, rng = people_at_work(connection), Random(1)
    assert {"mine", "root"}.isdisjoint(people.pick(rng).login for _ in range(5_000))


def test_objects_follow_their_events(new_house: Callable[[str], House]) -> None:
    """After an update the row has the version told, and an inserted object exists."""
    house = new_house("follow")
    fill(house, events=30)
    before = _last_id(house)
    with _running(house):
        _wait_for(house, 600, before)
    reached = select(event.c.objecttype, event.c.object_id, func.max(event.c.object_version))
    changed = event.c.type.in_(("OBJECT_INSERT", "OBJECT_UPDATE"))
    recent = reached.where(event.c.id > before, changed, event.c.schema == "USER")
    with house.database.read() as connection:
        told = connection.execute(recent.group_by(event.c.objecttype, event.c.object_id)).all()
        for name, object_id, version in told:
            rows = table(name, column("_id"), column("_version"))
            found = connection.execute(select(rows.c["_version"]).where(rows.c["_id"] == object_id))
            assert found.scalar_one() == version
    assert len(told) > 20


def test_goes_on_after_a_commit(new_house: Callable[[str], House]) -> None:
    """A commit between two events changes tables; the people go on with those that are there now."""
    house = new_house("commit")
    fill(house, events=30)
    with _running(house):
        _wait_for(house, 50, _last_id(house))
        house.schemas.commit(Actor(1, "system", "Root"))
        types = _wait_for(house, 300, _last_id(house))
    assert "DETAIL_VIEW" in types


def test_without_any_schema(new_house: Callable[[str], House]) -> None:
    """In a house with one user and no objects people still come and go."""
    house = new_house("bare")
    with house.database.write() as connection:
        house.users.add(connection, "root", "x", displayname="Root")
    with _running(house):
        types = set(_wait_for(house, 100, 0))
    assert {"USER_LOGIN", "USER_LOGOUT"} <= types
    assert "DETAIL_VIEW" not in types


def test_outlives_a_failing_database(
    new_house: Callable[[str], House], caplog: pytest.LogCaptureFixture
) -> None:
    """What cannot be written is lost and said in the log; when the database works again, so do the people."""
    house = new_house("failing")
    fill(house, events=10)
    with _running(house):
        _wait_for(house, 20, _last_id(house))
        with house.database.write() as connection:
            connection.execute(text("ALTER TABLE _event RENAME TO hidden"))
        while not caplog.records:
            time.sleep(0.01)
        with house.database.write() as connection:
            connection.execute(text("ALTER TABLE hidden RENAME TO _event"))
        _wait_for(house, 20, _last_id(house))
    assert "no such table: _event" in caplog.records[0].getMessage()


def test_keeps_the_rate(new_house: Callable[[str], House]) -> None:
    """At six hundred a minute about ten events come in a second, and stopping is immediate."""
    house = new_house("rate")
    fill(house, events=10)
    before = _last_id(house)
    with _running(house, per_minute=600):
        time.sleep(1.5)
    assert 4 <= _last_id(house) - before <= 40


def test_refuses_no_rate(new_house: Callable[[str], House]) -> None:
    """A rate that never brings an event is a defect of the caller."""
    with pytest.raises(ValueError, match="above 0"):
        Activity(new_house("none"), per_minute=0)
