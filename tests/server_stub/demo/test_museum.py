"""The museum's data model: every kind of table, names in two languages, and a HEAD that can be committed."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import column, func, select, table

from server_stub.demo import DemoServices, museum_names
from server_stub.events import Actor
from tests.server_stub.demo.conftest import Museum

Document = dict[str, Any]


def _tables(document: Document) -> dict[str, Document]:
    return {table["name"]: table for table in document["tables"]}


def _columns(document: Document) -> Iterator[tuple[str, Document]]:
    for name, each in _tables(document).items():
        for listed in each["columns"]:
            yield name, listed


def _plain(document: Document) -> dict[int, tuple[str, str, str]]:
    return {
        listed["column_id"]: (name, listed["name"], listed["type"])
        for name, listed in _columns(document)
        if listed["kind"] == "column"
    }


def test_every_kind_of_table_and_column(museum: Museum) -> None:
    """CURRENT has at least twelve objecttypes, all kinds of columns, a hierarchy, pools, tags and checks."""
    current: Document = museum.services.schemas.read("CURRENT")
    tables = _tables(current).values()
    assert current["version"] == 3
    assert sum("owned_by" not in each for each in tables) >= 12
    assert {"is_hierarchical", "pool_link", "has_tags", "acl_table", "comment"} <= {
        key for each in tables for key, value in each.items() if value
    }
    assert {listed["kind"] for _, listed in _columns(current)} == {"column", "link", "reverse_link"}
    assert {listed.get("check") for _, listed in _columns(current)} >= {
        "not_empty", "regexp", "range", "email",
    }  # fmt: skip
    types = {listed["type"] for _, listed in _columns(current) if "type" in listed}
    assert types >= {
        "text", "text_oneline", "text_l10n", "text_l10n_oneline", "string", "date", "date_range", "date_time",
        "integer", "number", "serial", "decimal.2", "integer.2", "boolean", "eas", "link",
        "custom:base.custom-data-type-location.location",
    }  # fmt: skip


def test_three_tables_deep_with_rows(museum: Museum) -> None:
    """Nested tables of a work are three levels deep and contain rows."""
    owners = {
        name: each["owned_by"]["other_table_name_hint"]
        for name, each in _tables(museum.services.schemas.read("CURRENT")).items()
        if "owned_by" in each
    }
    deepest = "work__part__measurement__reading"
    assert owners[owners[owners[deepest]]] == "work"
    with museum.services.database.read() as connection:
        assert connection.execute(select(func.count()).select_from(table(deepest))).scalar_one() > 100


def test_head_differs_from_current(museum: Museum) -> None:
    """HEAD adds a table, renames a column, drops a filled one, and changes a type."""
    current, head = museum.services.schemas.read("CURRENT"), museum.services.schemas.read("HEAD")
    before, after = _plain(current), _plain(head)
    assert _tables(head).keys() - _tables(current).keys() == {"restoration", "restoration__step"}
    assert [before[key] for key in before.keys() - after.keys()] == [("work", "previous_number", "string")]
    changed = {before[key]: after[key] for key in before.keys() & after.keys() if before[key] != after[key]}
    assert changed == {
        ("exhibition", "place_text", "text_oneline"): ("exhibition", "venue", "text_oneline"),
        ("work", "weight", "integer"): ("work", "weight", "decimal.2"),
    }
    dropped = table("work", column("previous_number"))
    with museum.services.database.read() as connection:
        assert connection.execute(select(func.count(dropped.c.previous_number))).scalar_one() > 50


def test_head_can_be_committed(filled: DemoServices) -> None:
    """HEAD can be committed, and only dropped values are lost."""
    services = filled
    done = services.schemas.commit(Actor(1, "system", "Root"))
    assert done.version == 4
    assert "restoration" in done.reindex
    moved = table("exhibition", column("venue"))
    with services.database.read() as connection:
        assert connection.execute(select(func.count(moved.c.venue))).scalar_one() == 24


def test_names_in_two_languages(museum: Museum) -> None:
    """Every table and named column of HEAD has a German and an English name."""
    head: Document = museum.services.schemas.read("HEAD")
    wanted = {f"schema.{name}.name" for name in _tables(head)}
    wanted |= {
        f"schema.{name}.column.{listed.get('name') or listed['other_table_name_hint']}"
        for name, listed in _columns(head)
        if listed["kind"] != "reverse_link"
    }
    assert museum_names().keys() == wanted
    assert all(names["de-DE"] and names["en-US"] for names in museum_names().values())
    assert museum.services.schemas.names("HEAD") == museum_names()
    assert "schema.exhibition.column.place_text" in museum.services.schemas.names("CURRENT")
