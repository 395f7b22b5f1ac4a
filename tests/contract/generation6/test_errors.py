"""Errors of generation 6: what a database that can only be read changes, and what is no error."""

import json

import pytest

from server_stub.foundation.errors import ServerError
from server_stub.http.endpoint import Endpoint
from server_stub.http.routes import GENERATION_6
from tests.contract.documents import museum
from tests.contract.generation6.conftest import NewCaller, assert_refused

TOKEN = next(each for each in GENERATION_6.endpoints if each.path == "/oauth2/token")


@pytest.mark.parametrize(
    ("name", "endpoint", "status", "code"),
    [
        ("database", None, 400, "ReadOnlyMode"),
        ("generic", None, 500, "ServerGeneric"),
        ("database", TOKEN, 500, "server_error"),
        ("generic", TOKEN, 500, "server_error"),
    ],
)
def test_a_read_only_database(name: str, endpoint: Endpoint | None, status: int, code: str) -> None:
    """Only faults of the database come from it; no fault of the server is the client's."""
    answer = GENERATION_6.error_answer(ServerError(name, "It failed."), None, endpoint, True)
    assert isinstance(answer.body, bytes)
    found = json.loads(answer.body)
    assert (answer.status, found.get("code") or found["error"]) == (status, code)


def test_objects_that_do_not_exist(new: NewCaller) -> None:
    """An empty list, whatever the id; a table that does not exist is an error."""
    root = new.signed_in("root")
    assert root("POST", "schema/user/HEAD", json=museum()).status_code == 200
    assert root("POST", "schema/commit").status_code == 200
    for identifier in ("7", "0", "x", "%00", "9" * 30):
        assert root.get(f"db/artist/_all_fields/{identifier}") == []
    assert_refused(root("GET", "db/nobody/_all_fields/7"), "UnknownObjecttype", 400)
