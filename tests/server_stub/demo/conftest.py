"""The demo house filled once for all tests that only read, and empty ones to fill."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Row, select

from server_stub.accounts import Passwords, Users
from server_stub.database import Database, open_database
from server_stub.database.tables import event
from server_stub.demo import House, fill
from server_stub.events import EventLog
from server_stub.schema import Schemas

# A Thursday afternoon.
NOW = 1_731_000_000

EventRow = Row[*tuple[Any, ...]]


def house_on(database: Database) -> House:
    """A house whose clock stands still."""
    log = EventLog(database, "instance-uuid")
    return House(
        database, log, Users(Passwords(cheap=True)), Schemas(database, log, lambda: NOW), lambda: NOW
    )


@pytest.fixture
def new_house(tmp_path: Path) -> Iterator[Callable[[str], House]]:
    """Makes empty houses by name."""
    opened: list[Database] = []

    def make(name: str) -> House:
        opened.append(open_database(str(tmp_path / f"{name}.sqlite")))
        return house_on(opened[-1])

    yield make
    for database in opened:
        database.close()


@dataclass(frozen=True)
class Museum:
    """A filled house and its events by ascending id."""

    house: House
    events: list[EventRow]


@pytest.fixture(scope="session")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Museum]:
    """The demo house as everybody gets it; only to be read."""
    database = open_database(str(tmp_path_factory.mktemp("museum") / "demo.sqlite"))
    house = house_on(database)
    fill(house)
    with database.read() as connection:
        events = list(connection.execute(select(event).order_by(event.c.id)))
    yield Museum(house, events)
    database.close()
