"""The schema calls of generation 6, over the same versions and rows as those of generation 5."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import httpx
import pytest

from server_stub.events import EventLog
from server_stub.http.application import create_app
from server_stub.http.routes.generation6 import GENERATION_6
from server_stub.http.services import Services
from server_stub.process.composition import compose
from tests.contract.caller import Caller
from tests.contract.documents import Json, column, museum, named, table
from tests.contract.transports import in_process

HEAD, CURRENT, COMMIT = "schema/user/HEAD", "schema/user/CURRENT", "schema/commit"


@pytest.fixture
def root(caller: Caller, services: Services) -> Iterator[httpx.Client]:
    """Calls the service as root, whose access token is a session; a museum with one place is committed."""
    former = caller.signed_in("root")
    assert former.post(HEAD, museum()).status_code == former.post(COMMIT).status_code == 200
    with services.database.write() as connection:
        connection.exec_driver_sql("INSERT INTO place (_id, _version, name) VALUES (1, 1, 'here')")
    with in_process(create_app(services, dialect=GENERATION_6)) as client:
        client.base_url = httpx.URL("http://here/api/v1")
        client.headers["Authorization"] = f"Bearer {former.token}"
        yield client


def _refused(answer: httpx.Response, code: str, status: int = 400) -> Json:
    found: Json = answer.json()
    assert (answer.status_code, found["code"], found["statuscode"]) == (status, code, status)
    parameters: Json = found["parameters"]
    return parameters


def test_saving_refuses_what_would_lose_objects_or_values(root: httpx.Client) -> None:
    """Nothing is saved; unknown attributes and references of bidirectional links are kept."""
    head = root.get(HEAD).json()
    assert (head["committed_at"], root.get(CURRENT).json()["committed_at"][:4]) == (None, "2025")
    fewer, retyped, moved, odd = (deepcopy(head) for _ in range(4))
    fewer["tables"].remove(named(fewer, "place"))
    lost = _refused(root.post(HEAD, json=fewer), "ObjecttypeNotEmpty")
    assert lost == {"stats": {"place": 1}}
    named(retyped, "work")["columns"][0]["type"] = "boolean"
    change = _refused(root.post(HEAD, json=retyped), "TypeChangeUnsupported")
    assert change == {"column": "work.title", "current": "text_oneline", "head": "boolean"}
    moved["based_on_version"] = 7
    _refused(root.post(HEAD, json=moved), "VersionMismatch")
    wrong: tuple[object, ...] = ("text", "", [])
    for value in wrong:
        named(odd, "place")["columns"][0]["custom_settings"] = value
        _refused(root.post(HEAD, json=odd), "ServerGeneric")
    assert root.get(HEAD).json() == head
    named(odd, "place")["columns"][0]["custom_settings"] = None
    assert root.post(HEAD, json=odd).json() == head
    pair = {"columns": [{"auto_column_uplink": True}, {"column_name_hint": "label"}], "odd": 1}
    named(head, "work__part")["bidirectional"] = [pair]
    saved = root.post(HEAD, json=head).json()
    label = named(saved, "work__part")["columns"][0]["column_id"]
    (kept,) = named(saved, "work__part")["bidirectional"]
    assert (kept["odd"], kept["columns"][1]["column_id"]) == (1, label)
    assert root.get("schema/user/9").json()["code"] == "DatamodelVersionNotFound"


def test_a_commit_asks_before_it_reindexes_or_restricts(root: httpx.Client) -> None:
    """Nothing happens until the answers come as parameters; then the number is that of CURRENT."""
    head = root.get(HEAD).json()
    named(head, "place")["columns"][0]["not_null"] = True
    head["tables"].append(table("note", column("text")))
    assert root.post(HEAD, json=head).status_code == 200
    asked = root.post(COMMIT)
    (task,) = asked.json()["tasks"]
    assert (asked.status_code, root.get(CURRENT).json()["version"]) == (202, 1)
    assert "place" in task["message"]
    (field,) = task["form"]
    assert [each["value"] for each in field["options"]] == ["reindex", "skip", "reindex_block"]
    assert root.post(COMMIT, params={"reindex": "skip"}).status_code == 202
    accept = next(each for each in task["buttons"] if each["name"] == "confirm")
    answers = {"reindex": "reindex_block", accept["name"]: accept["value"]}
    assert root.post(COMMIT, params=answers).json() == {"status": "ok"}
    assert root.get(CURRENT).json()["version"] == 2
    assert root.post(COMMIT).json() == {"status": "ok"}


def test_objects_are_counted_and_read(root: httpx.Client) -> None:
    """By table and for all tables; an unknown object is an empty list, an unknown table an error."""
    place = named(root.get(CURRENT).json(), "place")["table_id"]
    assert root.get(f"objecttype/{place}/stats").json()["total_count"] == 1
    counts = {one["type_name"]: one["total_count"] for one in root.get("system/status").json()["objecttypes"]}
    assert counts == {"work": 0, "artist": 0, "place": 1}
    (found,) = root.get("db/place/_all_fields/1").json()
    assert (found["_objecttype"], found["place"]["name"]) == ("place", "here")
    for none in ("2", "1?version=0", "1?version=9223372036854775807"):
        assert root.get(f"db/place/_all_fields/{none}").json() == []
    assert root.get("db/place/%00/1").json()[0]["_mask"] == "\0"
    for unknown, name in (("planet", "planet"), ("%00", "\0")):
        found = _refused(root.get(f"db/{unknown}/_all_fields/1"), "UnknownObjecttype")
        assert found == {"objecttype": name}
    _refused(root.get("mask/%00"), "DatamodelVersionNotFound")
    masks = {one["table_name_hint"]: one["name"] for one in root.get("mask/CURRENT").json()["masks"]}
    assert masks["work__part"] == "work__part__standard"


def test_localized_names_are_replaced_as_a_whole(root: httpx.Client) -> None:
    """A key that is left out has no name afterwards."""
    names = {"schema.place.name": {"en-US": "Place"}, "schema.work.name": {"en-US": "Work"}}
    for posted in (names, {"schema.work.name": {"en-US": "Work"}}):
        assert root.post("l10n/user/HEAD", json=posted).status_code == 200
        assert root.get("l10n/user/HEAD").json() == posted
    assert root.post("l10n/user/CURRENT", json=names).json()["code"] == "ServerGeneric"


def test_every_process_says_that_objects_are_indexed_again(
    root: httpx.Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The header tells it at another server on the database, until the work is done or was abandoned."""
    other = compose(services.database, now=services.now)
    seen: list[bool] = []
    append = EventLog.append

    def observed(*given: Any) -> Any:
        seen.append(other.instance.is_reindexing())
        return append(*given)

    monkeypatch.setattr(EventLog, "append", observed)
    assert services.schemas.reindex(["place"], generate_events=True) == 1
    assert (seen, other.instance.is_reindexing()) == ([True, True], False)


def test_a_head_that_somebody_else_has_saved(root: httpx.Client) -> None:
    """`If-Match` names a HEAD that is gone."""
    read = root.get(HEAD)
    assert root.post(HEAD, json=read.json(), headers={"If-Match": read.headers["etag"]}).status_code == 200
    _refused(root.post(HEAD, json=read.json(), headers={"If-Match": '"gone"'}), "VersionMismatch", 412)
