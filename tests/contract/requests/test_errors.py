"""§2.3, §7.1 and wire §4: the error object of each realm, server errors and their details."""

from typing import Any
from uuid import UUID

import pytest

from server_stub.http.services import Services
from tests.contract.builders import Store, event
from tests.contract.caller import Caller, assert_error

EMPTY = {"version": 1, "type": "user", "tables": []}


def _drop(services: Services, table: str) -> None:
    """Drops a table while the server runs, which causes a real fault."""
    with services.database.write() as connection:
        connection.exec_driver_sql(f"DROP TABLE {table}")


# §4: each call, and the table without which it cannot work.
CALLS = (
    ("§4.3", "GET", "event/list", None, "_event"),
    ("§4.4", "POST", "event", {"type": "SEARCH"}, "_event"),
    ("§4.5", "DELETE", "event", None, "_event"),
    ("§4.7", "POST", "schema/user/HEAD", EMPTY, "_schema_version"),
)


@pytest.mark.parametrize(("section", "method", "path", "body", "table"), CALLS, ids=[c[0] for c in CALLS])
def test_server_error(
    caller: Caller, services: Services, section: str, method: str, path: str, body: Any, table: str
) -> None:
    """A fault is answered with 500, realm, code, an English description, a uuid and the usual headers."""
    root = caller.signed_in("root")
    _drop(services, table)
    answer = root(method, path, json=body)
    assert_error(answer, "error.server.database", 500)
    assert answer.json().keys() == {"realm", "code", "description", "uuid"}
    assert answer.json()["description"]
    assert str(UUID(answer.json()["uuid"])) == answer.json()["uuid"]
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["x-request-id"]


def test_details(caller: Caller, services: Services) -> None:
    """The details can be read by uuid at both addresses and contain no secret."""
    root, support, steward = (caller.signed_in(login) for login in ("root", "support", "steward"))
    again = caller.signed_in("support")
    _drop(services, "_event")
    error = root.get("event/list", type="SEARCH").json()
    answers = [
        caller.client.get("/api/server/error", params={"uuid": error["uuid"], "token": root.token}),
        root.get("server/error", uuid=error["uuid"]),
        root.get(f"plugin/base/server/error/{error['uuid']}"),
    ]
    for answer in answers:
        details = answer.json()
        assert answer.status_code == 200
        assert details.keys() == {"code", "description", "timestamp", "request", "session", "log"}
        assert (details["code"], details["description"]) == (error["code"], error["description"])
        assert details["timestamp"] == "2025-06-15T15:06:40+00:00"
        assert details["request"]["method"] == "GET"
        assert "event/list" in details["request"]["url"]
        assert root.token is not None
        assert root.token not in answer.text
    # Our addition: others do not see the traceback.
    mine = support.get("event/list").json()["uuid"]
    for reader, uuid, is_shown in (
        (support, mine, True),
        (again, mine, True),
        (root, mine, True),
        (steward, mine, False),
        (support, error["uuid"], False),
    ):
        assert ("log" in reader.get("server/error", uuid=uuid).json()) == is_shown


def test_a_fault_while_signing_in_stores_no_password(caller: Caller, services: Services) -> None:
    """The details of a failed sign-in contain neither login data nor token."""
    started, root = caller.with_session(), caller.signed_in("root")
    _drop(services, "_login_throttle")
    given = {"login": "support", "password": "a-wrong-secret"}
    for sent in ({"params": given}, {"data": given}):
        answer = started("POST", "session/authenticate", **sent)
        assert answer.status_code == 500
        details = root.get("server/error", uuid=answer.json()["uuid"])
        assert details.status_code == 200
        for text in (answer.text, details.text):
            assert "a-wrong-secret" not in text
            assert started.token is not None
            assert started.token not in text


def test_details_that_cannot_be_stored(caller: Caller, services: Services) -> None:
    """Details that cannot be stored are kept in memory, so that each error object has a uuid (§1, §2.3)."""
    root = caller.signed_in("root")
    _drop(services, "_event")
    _drop(services, "_server_error")
    answer = root.get("event/list")
    assert_error(answer, "error.server.database", 500)
    assert answer.json()["description"]
    details = root.get("server/error", uuid=answer.json()["uuid"])
    assert details.status_code == 200
    assert details.json()["description"] == answer.json()["description"]


def test_an_unexpected_error(caller: Caller, services: Services, store: Store) -> None:
    """Other faults are error.server.generic, here an event with a damaged info."""
    store(event("SEARCH"))
    with services.database.write() as connection:
        connection.exec_driver_sql("UPDATE _event SET info = '{damaged'")
    answer = caller.signed_in("support").get("event/list", format="csv", csv_explode="true")
    assert_error(answer, "error.server.generic", 500)
    assert answer.json().keys() == {"realm", "code", "description", "uuid"}
