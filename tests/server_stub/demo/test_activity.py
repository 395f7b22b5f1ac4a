"""Simulated activity: it writes events, follows the schema and stops immediately."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

import pytest
from sqlalchemy import column, func, select, table, text

from server_stub.database.tables import event
from server_stub.demo import Activity, DemoServices, fill
from server_stub.demo.activity import active_people
from server_stub.events import Actor


@contextmanager
def _running(services: DemoServices, *, per_minute: float = 60_000) -> Iterator[None]:
    stop = threading.Event()
    worker = threading.Thread(target=Activity(services, per_minute=per_minute).run, args=(stop,))
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join(10)
        assert not worker.is_alive()


def _wait_for(services: DemoServices, count: int, after: int) -> list[str]:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with services.database.read() as connection:
            found = connection.execute(select(event.c.type).where(event.c.id > after)).scalars().all()
        if len(found) >= count:
            return list(found)
        time.sleep(0.01)
    raise AssertionError(f"not {count} events in time")


def _last_id(services: DemoServices) -> int:
    with services.database.read() as connection:
        return services.log.last_id(connection)


def test_generates_all_kinds_of_events(new_services: Callable[[str], DemoServices]) -> None:
    """All kinds of events are generated, but none by the demo users."""
    services = new_services("busy")
    fill(services, events=30)
    before = _last_id(services)
    with _running(services):
        types = set(_wait_for(services, 800, before))
    assert types >= {"USER_LOGIN", "SEARCH", "DETAIL_VIEW", "OBJECT_INSERT", "OBJECT_UPDATE", "OBJECT_INDEX"}
    with services.database.read() as connection:
        new = select(event.c.user_id).where(event.c.id > before, event.c.user_id.is_not(None))
        assert min(connection.execute(new).scalars()) > 6


def test_later_accounts_get_no_events(new_services: Callable[[str], DemoServices]) -> None:
    """Accounts added later get no simulated events."""
    services = new_services("own")
    fill(services, events=3)
    with services.database.write() as connection:
        services.users.add(connection, "mine", "x", displayname="Mine")
        people, rng = active_people(connection), Random(1)
    assert {"mine", "root"}.isdisjoint(people.pick(rng).login for _ in range(5_000))


def test_objects_follow_their_events(new_services: Callable[[str], DemoServices]) -> None:
    """An updated row has the version of its event, and an inserted object exists."""
    services = new_services("follow")
    fill(services, events=30)
    before = _last_id(services)
    with _running(services):
        _wait_for(services, 600, before)
    reached = select(event.c.objecttype, event.c.object_id, func.max(event.c.object_version))
    changed = event.c.type.in_(("OBJECT_INSERT", "OBJECT_UPDATE"))
    recent = reached.where(event.c.id > before, changed, event.c.schema == "USER")
    with services.database.read() as connection:
        changes = connection.execute(recent.group_by(event.c.objecttype, event.c.object_id)).all()
        for name, object_id, version in changes:
            rows = table(name, column("_id"), column("_version"))
            found = connection.execute(select(rows.c["_version"]).where(rows.c["_id"] == object_id))
            assert found.scalar_one() == version
    assert len(changes) > 20


def test_activity_continues_after_a_commit(new_services: Callable[[str], DemoServices]) -> None:
    """Activity continues with the new tables after a commit."""
    services = new_services("commit")
    fill(services, events=30)
    with _running(services):
        _wait_for(services, 50, _last_id(services))
        services.schemas.commit(Actor(1, "system", "Root"))
        types = _wait_for(services, 300, _last_id(services))
    assert "DETAIL_VIEW" in types


def test_without_any_schema(new_services: Callable[[str], DemoServices]) -> None:
    """Users sign in and out even without a schema and objects."""
    services = new_services("bare")
    with services.database.write() as connection:
        services.users.add(connection, "root", "x", displayname="Root")
    with _running(services):
        types = set(_wait_for(services, 100, 0))
    assert {"USER_LOGIN", "USER_LOGOUT"} <= types
    assert "DETAIL_VIEW" not in types


def test_resumes_after_a_database_error(
    new_services: Callable[[str], DemoServices], caplog: pytest.LogCaptureFixture
) -> None:
    """Events that cannot be written are logged and dropped, and activity resumes afterwards."""
    services = new_services("failing")
    fill(services, events=10)
    with _running(services):
        _wait_for(services, 20, _last_id(services))
        with services.database.write() as connection:
            connection.execute(text("ALTER TABLE _event RENAME TO hidden"))
        while not caplog.records:
            time.sleep(0.01)
        with services.database.write() as connection:
            connection.execute(text("ALTER TABLE hidden RENAME TO _event"))
        _wait_for(services, 20, _last_id(services))
    assert "no such table: _event" in caplog.records[0].getMessage()


def test_keeps_the_rate(new_services: Callable[[str], DemoServices]) -> None:
    """Six hundred a minute are about ten events a second, and stopping is immediate."""
    services = new_services("rate")
    fill(services, events=10)
    before = _last_id(services)
    with _running(services, per_minute=600):
        time.sleep(1.5)
    assert 4 <= _last_id(services) - before <= 40


def test_refuses_a_rate_of_zero(new_services: Callable[[str], DemoServices]) -> None:
    """A rate of zero is an error of the caller."""
    with pytest.raises(ValueError, match="above 0"):
        Activity(new_services("none"), per_minute=0)
