"""Events in generation 6: whole records, filters in the query, deletion by filters."""

import csv
import io
import json
import logging
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import update

from server_stub.database.postgresql import Patience
from server_stub.database.tables import event
from server_stub.events import Actor, EventDraft
from server_stub.http.services import Services
from tests.contract.builders import Store
from tests.contract.caller import Caller
from tests.contract.generation6.conftest import NewCaller, assert_refused

ROOT = Actor(1, "easydb", 'Root "R"', None, "10.0.0.1")
DRAFTS = (
    EventDraft("OBJECT_INSERT", 1_000, ROOT, True, None, "USER", 'a"b', 7, 1, '{"x":"}"}'),
    EventDraft("SCHEMA_COMMIT", 1_001, ROOT, True, info='{"schema":3}'),
    EventDraft("OBJECT_UPDATE", 1_002, ROOT, False, None, "USER", 'a"b', 7, 2),
    EventDraft("USER_UPDATE", 1_003, None, True, "user", "BASE", None, 7),
    EventDraft("OBJECT_INSERT", 1_004, ROOT, True, None, "USER", "c", 7, 1),
    EventDraft("LOGIN_FAILED", 1_005),
)
FIRST = {
    "_basetype": "event",
    "event": {
        "_id": 1,
        "timestamp": "1970-01-01T00:16:40+00:00",
        "type": "OBJECT_INSERT",
        "schema": "USER",
        "objecttype": 'a"b',
        "global_object_id": 'a"b:7',
        "object_id": 7,
        "object_version": 1,
        "pollable": True,
        "info": {"x": "}"},
        "remote_addr": "10.0.0.1",
        "user_generated_displayname": 'Root "R"',
    },
    "user": {"_basetype": "user", "user": {"_id": 1, "_generated_displayname": 'Root "R"'}},
}


@pytest.fixture
def root(new: NewCaller, store: Store) -> NewCaller:
    """Root's access token on a server with the events, ids 1 to 6, followed by that of the log-in."""
    store(*DRAFTS)
    return new.signed_in("root")


def _ids(page: Any) -> list[int]:
    return [record["event"]["_id"] for record in page["objects"]]


def test_records_are_whole_everywhere(root: NewCaller, services: Services) -> None:
    """List, poll and a single event have the same record; types that are named otherwise are renamed."""
    page = root.get("event/list", sort="_id", limit=0)
    assert (page["count"], page["objects"][0]) == (7, FIRST)
    assert root.get("event/1") == root.get("event/poll/0")[0] == FIRST
    commit = page["objects"][1]["event"]
    assert commit["type"] == "DATAMODEL_COMMIT"
    assert commit["info"] == {"version": 3, "committed_at": "1970-01-01T00:16:41+00:00"}
    assert "user" not in page["objects"][3]
    assert _ids({"objects": root.get("event/poll/1", limit=2)}) == [2, 4]
    # Polls refuse no parameter and no number: the first limit that can be read counts.
    for number in ("-5", "0.5", "9e-1"):
        found = root.get(f"event/poll/{number}", limit=["many", "0", "2", "1"], more=1)
        assert _ids({"objects": found}) == [1, 2]
    assert root.get("event/poll/1e99") == []
    for none in ("null", "NaN", "-Infinity", "1,2", "%00"):
        assert_refused(root("GET", f"event/poll/{none}"), "UnknownEndpointMethod", 400)
        assert_refused(root("GET", f"event/{none}", params={"more": 1}), "EventNotFound", 404)
    with services.database.write() as connection:
        connection.execute(update(event).values(user_displayname=None))
    assert root.get("event/1")["user"]["user"] == {"_id": 1, "_generated_displayname": None}


FILTERS: tuple[tuple[dict[str, str], list[int]], ...] = (
    ({"id": "1,3-4,6"}, [1, 3, 4, 6]),
    ({"id": ",".join(f"{first}-{first + 1}" for first in range(2, 2002, 4))}, [2, 3, 6, 7]),
    ({"objecttype": 'a"b', "object_id": "7"}, [1, 3]),
    ({"object_id": "7", "basetype": "user"}, [4]),
    ({"type": "DATAMODEL_COMMIT,USER_LOGIN_FAILED"}, [2, 6]),
    ({"type": "SCHEMA_COMMIT"}, []),
    ({"pollable": "false"}, [3, 6]),
    ({"system_object_id": "7"}, []),
    ({"id": "1-6", "sort": "object_version.DESC,_id.DESC"}, [3, 5, 1, 6, 4, 2]),
    ({"id": "1-6", "sort": "system_object_id.ASC", "limit": "2", "offset": "1"}, [5, 4]),
)


def test_answers_are_not_indented(root: NewCaller) -> None:
    """Clients have no parameter that refuses it, and reading a page would take half as long again."""
    for path in ("event/list", "event/poll/0", "event/1", "settings"):
        assert "\n" not in root("GET", path).text


def test_filters(root: NewCaller) -> None:
    """Each filter selects what it names; the count is that of all pages."""
    for query, expected in FILTERS:
        page = root.get("event/list", **({"sort": "_id"} | query))
        assert _ids(page) == expected, query
        chosen = {name: value for name, value in query.items() if name not in {"sort", "limit", "offset"}}
        assert page["count"] == len(root.get("event/list", limit=0, **chosen)["objects"]), query


def test_other_infos_of_commits_stay(new: NewCaller, store: Store) -> None:
    """Only the info that this server writes has another form: an imported one may be anything."""
    infos = ["{}", '{"schema":{"a":1}}', '{"a":{"schema":2}}', '{"schema":"s"}']
    store(*(EventDraft("SCHEMA_COMMIT", 1_000, info=info) for info in infos))
    found = new.signed_in("root").get("event/list", type="DATAMODEL_COMMIT", sort="_id")["objects"]
    assert [record["event"]["info"] for record in found] == list(map(json.loads, infos))


def test_csv_has_the_names_of_the_generation(root: NewCaller) -> None:
    """The cells are those of the records, untrimmed."""
    text = root("GET", "event/list", params={"format": "csv", "id": "1-2", "sort": "_id"}).text
    first, second = csv.DictReader(io.StringIO(text))
    assert (first["global_object_id"], first["remote_addr"]) == ('a"b:7', "10.0.0.1")
    assert second["type"] == "DATAMODEL_COMMIT"


def test_deletion(root: NewCaller) -> None:
    """One event, some by filter, all without; a body of ids is refused, since it would be no filter."""
    chosen = {"type": "DATAMODEL_COMMIT,USER_LOGIN_FAILED", "id": "1-3"}
    assert root("DELETE", "event/list", params=chosen).json() == {"status": {"acknowledged": "ok"}}
    assert _ids(root.get("event/list", sort="_id")) == [1, 3, 4, 5, 6, 7]
    assert root("DELETE", "event/1").status_code == 200
    for path in ("event/1", f"event/{'0' * 20}{'9' * 19}"):
        assert root("DELETE", path).json()["code"] == "EventNotFound"
    assert_refused(root("DELETE", "event/list", json=[2]), "ServerGeneric", 400)
    for mistyped in ("types=X", "pollable=true", "id=", "id=3-2", "type="):
        assert_refused(root("DELETE", f"event/list?{mistyped}"), "ServerGeneric", 400)
    assert root.get("event/list")["count"] == 5
    assert root("DELETE", "event/list", params={"limit": 2}).status_code == 200
    assert _ids(root.get("event/list", sort="_id", limit=1)) == [5]
    assert root("DELETE", "event/list").status_code == 200
    assert root.get("event/list")["count"] == 0


def test_a_deletion_of_as_many_ranges_as_there_may_be(root: NewCaller, store: Store) -> None:
    """It deletes exactly their events."""
    ids = store(*[EventDraft("SEARCH", 2_000)] * 1500)
    ranges = ",".join(f"{first}-{second}" for first, second in zip(ids[::3], ids[1::3], strict=True))
    assert root("DELETE", "event/list", params={"id": ranges}).status_code == 200
    assert _ids(root.get("event/list", type="SEARCH", limit=0, sort="_id.ASC")) == ids[2::3]
    assert root.get("event/list", id=ranges, limit=1)["count"] == 0
    assert_refused(root("DELETE", "event/list", params={"id": f"{ranges},{ids[2]}"}), "ServerGeneric", 400)


def test_insertion(root: NewCaller, new: NewCaller) -> None:
    """Types of the frontend and of plugins are stored; root may store any, singly or many at once."""
    viewer = new.signed_in("viewer")
    stored = viewer("POST", "event", json={"event": {"type": "SEARCH", "info": {"a": 1}, "_id": 99}}).json()
    assert stored["event"]["info"] == {"a": 1}
    assert stored["event"]["_id"] != 99
    for who, query in ((viewer, "?skip_constraints=true"), (root, "")):
        refused = who("POST", f"event{query}", json={"event": {"type": "OBJECT_INSERT"}})
        assert_refused(refused, "EventTypeNotAllowed", 400, type="OBJECT_INSERT")
    many = [{"event": {"type": "OBJECT_INSERT", "objecttype": "c", "object_id": n}} for n in range(1, 51)]
    answers = [
        root("POST", "event/list?skip_constraints=true", json=many, headers={"Idempotency-Key": "a"})
        for _ in range(2)
    ]
    assert [each["event"]["object_id"] for each in answers[0].json()] == list(range(1, 51))
    assert answers[1].json() == answers[0].json()
    assert root("DELETE", f"event/{answers[0].json()[7]['event']['_id']}").status_code == 200
    gone = root("POST", "event/list?skip_constraints=true", json=many, headers={"Idempotency-Key": "a"})
    assert_refused(gone, "EventNotFound", 404)
    bad = root("POST", "event/list", json=[{"event": {"type": "PLUGIN_A"}}, {"event": {"info": {}}}])
    assert_refused(bad, "ServerGeneric", 400)
    assert root.get("event/list", type="PLUGIN_A")["count"] == 0


def test_who_may_do_what(new: NewCaller) -> None:
    """Without a token 401, without the right 403 that names the rights that would do; polling needs none."""
    viewer = new.signed_in("viewer")
    assert_refused(new("GET", "event/poll/0"), "UserRequired", 401)
    assert viewer.get("event/poll/0")
    get = "system.api.event.get"
    assert_refused(viewer("GET", "event/list"), "SystemRightRequired", 403, rights=[get, "system.root"])
    for path in ("event/list", "event/1"):
        assert viewer("DELETE", path).status_code == 403
    assert viewer.get("user/session")["user"]["user"]["login"] == "viewer"


def test_the_generation_can_be_told(new: NewCaller) -> None:
    """Settings need no token, answers have the state of the service, calls that do not exist are named."""
    for call in ("GET session", "DELETE event", "GET nothing", "PUT event/1"):
        assert_refused(new(*call.split()), "UnknownEndpointMethod", 400)
    answer = new("GET", "settings")
    assert answer.headers["x-fylr-status"] == "ready"
    assert answer.json()["version"].startswith("6.")
    assert "api" not in answer.json()


def test_a_busy_database_is_no_fault(
    new: NewCaller,
    caller: Caller,
    services: Services,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Who has waited in vain for other writers is told to try again, in both generations."""
    database, token, written = services.database, caller.signed_in("root").token, {"type": "SEARCH"}
    old, root = Caller(caller.client, token), replace(new, access=str(token))
    for limit in ("lock_timeout", "statement_timeout"):
        brief = re.sub(rf"{limit} = '\d+s'", f"{limit} = '50ms'", Patience.BRIEF)
        monkeypatch.setattr("server_stub.database.engine.Patience", SimpleNamespace(BRIEF=brief))
        monkeypatch.setattr("server_stub.database.sqlite._SETTINGS", ("PRAGMA busy_timeout=50",))
        database.engine.dispose()
        lock = "BEGIN IMMEDIATE" if database.is_sqlite else "BEGIN; LOCK TABLE _counter IN EXCLUSIVE MODE"
        with database.engine.connect().execution_options(begin=lock) as other, other.begin():
            answers = old.post("event", written), root("POST", "event", json={"event": written})
        for answer, code in zip(answers, ("error.server.database", "ServerGeneric"), strict=True):
            assert (answer.status_code, answer.json()["code"]) == (503, code), answer.text
            assert answer.headers["retry-after"] == "1"
            assert "busy" in answer.text
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR]
    assert old.post("event", written).status_code == 200
