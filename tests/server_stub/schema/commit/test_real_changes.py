"""Models of deployed services with rows are changed in ten ways: rows and values are preserved."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.server_stub.schema.documents import (
    MODELS,
    Json,
    column,
    foreign_key,
    model_of,
    owned_by,
    place_of,
    table,
    unique_key,
)
from tests.server_stub.schema.harness import Harness

ROWS = (1, 2, 3)

pytestmark = [
    pytest.mark.usefixtures("both_ways"),
]


def top(head: Json) -> list[Json]:
    """The tables without an owner."""
    return [one for one in head["tables"] if "owned_by" not in one]


def plain(one: Json) -> list[Json]:
    """The columns that hold values, links among them not counted."""
    return [each for each in one["columns"] if each["kind"] == "column" and each["type"] != "link"]


def rename_tables(head: Json) -> None:
    """Renames all tables; nested tables follow."""
    for one in top(head):
        one["name"] = f"new_{one['name']}"


def rename_columns(head: Json) -> None:
    """Renames all columns, including links."""
    for one in head["tables"]:
        for each in one["columns"]:
            if each["kind"] == "column":
                each["name"] = f"new_{each['name']}"


def swap_names(head: Json) -> None:
    """Permutes the names of tables, and of the columns of each table."""
    tables = top(head)
    for group in (tables, *(plain(one) for one in tables)):
        names = [each["name"] for each in group]
        for each, name in zip(group, names[1:] + names[:1], strict=True):
            each["name"] = name


def drop_columns(head: Json) -> None:
    """Drops the last plain column of each table that has two, and the keys with it."""
    for one in head["tables"]:
        for each in plain(one)[1:][-1:]:
            one["columns"].remove(each)
            _forget(one, "unique_keys", each["column_id"])


def drop_a_table(head: Json) -> None:
    """Drops the first table with its nested tables and all links to it."""
    gone = {top(head)[0]["table_id"]}
    while True:
        owned = {one["table_id"] for one in head["tables"] if _owner(one) in gone}
        if owned <= gone:
            break
        gone |= owned
    head["tables"] = [one for one in head["tables"] if one["table_id"] not in gone]
    for one in head["tables"]:
        links = [key for key in one["foreign_keys"] if key["referenced_table"]["table_id"] in gone]
        for key in links:
            _drop_link(one, key)
        one["columns"] = [each for each in one["columns"] if each.get("other_table_id") not in gone]


def add_everything(head: Json) -> None:
    """Adds columns of several types, required ones with a default, and a nested table for each table."""
    for one in top(head):
        nested = f"{one['name']}__added"
        one["columns"] += [column("added", "number", not_null=True, default=5), column("noted", "text_l10n")]
        one["columns"].append(place_of(nested))
        head["tables"].append(table(nested, column("label"), **owned_by(one["name"])))


def change_types(head: Json) -> None:
    """Changes types without loss."""
    ways = {
        "text_oneline": "text_l10n_oneline",
        "text_l10n": "text",
        "number": "decimal.2",
        "integer.2": "text",
        "date": "datetime",
        "daterange": "text",
    }
    for one in head["tables"]:
        for each in plain(one):
            each["type"] = ways.get(each["type"], each["type"])


def switch_flags(head: Json) -> None:
    """Inverts hierarchy, pools and tags."""
    for one in top(head):
        for flag in ("is_hierarchical", "pool_link", "has_tags"):
            one[flag] = not one.get(flag)


def drop_nested(head: Json) -> None:
    """Drops all nested tables."""
    gone = {one["table_id"] for one in head["tables"] if "owned_by" in one}
    head["tables"] = top(head)
    for one in head["tables"]:
        one["columns"] = [
            each for each in one["columns"] if each["kind"] != "link" or each["other_table_id"] not in gone
        ]


def tighten(head: Json) -> None:
    """Makes links cascade, adds a link to the first table, and makes the first column required and unique."""
    for one in top(head):
        for key in one["foreign_keys"]:
            key["on_delete"] = "cascade"
        one["columns"].append(column("newly_linked", "link"))
        one["foreign_keys"].append(foreign_key("newly_linked", top(head)[0]["name"]))
        for each in plain(one)[:1]:
            each["not_null"] = True
            one["unique_keys"] = [unique_key(each["name"])]


WAYS: tuple[Callable[[Json], None], ...] = (
    rename_tables,
    rename_columns,
    swap_names,
    drop_columns,
    drop_a_table,
    add_everything,
    change_types,
    switch_flags,
    drop_nested,
    tighten,
)
CASES = [
    pytest.param(path, way, id=f"{path.stem}-{way.__name__}", marks=() if short else pytest.mark.long)
    for number, path in enumerate(MODELS)
    for place, way in enumerate(WAYS)
    for short in [place == (number * 3 + 2) % len(WAYS)]
]


@pytest.mark.parametrize(("path", "way"), CASES)
def test_rows_are_preserved(harness: Harness, path: Path, way: Callable[[Json], None]) -> None:
    """Remaining rows and values, identified by ids, are the same after the changes."""
    before = harness.save_and_commit(model_of(path))
    _fill(harness, before)
    stored = _values(harness, before)
    head = harness.change()
    way(head)
    after = harness.save_and_commit(head)
    kept = _values(harness, after)
    types = _types(before), _types(after)
    lost = {
        key for key in stored if key in kept and types[0][key] == types[1][key] and stored[key] != kept[key]
    }
    assert lost == set()
    emptied = {key for key in stored.keys() & kept.keys() if len(kept[key]) != len(ROWS) or None in kept[key]}
    assert emptied == set()
    assert stored.keys() & kept.keys() == types[0].keys() & types[1].keys()
    assert types[0].keys() & types[1].keys()


def _owner(one: Json) -> int | None:
    owner: int | None = one.get("owned_by", {}).get("other_table_id")
    return owner


def _forget(one: Json, keys: str, column_id: int) -> None:
    one[keys] = [
        key
        for key in one.get(keys) or ()
        if all(each.get("column_id") != column_id for each in key["columns"])
    ]


def _drop_link(one: Json, key: Json) -> None:
    column_id = key["columns"][0]["column_id"]
    one["columns"] = [each for each in one["columns"] if each.get("column_id") != column_id]
    for keys in ("foreign_keys", "unique_keys"):
        _forget(one, keys, column_id)


def _fill(harness: Harness, document: Json) -> None:
    """Inserts three rows into every table including nested ones, with links to rows of the same number."""
    with harness.database.write(foreign_keys=False) as connection:
        for one in document["tables"]:
            values = [each for each in one["columns"] if each["kind"] == "column"]
            names = [
                "_id",
                *(["_uplink_id"] if "owned_by" in one else []),
                *(each["name"] for each in values),
            ]
            for row in ROWS:
                keys = [row] * (len(names) - len(values))
                given = (*keys, *(_value(each, row) for each in values))
                marks = ", ".join("?" * len(names))
                quoted = ", ".join(f'"{name}"' for name in names)
                connection.exec_driver_sql(f'INSERT INTO "{one["name"]}" ({quoted}) VALUES ({marks})', given)  # noqa: S608


def _value(each: Json, row: int) -> Any:
    match each["type"]:
        case "number" | "integer.2" | "link":
            return row
        case "boolean":
            return row % 2
        case "date":
            return f"2020-01-0{row}"
        case "daterange":
            return f'{{"from":"2020-01-0{row}","to":null}}'
        case "text_l10n" | "text_l10n_oneline":
            return f'{{"de-DE":"{each["name"]} {row}"}}'
        case _:
            return f"{each['name']} {row}"


def _values(harness: Harness, document: Json) -> dict[int, list[Any]]:
    """The values of each column, by its id."""
    return {
        each["column_id"]: [value for (value,) in harness.rows(one["name"], each["name"])]
        for one in document["tables"]
        for each in one["columns"]
        if each["kind"] == "column"
    }


def _types(document: Json) -> dict[int, str]:
    return {
        each["column_id"]: each["type"]
        for one in document["tables"]
        for each in one["columns"]
        if each["kind"] == "column"
    }
