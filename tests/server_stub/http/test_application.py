"""The calls that paths lead to, and the parts of bodies that are read."""

import pytest
from starlette.routing import Match, Route
from starlette.types import Message

from server_stub.database import Database
from server_stub.http.application import create_app
from server_stub.http.requests import ApiRequest
from server_stub.http.routes.generation5 import ENDPOINTS
from server_stub.process.composition import compose


def _found(database: Database, path: str) -> tuple[str, dict[str, str]] | None:
    """The declared path and the values of its parameters, or None."""
    scope = {"type": "http", "method": "GET", "path": path, "root_path": ""}
    for route in create_app(compose(database, demo=True)).routes:
        match, found = route.matches(scope)
        if match is Match.FULL:
            assert isinstance(route, Route)
            return route.path, found["path_params"]
    return None


@pytest.mark.parametrize(
    ("path", "declared", "values"),
    [
        ("/event", "/event", {}),
        ("/event/list", "/event/list", {}),
        ("/event/listed", "/event/{id}", {"id": "listed"}),
        ("/event/poll", "/event/poll", {}),
        ("/event/poll/7", "/event/poll/{last_max_id}", {"last_max_id": "7"}),
        ("/schema/user/HEAD", "/schema/user/{version}", {"version": "HEAD"}),
        ("/schema/user/HEAD/plan", "/schema/user/{version}/plan", {"version": "HEAD"}),
        (
            "/db/artist/_all_fields/7",
            "/db/{objecttype}/_all_fields/{id}",
            {"objecttype": "artist", "id": "7"},
        ),
    ],
)
def test_a_path_leads_to_a_call(database: Database, path: str, declared: str, values: dict[str, str]) -> None:
    """Literal parts have precedence over parameters, and the alias is equivalent."""
    assert _found(database, f"/api/v1{path}") == (f"/api/v1{declared}", values)
    assert _found(database, f"/api{path}") == (f"/api{declared}", values)


@pytest.mark.parametrize("path", ["", "/", "event", "/event/1/2", "//event", "/schema/user//plan"])
def test_a_path_leads_nowhere(database: Database, path: str) -> None:
    """A path with additional, missing or empty parts leads to no call."""
    assert _found(database, f"/api/v1{path}") is None


def test_every_call_is_routed(database: Database) -> None:
    """No call is hidden by one that is declared before it."""
    for path in {endpoint.path for endpoint in ENDPOINTS}:
        found = _found(database, f"/api/v1{path}")
        assert found is not None
        assert found[0] == f"/api/v1{path}"


async def test_a_body_is_read_no_further_than_it_is_wanted() -> None:
    """At most one part beyond the limit is read, and nothing if the announced length is too large."""
    sent = [b"x" * 40, b"y" * 40, b"z" * 40]

    async def receive() -> Message:
        part = sent.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(sent)}

    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b""}
    announced = ApiRequest(scope | {"headers": [(b"content-length", b"120")]}, receive)
    await announced.read(100)
    assert (len(sent), announced.is_complete) == (3, False)
    chunked = ApiRequest(scope | {"headers": [(b"transfer-encoding", b"chunked")]}, receive)
    await chunked.read(50)
    assert (len(sent), len(chunked.content), chunked.fits(100)) == (1, 80, False)
    await chunked.read(1000)
    assert chunked.fits(120)
    assert not chunked.fits(119)
