"""The error objects of generation 6: what a database that can only be read changes, and what it does not."""

import json

import pytest

from server_stub.foundation.errors import ServerError
from server_stub.http.endpoint import Endpoint
from server_stub.http.routes import GENERATION_6

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
