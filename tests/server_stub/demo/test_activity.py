"""Simulated activity: it writes events, follows the schema and stops immediately."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

import pytest
from sqlalchemy import select, text

from server_stub.database.tables import event
from server_stub.demo import Activity, DemoServices
from server_stub.demo.activity import active_people
from server_stub.events import Actor


@contextmanager
def _running(services: DemoServices) -> Iterator[None]:
    stop = threading.Event()
    worker = threading.Thread(target=Activity(services, per_minute=60_000).run, args=(stop,))
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


def test_generates_all_kinds_of_events(filled: DemoServices) -> None:
    """All kinds of events are generated, but none by the demo users."""
    services = filled
    before = _last_id(services)
    with _running(services):
        types = set(_wait_for(services, 800, before))
    assert types >= {"USER_LOGIN", "SEARCH", "DETAIL_VIEW", "OBJECT_INSERT", "OBJECT_UPDATE", "OBJECT_INDEX"}
    with services.database.read() as connection:
        new = select(event.c.user_id).where(event.c.id > before, event.c.user_id.is_not(None))
        assert min(connection.execute(new).scalars()) > 6


def test_later_accounts_get_no_events(filled: DemoServices) -> None:
    """Accounts added later get no simulated events."""
    services = filled
    with services.database.write() as connection:
        services.users.add(connection, "mine", "x", displayname="Mine")
        people, rng = active_people(connection), Random(1)
    assert {"mine", "root"}.isdisjoint(people.pick(rng).login for _ in range(5_000))


def test_activity_continues_after_a_commit(filled: DemoServices) -> None:
    """Activity continues with the new tables after a commit."""
    services = filled
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


def test_resumes_after_a_database_error(filled: DemoServices, caplog: pytest.LogCaptureFixture) -> None:
    """Events that cannot be written are logged and dropped, and activity resumes afterwards."""
    services = filled
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
