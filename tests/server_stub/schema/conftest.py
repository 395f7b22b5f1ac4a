"""A schema service on a new SQLite file for each test."""

from pathlib import Path

import pytest

from server_stub.database import Database, bulk
from server_stub.events import EventLog
from server_stub.schema import Schemas
from tests.server_stub.schema.harness import NOW, Harness


@pytest.fixture
def harness(database: Database, log: EventLog) -> Harness:
    """The service on an empty database."""
    path = Path(str(database.engine.url.database))
    return Harness(Schemas(database, log, lambda: NOW), database, log, path)


@pytest.fixture(params=["anew", "in place"])
def both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs the test with all tables rebuilt, and with all tables altered by the database."""
    if request.param == "in place":
        monkeypatch.setattr(bulk, "_FEW_ROWS", -1)
    return str(request.param)
