"""Random histories of edits and commits: tables match the document, remaining columns keep their values."""

from random import Random

import pytest
from sqlalchemy import delete
from sqlalchemy import table as sql_table

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
from tests.server_stub.schema.harness import Harness

pytestmark = pytest.mark.usefixtures("both_ways")

NAMES = ("aa", "bb", "cc", "dd")
TYPES = ("text", "string", "number", "decimal.2")
ROWS = 3


@pytest.mark.parametrize("seed", range(4))
def test_histories(harness: Harness, seed: int) -> None:
    """Renames, swaps, drops, additions, links, nesting, keys and types are combined at random."""
    _live(harness, Random(seed))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 160))
def test_many_histories(harness: Harness, seed: int) -> None:
    """The same with many examples."""
    _live(harness, Random(seed))


def _live(harness: Harness, random: Random) -> None:
    kept: dict[int, list[str]] = {}
    head: Json = document(*(_new_table(random, name) for name in NAMES[:2]))
    for _ in range(4):
        current = harness.save_and_commit(head)
        _compare(harness, current, kept)
        kept = _fill(harness, current)
        head = _changed(random, harness.change())


def _new_table(random: Random, name: str) -> Json:
    names = random.sample(NAMES, 2)
    return table(name, *(column(one, random.choice(TYPES)) for one in names))


def _changed(random: Random, head: Json) -> Json:
    """A document with other names everywhere and random additions, removals and changes."""
    top = [one for one in head["tables"] if "owned_by" not in one]
    names = random.sample(NAMES, len(top))
    for one, name in zip(top, names, strict=True):
        one["name"] = name
        _rename_columns(random, one)
    _nested_follow(head)
    edits = (_drop_column, _add_column, _retype, _link, _nest, _switch)
    for _ in range(random.randint(1, 4)):
        random.choice(edits)(random, head, random.choice(top))
    for one in top:
        numbers = [each["name"] for each in _plain(one) if each["type"] == "number"]
        one["unique_keys"] = [unique_key(name) for name in numbers[: random.randint(0, 1)]]
    if len(top) < len(NAMES) and random.random() < 0.5:
        free = next(name for name in NAMES if name not in names)
        head["tables"].append(_new_table(random, free))
    return head


def _plain(one: Json) -> list[Json]:
    return [each for each in one["columns"] if each["kind"] == "column" and each["type"] != "link"]


def _free_name(one: Json) -> str | None:
    taken = {each.get("name") for each in one["columns"]}
    return next((name for name in NAMES if name not in taken), None)


def _rename_columns(random: Random, one: Json) -> None:
    plain = _plain(one)
    others = {each.get("name") for each in one["columns"] if each not in plain}
    names = [name for name in NAMES if name not in others]
    for each, name in zip(plain, random.sample(names, len(plain)), strict=True):
        each["name"] = name


def _drop_column(random: Random, _head: Json, one: Json) -> None:
    plain = _plain(one)
    if plain:
        one["columns"].remove(random.choice(plain))


def _add_column(random: Random, _head: Json, one: Json) -> None:
    name = _free_name(one)
    if name is not None:
        one["columns"].append(column(name, "text", default=random.choice((None, "x"))))


def _retype(random: Random, _head: Json, one: Json) -> None:
    for each in _plain(one):
        if "column_id" in each and each["type"] in ("number", "decimal.2"):
            each["type"] = random.choice((each["type"], "text"))


def _link(random: Random, head: Json, one: Json) -> None:
    name = _free_name(one)
    if name is not None:
        target = random.choice([each["name"] for each in head["tables"] if "owned_by" not in each])
        one["columns"].append(column(name, "link"))
        one["foreign_keys"].append(foreign_key(name, target))


def _nest(random: Random, head: Json, one: Json) -> None:
    """Drops the nested table, or adds one if its name is free."""
    owned = [each for each in head["tables"] if _owner(each) == one["name"]]
    if owned:
        head["tables"].remove(owned[0])
        one["columns"] = [each for each in one["columns"] if each["kind"] == "column"]
    elif all(each["name"] != (name := f"{one['name']}__zz") for each in head["tables"]):
        one["columns"].insert(random.randint(0, len(one["columns"])), place_of(name))
        head["tables"].append(table(name, column("aa"), **owned_by(one["name"])))


def _nested_follow(head: Json) -> None:
    """Updates the hints of owners; the service renews the names of nested tables."""
    names = {one["table_id"]: one["name"] for one in head["tables"]}
    for one in head["tables"]:
        if "owned_by" in one:
            one["owned_by"]["other_table_name_hint"] = names[one["owned_by"]["other_table_id"]]


def _owner(one: Json) -> object:
    return one.get("owned_by", {}).get("other_table_name_hint")


def _switch(random: Random, _head: Json, one: Json) -> None:
    one["has_tags"] = random.random() < 0.5
    one["is_hierarchical"] = random.random() < 0.5


def _fill(harness: Harness, current: Json) -> dict[int, list[str]]:
    """Inserts new rows into every top-level table; returns the values by column id, as text."""
    kept: dict[int, list[str]] = {}
    with harness.database.write(foreign_keys=False) as connection:
        for name in harness.tables():
            connection.execute(delete(sql_table(name)))
    for one in current["tables"]:
        plain = {each["name"]: each["column_id"] for each in _plain(one)}
        if "owned_by" not in one:
            rows = ({name: f"{id_}{row}" for name, id_ in plain.items()} for row in range(ROWS))
            harness.insert(one["name"], *({"_id": row} | each for row, each in enumerate(rows)))
            kept |= {id_: [f"{id_}{row}" for row in range(ROWS)] for id_ in plain.values()}
    return kept


def _compare(harness: Harness, current: Json, kept: dict[int, list[str]]) -> None:
    for one in current["tables"]:
        for each in _plain(one):
            if each["column_id"] in kept:
                values = [
                    str(value).removesuffix(".00") for (value,) in harness.rows(one["name"], each["name"])
                ]
                assert values == kept[each["column_id"]]
