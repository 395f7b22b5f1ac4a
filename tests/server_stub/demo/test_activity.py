"""Simulated activity: it writes events, follows the schema and stops immediately."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import delete, func, select, text

from server_stub.database import open_database
from server_stub.database.tables import event, object_version
from server_stub.demo import Activity, DemoServices, add_missing_versions, fill
from server_stub.demo.activity import active_people, changing_columns, other_value
from server_stub.events import Actor
from server_stub.foundation.times import to_wire
from server_stub.schema.document.model import Check, Column, Family, Reference, Table, UniqueKey
from server_stub.schema.objects import Objects
from tests.server_stub.demo.conftest import Museum, services_on


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


def _objects(services: DemoServices) -> Objects:
    return Objects(services.database, "instance-uuid")


def _versions(objects: Objects, objecttype: str, number: int) -> list[dict[str, Any]]:
    """All versions of an object, oldest first."""
    newest = objects.read(objecttype, number, None)[objecttype]["_version"]
    found = [objects.read(objecttype, number, version) for version in range(1, newest + 1)]
    assert [each[objecttype]["_version"] for each in found] == list(range(1, newest + 1))
    return found


@pytest.mark.parametrize("objecttype", ["work", "place"])
def test_every_version_differs_from_the_one_before(museum: Museum, objecttype: str) -> None:
    """Objects have all of their versions, each with something changed, and the times of the log."""
    objects = _objects(museum.services)
    logged = {
        (row.object_id, row.object_version): row.timestamp
        for row in museum.events
        if row.objecttype == objecttype and row.type in ("OBJECT_INSERT", "OBJECT_UPDATE")
    }
    for number in range(1, 7):
        versions = _versions(objects, objecttype, number)
        for before, after in pairwise(versions):
            different = {key for key, value in after[objecttype].items() if value != before[objecttype][key]}
            assert len(different) >= 2
            assert "_version" in different
        for version, found in enumerate(versions, 1):
            second = logged.get((number, version))
            assert found.get("_last_modified") == (None if second is None else to_wire(second))


def test_live_activity_changes_objects(filled: DemoServices) -> None:
    """Each live update replaces a value, which the version before still has; new objects have version 1."""
    services = filled
    with services.database.read() as connection:
        before = services.log.last_id(connection)
    stop = threading.Event()
    worker = threading.Thread(target=Activity(services, per_minute=60_000).run, args=(stop,))
    worker.start()
    changed: dict[tuple[str, int, str], int] = {}
    try:
        while len(changed) < 25:
            with services.database.read() as connection:
                rows = connection.execute(
                    select(event).where(
                        event.c.id > before,
                        event.c.schema == "USER",
                        event.c.type.in_(("OBJECT_INSERT", "OBJECT_UPDATE")),
                    )
                ).all()
            changed = {(row.objecttype, row.object_id, row.type): row.object_version for row in rows}
            stop.wait(0.02)
    finally:
        stop.set()
        worker.join(10)
    objects = _objects(services)
    assert {kind for _, _, kind in changed} == {"OBJECT_INSERT", "OBJECT_UPDATE"}
    for (objecttype, number, kind), version in changed.items():
        found = objects.read(objecttype, number, version)
        assert found["_last_modified"] == to_wire(services.now())
        if kind == "OBJECT_UPDATE":
            older = objects.read(objecttype, number, version - 1)
            assert older[objecttype] | {"_version": version} != found[objecttype]


def test_a_demo_of_an_older_server(new_services: Callable[[str], DemoServices], tmp_path: Path) -> None:
    """A database without the table gets it when it is opened, and its versions as a demo."""
    services = new_services("old")
    fill(services, events=100)
    expected = _versions(_objects(services), "work", 3)
    with services.database.write() as connection:
        connection.execute(text("DROP TABLE _object_version"))
    database = open_database(str(tmp_path / "old.sqlite"))
    try:
        again = services_on(database)
        with database.read() as connection:
            count = select(func.count()).select_from(object_version)
            assert connection.execute(count).scalar_one() == 0
        add_missing_versions(again)
        assert _versions(_objects(again), "work", 3) == expected
        with database.write() as connection:
            connection.execute(delete(object_version).where(object_version.c.object_id != 3))
        add_missing_versions(again)
        with database.read() as connection:
            assert set(connection.execute(select(object_version.c.object_id)).scalars()) == {3}
    finally:
        database.close()


@pytest.mark.parametrize("family", [Family.TEXT, Family.LOCALIZED, Family.BOOLEAN, Family.NUMBER])
def test_values_always_differ(family: Family) -> None:
    """The next value is never the same, whatever the value is."""
    kinds = {Family.TEXT: "text", Family.LOCALIZED: "text_l10n"}
    kinds |= {Family.BOOLEAN: "boolean", Family.NUMBER: "number"}
    rng, changed = Random("values"), Column(1, "value", kinds[family])
    assert changed.family is family
    value: Any = None
    for _ in range(200):
        following = other_value(changed, value, rng)
        assert following != value
        value = following


def test_columns_with_conditions_do_not_change() -> None:
    """Values that a check or a unique key might refuse stay as they are."""
    free, key = Column(1, "free", "text"), Column(2, "key", "text")
    checked = Column(3, "mail", "text", check=Check("email"))
    short = Column(4, "short", "text", check=Check(length_max=3))
    linked = Column(5, "link", "link")
    unique = UniqueKey("k", (Reference(2),))
    table = Table(1, "work", (free, key, checked, short, linked), unique_keys=(unique,))
    assert changing_columns(table) == (free,)
