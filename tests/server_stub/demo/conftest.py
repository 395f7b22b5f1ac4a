"""A filled demo database for reading tests, and empty databases."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Row, select

from server_stub.accounts import Passwords, Users
from server_stub.database import Database, open_database
from server_stub.database.tables import event
from server_stub.demo import DemoServices, fill
from server_stub.events import EventLog
from server_stub.schema import Schemas

# A Thursday afternoon.
NOW = 1_731_000_000

EventRow = Row[*tuple[Any, ...]]


def services_on(database: Database) -> DemoServices:
    """Services with a constant time."""
    log = EventLog(database, "instance-uuid")
    return DemoServices(
        database, log, Users(Passwords(cheap=True)), Schemas(database, log, lambda: NOW), lambda: NOW
    )


@pytest.fixture
def new_services(tmp_path: Path) -> Iterator[Callable[[str], DemoServices]]:
    """Creates services on empty databases by name."""
    opened: list[Database] = []

    def make(name: str) -> DemoServices:
        opened.append(open_database(str(tmp_path / f"{name}.sqlite")))
        return services_on(opened[-1])

    yield make
    for database in opened:
        database.close()


@pytest.fixture(scope="session")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo with thirty events, which tests copy."""
    file = tmp_path_factory.mktemp("template") / "demo.sqlite"
    database = open_database(str(file))
    fill(services_on(database), events=30)
    database.close()
    return file


@pytest.fixture
def filled(_template: Path, tmp_path: Path) -> Iterator[DemoServices]:
    """The services of a demo of its own with thirty events."""
    database = open_database(str(shutil.copy(_template, tmp_path / "filled.sqlite")))
    yield services_on(database)
    database.close()


@dataclass(frozen=True)
class Museum:
    """The services of a filled database and its events by ascending id."""

    services: DemoServices
    events: list[EventRow]


@pytest.fixture(scope="session")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Museum]:
    """The data of `cdb-server --demo`, for reading only."""
    database = open_database(str(tmp_path_factory.mktemp("museum") / "demo.sqlite"))
    services = services_on(database)
    fill(services)
    with database.read() as connection:
        events = list(connection.execute(select(event).order_by(event.c.id)))
    yield Museum(services, events)
    database.close()
