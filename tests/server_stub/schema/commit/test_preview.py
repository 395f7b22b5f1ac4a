"""The preview of a commit: every change once, in order, with its impact on rows."""

from typing import Any

import pytest
from sqlalchemy import event

from tests.server_stub.schema.documents import (
    Json,
    column,
    column_of,
    document,
    foreign_key,
    named,
    owned_by,
    place_of,
    table,
    unique_key,
)
from tests.server_stub.schema.harness import Harness


def steps(harness: Harness, head: Json) -> list[Json]:
    """The steps of a changed HEAD."""
    harness.schemas.save_head(head)
    found: list[Json] = harness.schemas.plan()["steps"]
    return found


def summary(step: Json) -> str:
    """A step in short: action, element, and further members."""
    element = ".".join(step[name] for name in ("table", "column") if name in step)
    more = (
        f"{name}={step[name]}" for name in ("from", "to", "type", "key", "check", "nested") if name in step
    )
    return " ".join((step["action"], element, *more))


def one(harness: Harness, head: Json, action: str) -> Json:
    """The only step of a kind."""
    (found,) = (step for step in steps(harness, head) if step["action"] == action)
    return found


@pytest.fixture
def works(harness: Harness) -> Harness:
    """Four works with two places; one of the two notes of a work is empty."""
    work = table(
        "work",
        column("title"),
        column("year", "number"),
        column("price", "decimal.2"),
        column("place", "link"),
        place_of("work__notes"),
        foreign_keys=[foreign_key("place", "place")],
        unique_keys=[unique_key("year")],
        pool_link=True,
    )
    notes = table("work__notes", column("note"), column("page", "number"), **owned_by("work"))
    places = table("place", column("name"), column("code")), table("town", column("name"))
    harness.save_and_commit(document(work, notes, *places, l10n_languages=["de-DE"]))
    harness.sql("INSERT INTO place(_id, name) VALUES (1, 'Ulm'), (2, 'Bonn')")
    harness.sql("INSERT INTO town(_id, name) VALUES (1, 'Ulm')")
    harness.sql(
        "INSERT INTO work(_id, title, year, price, place, _pool_id) VALUES (1, 'Dawn', 1, 1.5, 1, 7), "
        "(2, 'Dawn', 2, 2, 2, 7), (3, 'Dusk', 3, NULL, 2, NULL), (4, NULL, NULL, 4, NULL, NULL)"
    )
    harness.sql("INSERT INTO work__notes(_uplink_id, note, page) VALUES (1, 'a', 1), (1, NULL, 2)")
    return harness


def test_every_change_is_listed_once_and_in_order(works: Harness) -> None:
    """Intermediate steps, rebuilt tables and temporary columns are not listed."""
    head = works.change()
    work, place, town = (named(head, name) for name in ("work", "place", "town"))
    place["name"], town["name"] = "town", "place"
    names = column_of(place, "name"), column_of(place, "code")
    names[0]["name"], names[1]["name"] = "code", "name"
    column_of(work, "year").update(name="years", type="text")
    column_of(work, "title").update(not_null=True, default="untitled")
    work["columns"] = [one for one in work["columns"] if one.get("name") != "price"]
    work["columns"].append(column("size", "decimal.2", default=1))
    work["pool_link"] = False
    work["foreign_keys"][0]["on_delete"] = "cascade"
    head["tables"].append(table("fresh", column("name"), unique_keys=[unique_key("name")]))
    assert [summary(step) for step in steps(works, head)] == [
        "drop_unique_key work key=work__year_unique",
        "rename_table place from=town to=place",
        "rename_table town from=place to=town",
        "create_table fresh",
        "rename_column work.years from=year to=years",
        "add_column work.size type=decimal.2",
        "rename_column town.name from=code to=name",
        "rename_column town.code from=name to=code",
        "require_not_null work.title",
        "require_link work.place key=work__place__town_fkey",
        "require_unique work key=work__years_unique",
        "drop_foreign_key work.place key=work__place__place_fkey",
        "drop_column work._pool_id",
        "change_column work.title",
        "convert_column work.years from=number to=text",
        "drop_column work.price",
        "add_foreign_key work.place key=work__place__town_fkey",
        "add_unique_key work key=work__years_unique",
        "add_unique_key fresh key=fresh__name_unique",
    ]


def test_unique_keys_are_dropped_before_others_are_created(works: Harness) -> None:
    """A new key may have the name of a dropped one of any table, since names are unique in a database."""
    head = works.change()
    work, place = named(head, "work"), named(head, "place")
    work["unique_keys"] = [unique_key("price", name="work__year_unique"), unique_key("title", name="fresh")]
    place["unique_keys"] = [unique_key("name", name="place__name")]
    for name in ("Noon", "Night", "Eve"):  # Titles that no two works share.
        works.sql("UPDATE work SET title = ? WHERE _id = ?", name, len(name))
    keys = [summary(step) for step in steps(works, head) if "unique_key" in step["action"]]
    assert keys == [
        "drop_unique_key work key=work__year_unique",
        "add_unique_key work key=work__year_unique",
        "add_unique_key work key=fresh",
        "add_unique_key place key=place__name",
    ]


@pytest.mark.usefixtures("both_ways")
def test_unique_keys_change_places(harness: Harness) -> None:
    """Two keys can exchange names in one commit, within a table and between tables."""
    one = table(
        "one", column("a"), column("b"), unique_keys=[unique_key("a", name="x"), unique_key("b", name="y")]
    )
    two = table("two", column("c"), unique_keys=[unique_key("c", name="z")])
    harness.save_and_commit(document(one, two))
    head = harness.change()
    first, second = named(head, "one"), named(head, "two")
    first["unique_keys"] = [unique_key("a", name="y"), unique_key("b", name="z")]
    second["unique_keys"] = [unique_key("c", name="x")]
    harness.save_and_commit(head)
    assert harness.tables()["one"]["uniques"] == {("y", 0, "a"), ("z", 0, "b")}
    assert harness.tables()["two"]["uniques"] == {("x", 0, "c")}


def test_dropped_elements(works: Harness) -> None:
    """The impact counts dropped rows and filled values of tables, columns and system columns."""
    head = works.change()
    work = named(head, "work")
    work["columns"] = [column_of(work, name) for name in ("title", "place")]
    work["unique_keys"], work["pool_link"] = [], False
    head["tables"] = [work, named(head, "place")]
    found = {summary(step): step["stake"] for step in steps(works, head) if "stake" in step}
    assert found == {
        "drop_column work.year": {"rows": 4, "values": 3},
        "drop_column work.price": {"rows": 4, "values": 3},
        "drop_column work._pool_id": {"rows": 4, "values": 2},
        "drop_table work__notes": {"rows": 2, "values": 3},
        "drop_table town": {"rows": 1, "values": 1},
    }


def test_ids_identify_elements(works: Harness) -> None:
    """A column is identified by its id; a column of the service itself has none."""
    head = works.change()
    work = named(head, "work")
    gone = column_of(work, "price")
    work["columns"].remove(gone)
    work["pool_link"] = False
    pool, price = (step for step in steps(works, head) if step["action"] == "drop_column")
    assert (price["table_id"], price["column_id"]) == (work["table_id"], gone["column_id"])
    assert "column_id" not in pool


REFUSED: dict[str, tuple[str, Json, Json, Json]] = {
    "not null": ("title", {"not_null": True}, {}, {"rows": 4, "values": 3, "blocking": 1}),
    "check": ("title", {"length_min": 5}, {}, {"rows": 4, "values": 3, "blocking": 3}),
    "unique": ("", {}, {"unique_keys": [unique_key("title")]}, {"rows": 4, "values": 3, "blocking": 2}),
    "unique of two": (
        "",
        {},
        {"unique_keys": [unique_key("title", "place")]},
        {"rows": 4, "values": 3, "blocking": 0},
    ),
    "link": (
        "",
        {},
        {"foreign_keys": [foreign_key("place", "town")]},
        {"rows": 4, "values": 3, "blocking": 2},
    ),
    "conversion": ("price", {"type": "number"}, {}, {"rows": 4, "values": 3, "blocking": 1}),
    "range after conversion": (
        "year",
        {"type": "decimal.2", "check": "range", "check_range_upper": 2},
        {"unique_keys": []},
        {"rows": 4, "values": 3, "blocking": 1},
    ),
}


@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_violations(works: Harness, change: tuple[str, Json, Json, Json]) -> None:
    """The impact counts exactly the violating rows or values, with the error of the commit."""
    name, on_column, on_table, stake = change
    head = works.change()
    work = named(head, "work")
    work |= on_table
    if name:
        column_of(work, name).update(on_column)
    asking = [step for step in steps(works, head) if "blocking" in step.get("stake", {})]
    assert asking[-1]["stake"] == stake
    assert ("refusal" in asking[-1]) is bool(stake["blocking"])


@pytest.mark.parametrize(
    ("more", "blocking"),
    [
        ({"not_null": True}, 4),
        ({"not_null": True, "default": "x"}, 0),
        ({"length_min": 2, "default": "x"}, 4),
    ],
)
def test_new_columns_begin_with_their_default(works: Harness, more: dict[str, Any], blocking: int) -> None:
    """Existing rows get the default, or no value."""
    head = works.change()
    named(head, "work")["columns"].append(column("fresh", **more))
    (asking,) = (step for step in steps(works, head) if "stake" in step)
    assert asking["stake"]["blocking"] == blocking


@pytest.mark.parametrize(("default", "blocking"), [("x", 4), (None, 0)])
def test_a_unique_key_of_a_new_column(works: Harness, default: str | None, blocking: int) -> None:
    """All rows have the same default and violate the key; missing values do not."""
    head = works.change()
    work = named(head, "work")
    work["columns"].append(column("fresh", default=default))
    work["unique_keys"].append(unique_key("fresh"))
    assert one(works, head, "require_unique")["stake"]["blocking"] == blocking


def test_a_unique_key_of_converted_values(works: Harness) -> None:
    """Values that become equal are counted, with a new boolean that is true in every row."""
    work = named(head := works.change(), "work")
    work["columns"].append(column("made", "date_time"))
    works.save_and_commit(head)
    works.sql("UPDATE work SET made='2020-01-01T0' || _id || ':00:00'")
    work = named(head := works.change(), "work")
    column_of(work, "made")["type"] = "date"
    work["columns"].append(column("shown", "boolean", default=True))
    key = unique_key("made", "shown")
    key["columns"][1]["unique_true"] = True
    work["unique_keys"].append(key)
    assert one(works, head, "require_unique")["stake"] == {"rows": 4, "values": 4, "blocking": 4}
    assert one(works, head, "convert_column")["stake"] == {"rows": 4, "values": 4, "blocking": 0, "lossy": 4}


@pytest.mark.parametrize("nested", ["work__notes", "work__parts"])
def test_owners_without_a_nested_row(works: Harness, nested: str) -> None:
    """An existing nested table may have rows for some owners, a new one has none."""
    head = works.change()
    work = named(head, "work")
    if nested == "work__notes":
        next(each for each in work["columns"] if each["kind"] == "link")["check"] = "not_empty"
    else:
        work["columns"].append(place_of(nested, check="not_empty"))
        head["tables"].append(table(nested, column("x"), **owned_by("work")))
    step = one(works, head, "require_nested")
    filled = 1 if nested == "work__notes" else 0
    assert step["stake"] == {"rows": 4, "values": filled, "blocking": 4 - filled}
    assert step["nested"] == nested


def test_each_table_is_queried_once(harness: Harness) -> None:
    """One query counts all changes of a table, and one more reads values if they are checked."""
    columns = [column(f"c{number}") for number in range(700)]
    harness.save_and_commit(document(table("work", column("a"), *columns), table("old", *columns)))
    head = harness.change()
    head["tables"] = [named(head, "work")]
    head["tables"][0]["columns"] = head["tables"][0]["columns"][:1]
    head["tables"][0]["columns"][0]["length_max"] = 5
    harness.schemas.save_head(head)
    asked: list[str] = []
    event.listen(harness.database.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    assert len(harness.schemas.plan()["steps"]) > 700
    assert len([statement for statement in asked if "FROM work" in statement]) == 3
    assert len([statement for statement in asked if "FROM old" in statement]) == 2
