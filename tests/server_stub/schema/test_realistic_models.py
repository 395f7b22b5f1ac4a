"""Models of deployed services are posted, committed, changed and committed again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server_stub.schema.documents import MODELS, Json, column, model_of, named
from tests.server_stub.schema.harness import Harness


@pytest.fixture(params=MODELS, ids=[path.stem for path in MODELS])
def model(request: pytest.FixtureRequest) -> Json:
    """Each real model."""
    path: Path = request.param
    return model_of(path)


def values_of(table: Json) -> dict[str, object]:
    """A value for each column of a row: 1 for numbers, otherwise the name of the column."""
    return {
        one["name"]: 1 if one["type"] in ("number", "integer.2", "boolean") else one["name"]
        for one in table["columns"]
        if one["kind"] == "column" and one["type"] != "link"
    }


def fill(harness: Harness, document: Json) -> None:
    """Inserts one row into each top-level table."""
    for table in document["tables"]:
        if "owned_by" not in table:
            harness.insert(table["name"], values_of(table))


def test_every_table_and_column_is_renamed(harness: Harness, model: Json) -> None:
    """All names change in one commit, and all rows are preserved."""
    before = harness.save_and_commit(model)
    fill(harness, before)
    head = harness.change()
    for table in head["tables"]:
        if "owned_by" not in table:
            table["name"] = f"new_{table['name']}"
        for one in table["columns"]:
            if one["kind"] == "column":
                one["name"] = f"new_{one['name']}"
    harness.save_and_commit(head)
    for table in before["tables"]:
        if "owned_by" not in table:
            names = [f"new_{name}" for name in values_of(table)]
            assert harness.rows(f"new_{table['name']}", *names) == [tuple(values_of(table).values())]


def test_everything_at_once(harness: Harness, model: Json) -> None:
    """A table is changed in several ways, and the others are not affected."""
    fill(harness, harness.save_and_commit(model))
    head = harness.change()
    table = next(one for one in head["tables"] if one["columns"][0].get("type") == "text_oneline")
    old, kept = table["name"], table["columns"][0]["name"]
    table["name"] = "renamed"
    table["columns"][0] |= {"name": "heading", "type": "text_l10n"}
    table["columns"].append(column("added", "number", not_null=True, default=5))
    harness.save_and_commit(head)
    assert harness.rows("renamed", "heading", "added") == [(f'{{"en-US":"{kept}"}}', 5)]
    head = harness.change()
    named(head, "renamed")["name"] = old
    named(head, old)["columns"].pop()
    harness.save_and_commit(head)
    assert harness.rows(old, "heading") == [(f'{{"en-US":"{kept}"}}',)]


def test_all_tables_are_removed(harness: Harness, model: Json) -> None:
    """An empty schema drops all tables, and ids are not reused afterwards."""
    before = harness.save_and_commit(model)
    fill(harness, before)
    after = harness.save_and_commit(harness.change() | {"tables": []})
    assert harness.tables() == {}
    assert after["max_table_id"] == before["max_table_id"]
