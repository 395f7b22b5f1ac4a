"""§4.8, §3, §6.3 and wire §5: effects of a commit on versions, the database and the log."""

import time
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pytest
from sqlalchemy import inspect

from server_stub.http.services import Services
from tests.contract.caller import Caller
from tests.contract.documents import Json, column, field, museum, named, schema, table

HEAD, COMMIT = "schema/user/HEAD", "schema/commit"


def _columns(services: Services, name: str) -> list[str] | None:
    """The columns of the physical table whose name has this ending (wire §5), or None."""
    with services.database.read() as connection:
        database = inspect(connection)
        found = [each for each in database.get_table_names() if each.endswith(name)]
        return sorted(each["name"] for each in database.get_columns(found[0])) if found else None


def _own(services: Services, name: str) -> list[str] | None:
    """The columns without the system columns, whose names begin with `_`."""
    found = _columns(services, name)
    return found and [each for each in found if not each.startswith("_")]


def _put(services: Services, statement: str) -> None:
    with services.database.write() as connection:
        connection.exec_driver_sql(statement)


def _commit(caller: Caller, document: Json, **params: Any) -> Json:
    """Saves and commits; returns the following HEAD."""
    saved = caller.post(HEAD, document)
    assert saved.status_code == 200, saved.text
    done = caller.post(COMMIT, **params)
    assert done.status_code == 200, done.text
    head: Json = caller.get(HEAD, format="json").json()
    return head


def test_head_becomes_current(caller: Caller, services: Services) -> None:
    """Saving changes no table; a commit makes HEAD current (§3)."""
    releaser = caller.signed_in("releaser")
    made = releaser.post(HEAD, museum()).json()
    assert _columns(services, "work") is None
    assert releaser.get("schema/user/CURRENT").status_code == 404
    assert releaser.post(COMMIT).status_code == 200
    assert releaser.get("schema/user/CURRENT", format="json").json() == made
    assert _own(services, "work") == ["artist", "title", "year"]
    for name in ("work__part", "work__part__note", "artist", "place"):
        assert _columns(services, name) is not None


def test_adds_changes_and_drops(caller: Caller, services: Services) -> None:
    """A commit changes tables and columns to those of HEAD; remaining data is preserved (§4.8)."""
    root = caller.signed_in("root")
    old = table("old_one", column("a"))
    head = _commit(root, schema(table("work", column("title"), column("year", "number")), old))
    _put(services, "INSERT INTO work (title, year) VALUES ('Kiss', 1908)")
    named(head, "work")["columns"] += [column("added")]
    field(head, "work", "title")["name"] = "caption"
    field(head, "work", "year")["type"] = "text"
    head["tables"] = [found for found in head["tables"] if found["name"] != "old_one"] + [table("fresh")]
    head = _commit(root, head)
    assert _own(services, "work") == ["added", "caption", "year"]
    assert _columns(services, "old_one") is None
    assert _columns(services, "fresh") is not None
    with services.database.read() as connection:
        kept = connection.exec_driver_sql("SELECT caption, year, added FROM work").all()
    assert [tuple(row) for row in kept] == [("Kiss", "1908", None)]
    named(head, "work")["columns"] = [field(head, "work", "caption")]
    _commit(root, head)
    assert _own(services, "work") == ["caption"]


@pytest.mark.parametrize(
    ("params", "generated"),
    [({}, 0), ({"reindex_generate_events": "0"}, 0), ({"reindex_generate_events": "1"}, 3)],
    ids=str,
)
def test_reindex(caller: Caller, services: Services, params: Mapping[str, str], generated: int) -> None:
    """With reindex=1 an OBJECT_INDEX event is logged for each object (§4.8, wire §3)."""
    root = caller.signed_in("root")
    document = museum()
    head = _commit(root, document)
    _put(services, "INSERT INTO artist (name) VALUES ('Munch'), ('Klimt'), ('Manet')")
    for changed in ("artist", "place"):
        named(head, changed)["columns"].append(column("code"))
    _commit(root, head, **params)
    records = _indexed(root, generated)
    assert len(records) == generated
    for number, record in enumerate(records, 1):
        assert record.keys() == {"event"}  # a system event: no user, no session
        event = record["event"]
        assert (event["schema"], event["objecttype"], event["object_id"]) == ("USER", "artist", number)
        assert event["pollable"] is True


def _indexed(caller: Caller, expected: int) -> list[Json]:
    """Waits for the expected number of OBJECT_INDEX events: the job runs after the response."""
    for _ in range(100):
        answer = caller.get("event/list", type="OBJECT_INDEX", sort="_id", format="json_full")
        records: list[Json] = answer.json()["objects"]
        if len(records) >= expected:
            break
        time.sleep(0.02)
    return records


# A change that the rows 'Kiss', 'Kiss', '' and NULL of `work` break, and the code of §7.5. What else can be
# broken (wire §5) is tested next to the server's modules.
UNIQUE = {"unique_keys": [{"columns": [{"column_name_hint": "title"}]}]}
BROKEN: dict[str, tuple[Json, Json, str]] = {
    "not_null": ({"not_null": True}, {}, "not_null_violation"),
    "length": ({"length_min": 5}, {}, "check_constraint_violation"),
    "unique": ({}, UNIQUE, "integrity_constraint_violation"),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_existing_data_can_refuse(caller: Caller, services: Services, broken: tuple[Json, Json, str]) -> None:
    """A commit that violates existing rows is a user error, and nothing is changed."""
    root = caller.signed_in("root")
    head = _commit(root, schema(table("work", column("title")), table("other", column("a"))))
    _put(services, "INSERT INTO work (title) VALUES ('Kiss'), ('Kiss'), (''), (NULL)")
    on_column, on_table, name = broken
    changed = deepcopy(head)
    field(changed, "work", "title").update(on_column)
    named(changed, "work").update(on_table)
    changed["tables"] = [named(changed, "work"), table("fresh")]
    saved = root.post(HEAD, changed)
    assert saved.status_code == 200, saved.text
    before = root.get("schema/user/CURRENT", format="json").json(), _own(services, "work")
    answer = root.post(COMMIT)
    assert (answer.status_code, answer.json()["code"]) == (400, f"error.user.{name}"), answer.text
    assert (root.get("schema/user/CURRENT", format="json").json(), _own(services, "work")) == before
    assert _columns(services, "fresh") is None
    assert _own(services, "other") == ["a"]
    assert root.get(HEAD, format="json").json() == saved.json()
    assert root.get("event/list", type="SCHEMA_COMMIT").json()["count"] == 1
