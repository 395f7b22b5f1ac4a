"""§4.7, §3, §7.7 and wire §5: saving HEAD, its versions, ids, hints and names."""

from tests.contract.caller import Caller, assert_error
from tests.contract.documents import Json, column, field, museum, named, schema, table

HEAD = "schema/user/HEAD"


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


# wire §5: names of objecttypes and of columns; the table has those that are refused.
GOOD_TABLES = ("ab", "work", "a1", "a_b", "a" * 63, "z9", "ezb", "pools")
GOOD_COLUMNS = ("a", "ab", "a1", "a_b", "a" * 63, "pool", "select")


def test_names(caller: Caller) -> None:
    """Every name that follows the rules is accepted."""
    tables = (table(name, *map(column, GOOD_COLUMNS)) for name in GOOD_TABLES)
    assert caller.signed_in("root").post(HEAD, schema(*tables)).status_code == 200


def test_no_tables(caller: Caller) -> None:
    """A schema without tables is valid and can be drawn."""
    root = caller.signed_in("root")
    assert root.post(HEAD, schema()).status_code == 200
    for form in ("xml", "json", "svg", "png"):
        assert root.get(HEAD, format=form).status_code == 200


def test_the_second_of_two_who_save_what_they_read(caller: Caller) -> None:
    """Our addition: `If-Match` refuses to replace another HEAD than the one that was read."""
    modeller = caller.signed_in("modeller")
    refused = modeller("POST", HEAD, json=museum(), headers={"If-Match": "*"})
    assert_error(refused, "error.user.version_mismatch", 412, provided="*", expected="")
    saved = modeller.post(HEAD, museum())
    read = modeller.get(HEAD, format="json")
    assert read.headers["etag"] == saved.headers["etag"] == modeller.get(HEAD).headers["etag"]
    first, second = (read.json() | {"tables": [*read.json()["tables"], table(name)]} for name in ("aa", "bb"))
    given = {"If-Match": read.headers["etag"]}
    done = modeller("POST", HEAD, json=first, headers=given)
    assert done.status_code == 200, done.text
    late = modeller("POST", HEAD, json=second, headers=given)
    present = done.headers["etag"]
    assert_error(late, "error.user.version_mismatch", 412, provided=given["If-Match"], expected=present)
    assert modeller.get(HEAD, format="json").json() == done.json()
    given["If-Match"] = f'"other", {present}'
    assert modeller("POST", HEAD, json=done.json(), headers=given).status_code == 200
