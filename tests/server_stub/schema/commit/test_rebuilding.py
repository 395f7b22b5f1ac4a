"""The duration of a commit that changes every table of a large model is linear in their number."""

from __future__ import annotations

import time

import pytest

from server_stub.database import ddl_support
from tests.server_stub.schema.documents import Json, column, document, table
from tests.server_stub.schema.harness import ROOT, Harness

_TABLES = 60


def _renamed(head: Json) -> Json:
    """Renames a column of every table and changes the type of the next."""
    for one in head["tables"]:
        one["columns"][0]["name"] += "x"
        one["columns"][1]["type"] = "decimal.2" if one["columns"][1]["type"] == "number" else "number"
    return head


def _seconds(harness: Harness) -> float:
    harness.schemas.save_head(_renamed(harness.change()))
    began = time.process_time()
    harness.schemas.commit(ROOT)
    return time.process_time() - began


def test_many_tables_at_once(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rebuilding many tables takes a fraction of the time of altering them and preserves rows."""
    tables = [table(f"work{number}", column("title"), column("year", "number")) for number in range(_TABLES)]
    harness.schemas.save_head(document(*tables))
    harness.schemas.commit(ROOT)
    harness.insert("work7", {"title": "Kiss", "year": 1908})
    anew = _seconds(harness)
    assert harness.rows("work7", "titlex", "year") == [("Kiss", 1908)]
    assert harness.sql("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%copied%'") == [(0,)]
    monkeypatch.setattr(ddl_support, "_FEW_ROWS", -1)
    in_place = _seconds(harness)
    assert anew < in_place / 2


def test_a_table_of_many_rows(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table with more rows than the limit is altered by the database, with the same result."""
    monkeypatch.setattr(ddl_support, "_FEW_ROWS", 3)
    harness.schemas.save_head(document(table("few", column("title")), table("many", column("title"))))
    harness.schemas.commit(ROOT)
    harness.insert("few", *({"title": str(number)} for number in range(3)))
    harness.insert("many", *({"title": str(number)} for number in range(4)))
    with harness.database.read() as connection:
        assert [ddl_support.alters_slowly(connection, name) for name in ("few", "many")] == [True, False]
    head = harness.change()
    for one in head["tables"]:
        one["columns"][0] |= {"name": "caption", "not_null": True}
    harness.save_and_commit(head)
    assert harness.rows("few", "caption") == [("0",), ("1",), ("2",)]
    assert harness.rows("many", "caption") == [("0",), ("1",), ("2",), ("3",)]
