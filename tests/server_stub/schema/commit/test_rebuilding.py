"""A commit that changes every table of a large model rebuilds them.

SQLite parses the whole schema anew for each ALTER TABLE, which makes a commit of many of them quadratic.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from sqlalchemy import event

from server_stub.database import bulk
from tests.server_stub.schema.documents import Json, column, document, foreign_key, table, unique_key
from tests.server_stub.schema.harness import ROOT, Harness, expected_tables

_TABLES = 30


def _changed_columns(head: Json) -> Json:
    """Renames a column of every table and changes the type of the next."""
    for one in head["tables"]:
        one["columns"][0]["name"] += "x"
        one["columns"][1]["type"] = "decimal.2" if one["columns"][1]["type"] == "number" else "number"
    return head


def _added_columns(head: Json) -> Json:
    """Adds a column to every table and requires a value in another."""
    for one in head["tables"]:
        one["columns"].append(column(f"added{len(one['columns'])}", default="new", not_null=True))
        one["columns"][0]["not_null"] = True
    return head


def _renamed_tables(head: Json) -> Json:
    """Renames every table."""
    for one in head["tables"]:
        one["name"] += "x"
    return head


def _altered(harness: Harness, change: Callable[[Json], Json]) -> int:
    """The number of ALTER TABLE statements in the commit of a change."""
    statements: list[str] = []

    def executed(*arguments: Any) -> None:
        statements.append(arguments[2])

    harness.schemas.save_head(change(harness.change()))
    event.listen(harness.database.engine, "before_cursor_execute", executed)
    harness.schemas.commit(ROOT)
    event.remove(harness.database.engine, "before_cursor_execute", executed)
    return sum(statement.lstrip().startswith("ALTER TABLE") for statement in statements)


@pytest.mark.parametrize("change", [_changed_columns, _added_columns, _renamed_tables])
def test_many_tables_at_once(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, change: Callable[[Json], Json]
) -> None:
    """Many tables are rebuilt rather than altered, which preserves their rows."""
    tables = [
        table(
            f"work{number}",
            column("title"),
            column("year", "number"),
            column("next", "link"),
            foreign_keys=[foreign_key("next", f"work{(number + 1) % _TABLES}")],
        )
        for number in range(_TABLES)
    ]
    harness.schemas.save_head(document(*tables))
    harness.schemas.commit(ROOT)
    harness.insert("work7", {"_id": 1, "title": "Kiss", "year": 1908})
    harness.insert("work6", {"_id": 1, "title": "Studies", "year": 1907, "next": 1})
    assert _altered(harness, change) == 0
    current: dict[str, Any] = harness.schemas.read("CURRENT")
    assert harness.tables() == expected_tables(current)
    changed = current["tables"][7]
    names = [each["name"] for each in changed["columns"] if each["type"] != "link"]
    more = ("new",) * (len(names) - 2)
    assert harness.rows(changed["name"], *names) == [("Kiss", 1908, *more)]
    assert harness.sql("PRAGMA foreign_key_check") == []
    assert harness.sql("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%copied%'") == [(0,)]
    monkeypatch.setattr(bulk, "_FEW_ROWS", -1)
    assert _altered(harness, change) >= _TABLES


def test_a_table_is_rebuilt_once(harness: Harness) -> None:
    """Changes of names, constraints and columns of one table need one copy of its rows."""
    columns = (column("title"), column("year", "number"), column("gone"))
    harness.save_and_commit(document(table("work", *columns)))
    harness.insert("work", {"title": "Kiss", "year": 1908, "gone": "x"})
    head = harness.change()
    first, second, _ = head["tables"][0]["columns"]
    first |= {"name": "heading", "not_null": True, "check": "not_empty"}
    second |= {"name": "made", "not_null": True}
    head["tables"][0]["columns"][2:] = [column("note", default="none", not_null=True), column("more")]
    copies: list[str] = []
    event.listen(
        harness.database.engine,
        "before_cursor_execute",
        lambda *arguments: copies.append(arguments[2]) if "_copied_rows AS" in arguments[2] else None,
    )
    harness.save_and_commit(head)
    assert len(copies) == 1
    assert harness.rows("work", "heading", "made", "note", "more") == [("Kiss", 1908, "none", None)]


@pytest.mark.parametrize("seed", range(4))
def test_renames_of_small_and_large_tables(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Names are given away in chains and circles; links still lead to their rows."""
    monkeypatch.setattr(bulk, "_FEW_ROWS", 2)
    random, names = Random(seed), [f"name{number}" for number in range(5)]
    tables = [
        table(
            name, column("of"), column("to", "link"), foreign_keys=[foreign_key("to", random.choice(names))]
        )
        for name in names
    ]
    tables[0]["is_hierarchical"] = True
    tables[1]["unique_keys"] = [unique_key("of")]
    harness.save_and_commit(document(*tables))
    filled = {name: random.choice((1, 4)) for name in names}
    for name, count in filled.items():
        harness.insert(name, *({"_id": row, "of": f"{name} {row}"} for row in range(1, count + 1)))
    harness.sql("UPDATE name0 SET _parent_id = 1")
    for name in names:
        harness.sql(f'UPDATE {name} SET "to" = 1')  # noqa: S608 - names of this test
    head = harness.change()
    free = [*names, "free1", "free2"] if seed % 3 else ["other0", "other1", "other2", "name3", "other4"]
    for one, name in zip(head["tables"], random.sample(free, 5) if seed % 3 else free, strict=True):
        one["name"] = name
    current = harness.save_and_commit(head)
    for one, name in zip(current["tables"], names, strict=True):
        expected = [(f"{name} {row}", 1) for row in range(1, filled[name] + 1)]
        assert harness.rows(one["name"], "of", "to") == expected


def test_a_table_of_many_rows(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table with more rows than the limit is altered by the database, with the same result."""
    monkeypatch.setattr(bulk, "_FEW_ROWS", 3)
    harness.schemas.save_head(document(table("few", column("title")), table("many", column("title"))))
    harness.schemas.commit(ROOT)
    harness.insert("few", *({"title": str(number)} for number in range(3)))
    harness.insert("many", *({"title": str(number)} for number in range(4)))
    with harness.database.read() as connection:
        slow = bulk.SlowTables(connection)
        assert [name in slow for name in ("few", "many")] == [True, False]
    head = harness.change()
    for one in head["tables"]:
        one["columns"][0] |= {"name": "caption", "not_null": True}
    harness.save_and_commit(head)
    assert harness.rows("few", "caption") == [("0",), ("1",), ("2",)]
    assert harness.rows("many", "caption") == [("0",), ("1",), ("2",), ("3",)]
