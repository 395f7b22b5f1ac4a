"""A commit that violates constraints on existing rows is refused and has no effect."""

from typing import Any

import pytest

from server_stub.foundation.errors import UserError
from tests.server_stub.schema.documents import (
    Json,
    column,
    document,
    foreign_key,
    owned_by,
    place_of,
    table,
    unique_key,
)
from tests.server_stub.schema.harness import ROOT, Harness


def refusal(harness: Harness, head: Json, *, foreseen: bool = True) -> tuple[str, dict[str, str]]:
    """Returns the error of a changed HEAD, which must agree with its plan; nothing may have changed."""
    harness.schemas.save_head(head)
    counts = ("count(*) FROM _event", "max(committed_at) FROM _schema_version", "count(*) FROM _journal")
    counted = "SELECT " + ", ".join(f"(SELECT {count})" for count in counts)
    before = harness.sql("SELECT name, sql FROM sqlite_schema"), harness.sql(counted)
    predicted = [step["refusal"] for step in harness.schemas.plan()["steps"] if "refusal" in step]
    with pytest.raises(UserError) as caught:
        harness.schemas.commit(ROOT)
    assert predicted[:1] in ([caught.value.to_object()], [])
    assert (harness.sql("SELECT name, sql FROM sqlite_schema"), harness.sql(counted)) == before
    assert harness.schemas.current_version() == 1
    assert harness.sql("PRAGMA integrity_check") == [("ok",)]
    assert bool(predicted) is foreseen
    return caught.value.code.removeprefix("error.user."), caught.value.parameters


@pytest.fixture
def works(harness: Harness) -> Harness:
    """Works with rows that can violate new constraints."""
    columns = [column("title"), column("year", "number"), column("place", "link")]
    work = table("work", *columns, foreign_keys=[foreign_key("place", "place")])
    harness.save_and_commit(document(work, table("place", column("name")), table("town", column("name"))))
    harness.sql("INSERT INTO place(_id, name) VALUES (1, 'Ulm')")
    harness.sql("INSERT INTO work(_id, title, year, place) VALUES (1, 'Dawn', 1907, 1), (2, 'Dawn', NULL, 1)")
    return harness


def test_a_value_is_missing(works: Harness) -> None:
    """The error names table and column."""
    head = works.change()
    head["tables"][0]["columns"][1]["not_null"] = True
    assert refusal(works, head) == ("not_null_violation", {"column": "work.year"})


def test_a_new_column_needs_values(works: Harness) -> None:
    """A new required column without a default is refused if there are rows."""
    head = works.change()
    head["tables"][0]["columns"].append(column("note", not_null=True))
    assert refusal(works, head) == ("not_null_violation", {"column": "work.note"})


def test_values_are_not_unique(works: Harness) -> None:
    """The error names the unique key."""
    head = works.change()
    head["tables"][0]["unique_keys"] = [unique_key("title")]
    assert refusal(works, head) == ("integrity_constraint_violation", {"constraint": "work__title_unique"})


def test_a_link_to_a_missing_row(works: Harness) -> None:
    """A link to another table is refused if rows refer to missing rows."""
    head = works.change()
    head["tables"][0]["foreign_keys"] = [foreign_key("place", "town")]
    expected = ("foreign_key_constraint_violation", {"constraint": "work__place__town_fkey"})
    assert refusal(works, head) == expected


@pytest.mark.parametrize(
    ("more", "constraint"),
    [
        ({"check": "regexp", "check_regexp": "^[a-z]+$"}, "work__title_regexp"),
        ({"check": "email"}, "work__title_email"),
        ({"length_max": 3}, "work__title_length"),
    ],
)
def test_a_text_breaks_a_check(works: Harness, more: dict[str, Any], constraint: str) -> None:
    """Checks of texts apply to every row."""
    head = works.change()
    head["tables"][0]["columns"][0] |= more
    assert refusal(works, head) == ("check_constraint_violation", {"constraint": constraint})


def test_a_number_is_out_of_range(works: Harness) -> None:
    """An exclusive bound is not part of the range."""
    head = works.change()
    year = head["tables"][0]["columns"][1]
    year |= {"check": "range", "check_range_lower": 1907, "check_range_lower_open": True}
    assert refusal(works, head) == ("check_constraint_violation", {"constraint": "work__year_range"})


def test_a_nested_table_must_not_be_empty(works: Harness) -> None:
    """`not_empty` on a nested table requires a row for every owner."""
    head = works.change()
    head["tables"][0]["columns"].append(place_of("work__notes", check="not_empty"))
    head["tables"].append(table("work__notes", column("note"), **owned_by("work")))
    expected = ("check_constraint_violation", {"constraint": "work__notes_not_empty"})
    assert refusal(works, head) == expected


def test_a_value_cannot_be_converted(harness: Harness) -> None:
    """A lossy conversion is refused: the error has column, value and type."""
    harness.save_and_commit(document(table("work", column("price", "decimal.2"), column("note"))))
    harness.sql("INSERT INTO work(_id, price) VALUES (1, 5), (2, 7.25)")
    head = harness.change()
    head["tables"][0]["name"] = "piece"
    head["tables"][0]["columns"][0]["type"] = "number"
    head["tables"][0]["columns"].pop()
    expected = {"attribute": "piece.price", "value": "7.25", "expected_format": "number"}
    assert refusal(harness, head) == ("invalid_value", expected)


def test_two_texts_become_the_same(harness: Harness) -> None:
    """A unique key is checked after values have been converted."""
    work = table("work", column("made", "datetime"), unique_keys=[unique_key("made")])
    harness.save_and_commit(document(work))
    harness.sql("INSERT INTO work(made) VALUES ('2020-01-01T10:00:00'), ('2020-01-01T11:00:00')")
    head = harness.change()
    head["tables"][0]["columns"][0]["type"] = "date"
    assert refusal(harness, head) == ("integrity_constraint_violation", {"constraint": "work__made_unique"})


def test_links_broken_from_outside_are_found(works: Harness) -> None:
    """A commit is refused if another program has broken links."""
    works.sql("INSERT INTO place(_id, name) VALUES (2, 'Bonn')")
    with works.database.write(foreign_keys=False) as connection:
        connection.exec_driver_sql("INSERT INTO work(_id, place) VALUES (9, 77)")
    head = works.change()
    head["tables"][2]["columns"].append(column("note"))
    expected = ("foreign_key_constraint_violation", {"constraint": "work.place"})
    assert refusal(works, head, foreseen=False) == expected
