"""Versions of the demo's objects: of the past, of live activity, and in databases of older servers."""

import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import delete, func, select, text

from server_stub.database import open_database
from server_stub.database.tables import event, object_version
from server_stub.demo import Activity, DemoServices, add_missing_versions, fill
from server_stub.demo.activity import changing_columns, other_value
from server_stub.foundation.times import to_wire
from server_stub.schema.document.model import Check, Column, Family, Reference, Table, UniqueKey
from server_stub.schema.objects import Objects
from tests.server_stub.demo.conftest import Museum, services_on


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
