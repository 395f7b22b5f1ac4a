"""A fresh database for every test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from server_stub.database import Database, open_database
from server_stub.events import EventLog


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty SQLite database in a file."""
    opened = open_database(str(tmp_path / "server.sqlite"))
    yield opened
    opened.close()


@pytest.fixture
def log(database: Database) -> EventLog:
    """The event log of the fresh database."""
    return EventLog(database, "instance")
