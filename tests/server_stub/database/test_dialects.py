"""Indexes are alike on every database, and none but the own one is loaded for that."""

import subprocess
import sys
from typing import Any

import pytest
from sqlalchemy import Dialect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex

from server_stub.database.tables import event, session

_LOADED = "import sys, server_stub.database.tables; print('sqlalchemy.dialects.postgresql' in sys.modules)"


@pytest.mark.parametrize("dialect", [sqlite.dialect(), postgresql.dialect()])  # type: ignore[no-untyped-call]
def test_a_partial_index_has_its_condition(dialect: Dialect) -> None:
    partial: Any = next(index for index in session.indexes if index.name == "_session_never_signed_in")
    sql = str(CreateIndex(partial).compile(dialect=dialect))
    assert sql.endswith("(last_used) WHERE current_max_event_id IS NULL")


@pytest.mark.parametrize(
    ("dialect", "columns"),
    [
        (sqlite.dialect(), "object_id, id, timestamp"),
        (postgresql.dialect(), "object_id NULLS FIRST, id, timestamp"),  # type: ignore[no-untyped-call]
    ],
)
def test_nulls_are_the_smallest_values(dialect: Dialect, columns: str) -> None:
    """Nulls come first in the indexes of every database, as in SQLite's."""
    index: Any = next(index for index in event.indexes if index.name == "_event_object")
    assert f"({columns}, " in str(CreateIndex(index).compile(dialect=dialect))


def test_other_databases_are_not_loaded() -> None:
    command = [sys.executable, "-c", _LOADED]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"
