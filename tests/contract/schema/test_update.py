"""§4.7, §3, §7.7 and wire §5: saving HEAD, its versions, ids, hints and names."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.contract.caller import Caller, assert_error
from tests.contract.documents import Json, column, field, foreign_key, museum, named, schema, table

HEAD = "schema/user/HEAD"
MODELS = sorted((Path(__file__).parents[2] / "data" / "models").glob("*.json"))


def _ids(document: Json) -> tuple[list[int], list[int]]:
    tables = [found["table_id"] for found in document["tables"]]
    columns = [c["column_id"] for t in document["tables"] for c in t["columns"] if c["kind"] == "column"]
    return tables, columns


def test_answers_the_new_schema(caller: Caller) -> None:
    """The response is the posted document with ids, and ids and hints of all references."""
    modeller = caller.signed_in("modeller")
    answer = modeller.post(HEAD, museum())
    made = answer.json()
    assert answer.status_code == 200, answer.text
    tables, columns = _ids(made)
    assert len(set(tables)) == len(tables) == 5
    assert len(set(columns)) == len(columns) == 8
    assert (made["max_table_id"], made["max_column_id"]) == (max(tables), max(columns))
    work, part, artist = (named(made, name) for name in ("work", "work__part", "artist"))
    (key,) = work["foreign_keys"]
    assert key["name"] == "work__artist__artist_fkey"
    link = {"column_id": field(made, "work", "artist")["column_id"], "column_name_hint": "artist"}
    assert key["columns"] == [link]
    referenced = {"table_id": artist["table_id"], "name_hint": "artist"}
    assert key["referenced_table"] == referenced | {"columns": [{"auto_column_primary_key": True}]}
    assert work["unique_keys"][0]["name"] == "work__title_unique"
    assert part["owned_by"] == {"other_table_id": work["table_id"], "other_table_name_hint": "work"}
    holder = next(found for found in work["columns"] if found["kind"] == "link")
    assert (holder["other_table_id"], holder["other_table_name_hint"]) == (part["table_id"], "work__part")
    assert modeller.get(HEAD, format="json").json() == made


def test_head_is_replaced(caller: Caller) -> None:
    """HEAD can be saved repeatedly under the version that was read (§3, wire §5)."""
    root = caller.signed_in("root")
    first = root.post(HEAD, museum()).json()
    changed = deepcopy(first)
    changed["tables"] = [found for found in changed["tables"] if found["name"] != "place"]
    named(changed, "artist")["columns"].append(column("died", "date"))
    second = root.post(HEAD, changed).json()
    assert second["version"] == 1
    assert "place" not in [found["name"] for found in second["tables"]]
    assert root.get(HEAD, format="json").json() == second
    assert root.post(HEAD, second).json() == second


def test_ids_never_change_and_are_never_reused(caller: Caller) -> None:
    """Renaming preserves ids, and ids of dropped elements are not reused (wire §5)."""
    root = caller.signed_in("root")
    made = root.post(HEAD, schema(table("one", column("a"), column("b")), table("two", column("c")))).json()
    tables, columns = _ids(made)
    less = deepcopy(made)
    less["tables"].pop()
    named(less, "one")["columns"].pop()
    named(less, "one")["columns"][0]["name"] = "renamed"
    less = root.post(HEAD, less).json()
    assert _ids(less) == ([tables[0]], [columns[0]])
    more = deepcopy(less)
    more["tables"].append(table("two", column("c")))
    named(more, "one")["columns"].append(column("b"))
    more = root.post(HEAD, more).json()
    fresh_tables, fresh_columns = (set(ids) for ids in _ids(more))
    assert [id_ > max(tables) for id_ in sorted(fresh_tables)] == [False, True]
    assert [id_ > max(columns) for id_ in sorted(fresh_columns)] == [False, True, True]
    assert (more["max_table_id"], more["max_column_id"]) == (max(fresh_tables), max(fresh_columns))


def test_the_first_document_keeps_its_ids(caller: Caller) -> None:
    """Without any version the ids of the first document are preserved (wire §5)."""
    root = caller.signed_in("root")
    document = schema(table("one", column("a", column_id=70), column("b"), table_id=40), table("two"))
    made = root.post(HEAD, document).json()
    assert (named(made, "one")["table_id"], field(made, "one", "a")["column_id"]) == (40, 70)
    assert named(made, "two")["table_id"] > 40
    assert field(made, "one", "b")["column_id"] > 70
    assert (made["max_table_id"], made["max_column_id"]) == (named(made, "two")["table_id"], 71)


def test_version_mismatch(caller: Caller) -> None:
    """The posted version must be that of HEAD, or 1 for the first document (wire §5)."""
    root = caller.signed_in("root")
    answer = root.post(HEAD, museum() | {"version": 2})
    assert_error(answer, "error.user.version_mismatch", provided="2", expected="1")
    assert root.get(HEAD).status_code == 404
    root.post(HEAD, museum())
    root.post("schema/commit")
    head = root.get(HEAD, format="json").json()
    for version in (1, 3):
        answer = root.post(HEAD, head | {"version": version})
        assert_error(answer, "error.user.version_mismatch", provided=str(version), expected="2")
    assert root.post(HEAD, head).status_code == 200
    # based_on_version is not checked on input.
    assert root.post(HEAD, head | {"based_on_version": 2}).status_code == 200


# wire §5: names of objecttypes and of columns; the table has those that are refused.
GOOD_TABLES = ("ab", "work", "a1", "a_b", "a" * 63, "z9", "ezb", "pools")
GOOD_COLUMNS = ("a", "ab", "a1", "a_b", "a" * 63, "pool", "select")


def test_names(caller: Caller) -> None:
    """Every name that follows the rules is accepted."""
    tables = (table(name, *map(column, GOOD_COLUMNS)) for name in GOOD_TABLES)
    assert caller.signed_in("root").post(HEAD, schema(*tables)).status_code == 200


TYPES = (
    *("integer", "serial", "decimal.2", "boolean", "text", "text_oneline", "text_l10n", "text_l10n_oneline"),
    *("string", "date", "date_range", "date_time", "eas", "assetsvc"),
    *("number", "integer.2", "daterange", "datetime", "custom:base.custom-data-type-location.location"),
)


def test_round_trip(caller: Caller) -> None:
    """Unknown attributes and the spelling of types are preserved (wire §5)."""
    root = caller.signed_in("root")
    columns = [column(f"c{number}", kind, x_note={"n": [number]}) for number, kind in enumerate(TYPES)]
    document = schema(table("work", *columns, x_color="#fff", comment="ä"), x_tool={"made": None})
    made = root.post(HEAD, document).json()
    work = named(made, "work")
    assert [found["type"] for found in work["columns"]] == list(TYPES)
    assert [found["x_note"] for found in work["columns"]] == [given["x_note"] for given in columns]
    assert (made["x_tool"], work["x_color"], work["comment"]) == ({"made": None}, "#fff", "ä")


def test_both_spellings_of_the_hint(caller: Caller) -> None:
    """table_name_hint and name_hint are read, name_hint is written (wire §5)."""
    root = caller.signed_in("root")
    key = foreign_key("artist", "artist")
    key["referenced_table"]["table_name_hint"] = key["referenced_table"].pop("name_hint")
    work = table("work", column("artist", "link"), foreign_keys=[key])
    made = root.post(HEAD, schema(work, table("artist", column("name")))).json()
    assert named(made, "work")["foreign_keys"][0]["referenced_table"]["name_hint"] == "artist"


@pytest.mark.parametrize("file", MODELS, ids=[file.stem for file in MODELS])
def test_realistic_models(caller: Caller, file: Path) -> None:
    """Realistic exports are accepted by an empty server with all their ids."""
    export: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    document = export["schema"].get("HEAD", export["schema"])  # the old form nests each part
    root = caller.signed_in("root")
    answer = root.post(HEAD, document | {"version": 1})
    assert answer.status_code == 200, answer.text
    assert _ids(answer.json()) == _ids(document)
