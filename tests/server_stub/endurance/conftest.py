"""The databases of endurance tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server_stub.endurance.store import PostgresqlStore, SqliteStore, Store


@pytest.fixture
def postgresql(request: pytest.FixtureRequest) -> Iterator[PostgresqlStore]:
    """An empty PostgreSQL database."""
    store = PostgresqlStore(request.getfixturevalue("cluster"))
    yield store
    store.cluster.drop_database(store.name)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """An empty database of either kind."""
    if request.param == "sqlite":
        return SqliteStore(tmp_path)
    found: Store = request.getfixturevalue("postgresql")
    return found
