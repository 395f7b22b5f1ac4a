"""A schema room on a new SQLite file for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from server_stub.database import Database
from server_stub.events import EventLog
from server_stub.schema import Schemas
from tests.server_stub.schema.house import NOW, House


@pytest.fixture
def house(database: Database, log: EventLog) -> House:
    """The room on an empty database."""
    path = Path(str(database.engine.url.database))
    return House(Schemas(database, log, lambda: NOW), database, log, path)
