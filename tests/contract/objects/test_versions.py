"""Addition of this server, GET db/<objecttype>/_all_fields/<id>: an object in one of its versions."""

import pytest
from sqlalchemy import update

from server_stub.database.tables import object_version
from server_stub.http.services import Services
from server_stub.schema.document.model import read_schema
from server_stub.schema.objects import ObjectTables, StoredVersion, store_versions
from tests.contract.caller import Caller, assert_error
from tests.contract.documents import Json, field, museum

HEAD = "schema/user/HEAD"
TYPE = "work"
WORK = f"db/{TYPE}/_all_fields/1"


def _started(caller: Caller, services: Services) -> Caller:
    """A work of version 3 with an artist and parts, and its older versions; returns a reader."""
    root = caller.signed_in("root")
    assert root.post(HEAD, museum()).status_code == 200
    assert root.post("schema/commit").status_code == 200
    with services.database.write() as connection:
        for statement in (
            'INSERT INTO artist (_id, _version, name) VALUES (4, 1, \'{"de-DE":"Vigée"}\')',
            "INSERT INTO work (_id, _version, _pool_id, title, artist) VALUES (1, 3, 2, 'Kiss', 4)",
            "UPDATE work SET year = 1908",
            "INSERT INTO work__part (_id, _uplink_id, label) VALUES (1, 1, 'frame'), (2, 1, 'canvas')",
            "INSERT INTO work__part__note (_id, _uplink_id, note) VALUES (1, 2, 'torn')",
        ):
            connection.exec_driver_sql(statement)
    tables = ObjectTables(read_schema(services.schemas.read("CURRENT")))
    work = tables.by_name["work"]
    title, year, artist = (f"c{column.id}" for column in work.columns)
    parts = f"t{work.nested[0].table_id}"
    part = tables.schema.tables_by_id[work.nested[0].table_id]
    frame = {"_id": 1, f"c{part.columns[0].id}": "frame", f"t{part.nested[0].table_id}": []}
    stored = [
        StoredVersion(work.id, 1, 1, 1_700_000_000),
        StoredVersion(work.id, 1, 2, 1_700_000_060, {title: "Hug", year: None}),
        StoredVersion(work.id, 1, 3, None, {year: 1907, artist: None, parts: [frame]}),
    ]
    with services.database.write() as connection:
        store_versions(connection, stored)
    return caller.signed_in("support")


def _read(reader: Caller, **params: str) -> Json:
    answer = reader.get(WORK, **params)
    assert answer.status_code == 200, answer.text
    [found] = answer.json()
    work: Json = found["work"]
    return work


def test_without_a_version_the_newest(caller: Caller, services: Services) -> None:
    """The newest version has the rows of the tables: links as objects, nested rows to any depth."""
    reader = _started(caller, services)
    [found] = reader.get(WORK).json()
    assert (found["_objecttype"], found["_mask"]) == ("work", "_all_fields")
    assert found["_global_object_id"].startswith("1@")
    assert "_last_modified" not in found
    assert found["work"] == {
        "_id": 1,
        "_version": 3,
        "_pool": {"pool": {"_id": 2}},
        "title": "Kiss",
        "year": 1908,
        "artist": {"_objecttype": "artist", "artist": {"_id": 4}},
        "_nested:work__part": [
            {"_id": 1, "label": "frame", "_nested:work__part__note": []},
            {"_id": 2, "label": "canvas", "_nested:work__part__note": [{"_id": 1, "note": "torn"}]},
        ],
    }
    assert reader.get(WORK, version="3").json() == [found]


def test_old_versions(caller: Caller, services: Services) -> None:
    """Each version has the values of its time, and the time at which it was written if that is known."""
    reader = _started(caller, services)
    second, first = _read(reader, version="2"), _read(reader, version="1")
    assert (second["_version"], second["title"], second["year"], second["artist"]) == (2, "Kiss", 1907, None)
    assert second["_nested:work__part"] == [{"_id": 1, "label": "frame", "_nested:work__part__note": []}]
    assert (first["_version"], first["title"], first["year"], first["artist"]) == (1, "Hug", None, None)
    assert reader.get(WORK, version="2").json()[0]["_last_modified"] == "2023-11-14T22:14:20+00:00"


def test_columns_are_those_of_current(caller: Caller, services: Services) -> None:
    """After a commit old versions have the new names, and no columns that were dropped."""
    reader = _started(caller, services)
    root = caller.signed_in("root")
    head = root.get(HEAD, format="json").json()
    field(head, "work", "title")["name"] = "heading"
    work = next(table for table in head["tables"] if table["name"] == "work")
    work["name"] = "piece"
    work["columns"] = [column for column in work["columns"] if column.get("name") != "year"]
    for table in head["tables"]:
        if table["name"].startswith("work__"):
            table["name"] = table["name"].replace("work__", "piece__", 1)
    assert root.post(HEAD, head).status_code == 200
    assert root.post("schema/commit").status_code == 200
    [found] = reader.get("db/piece/_all_fields/1", version="1").json()
    assert found["piece"]["heading"] == "Hug"
    assert "year" not in found["piece"]
    assert_error(reader.get(WORK), "error.user.objecttype_not_found", id="work")


def test_hierarchies_and_localized_texts(caller: Caller, services: Services) -> None:
    """A place has its parent, an artist the texts of its name by language."""
    reader = _started(caller, services)
    with services.database.write() as connection:
        connection.exec_driver_sql("INSERT INTO place (_id, _version, name) VALUES (1, 1, 'Europe')")
        connection.exec_driver_sql(
            "INSERT INTO place (_id, _version, _parent_id, name) VALUES (2, 1, 1, 'Wien')"
        )
    [place] = reader.get("db/place/_all_fields/2").json()
    assert place["place"] == {"_id": 2, "_version": 1, "_id_parent": 1, "name": "Wien"}
    [artist] = reader.get("db/artist/_all_fields/4").json()
    assert artist["artist"]["name"] == {"de-DE": "Vigée"}


def test_what_does_not_exist(caller: Caller, services: Services) -> None:
    """Unknown types, objects and versions have codes of their own (§7.5, §7.9)."""
    before = caller.signed_in("support")
    assert_error(before.get(WORK), "error.user.objecttype_not_found", id="work")
    reader = _started(caller, services)
    assert_error(reader.get("db/no_such/_all_fields/1"), "error.user.objecttype_not_found", id="no_such")
    # Nested tables have no objects.
    assert_error(reader.get("db/work__part/_all_fields/1"), "error.user.objecttype_not_found")
    missing = reader.get(f"db/{TYPE}/_all_fields/2")
    assert_error(missing, "error.user.object_not_found", objecttype="work", id="2")
    assert_error(reader.get(WORK, version="4"), "error.user.instance_not_found", id="4")


def test_versions_from_before_they_were_stored(caller: Caller, services: Services) -> None:
    """What was replaced before versions were stored is lost; what is newer can be read (§7.8)."""
    reader = _started(caller, services)
    with services.database.write() as connection:
        connection.execute(update(object_version).where(object_version.c.version == 2).values(object_id=99))
    assert _read(reader, version="2")["year"] == 1907
    assert_error(
        reader.get(WORK, version="1"),
        "error.user.old_schema_missing",
        objecttype="work",
        id="1",
        object_version="1",
    )


@pytest.mark.parametrize(
    ("path", "params", "code"),
    [
        (WORK, {"version": "0"}, "error.api.invalid_value"),
        (WORK, {"version": "-1"}, "error.api.invalid_value"),
        (WORK, {"version": "HEAD"}, "error.api.invalid_value"),
        (WORK, {"versions": "1"}, "error.api.attribute_not_accepted"),
        (f"db/{TYPE}/_all_fields/0", {}, "error.api.invalid_value"),
        (f"db/{TYPE}/_all_fields/one", {}, "error.api.invalid_value"),
        (f"db/{TYPE}/_all_fields", {}, "error.api.invalid_api"),
        (f"db/{TYPE}/full/1", {}, "error.api.invalid_api"),
    ],
)
def test_wrong_calls(
    caller: Caller, services: Services, path: str, params: dict[str, str], code: str
) -> None:
    """Wrong values in path and query are refused by name, and so are other masks."""
    assert_error(_started(caller, services).get(path, **params), code)


def test_the_right_to_read(caller: Caller, services: Services) -> None:
    """The right to read events is needed, which the refusal names; so is a session (wire §1)."""
    _started(caller, services)
    right = "system.api.event.get"
    for login in ("viewer", "modeller", "releaser"):
        refused = caller.signed_in(login).get(WORK, version="1")
        assert_error(refused, "error.user.no_system_right", right=right)
    assert_error(caller.with_session().get(WORK), "error.user.not_authenticated")
    assert_error(caller.get(WORK), "error.user.not_authenticated")
    assert caller.signed_in("steward").get(WORK).status_code == 200
    assert_error(caller.signed_in("root")("POST", WORK), "error.api.invalid_request_method")
