"""wire §1: the alias, the token's places, indentation, headers, unknown parameters, methods and paths."""

from __future__ import annotations

from typing import Any

from server_stub.http.calls import Services
from tests.contract.builders import Store, event
from tests.contract.caller import Caller, assert_error


def test_alias(caller: Caller, store: Store) -> None:
    """`/api/<call>` is equivalent to `/api/v1/<call>` (§9.1, wire §1)."""
    (id_,) = store(event())
    root = caller.signed_in("root")
    calls = {f"event/{id_}": 200, "event/list": 200, "event/poll": 200, "session": 200, "settings": 200}
    for call, status in (calls | {"schema/user/HEAD": 404}).items():
        answers = [
            caller.client.get(f"{prefix}/{call}", params={"token": root.token, "pretty": "0"})
            for prefix in ("/api/v1", "/api")
        ]
        assert [answer.status_code for answer in answers] == [status, status]
        assert answers[0].json() == answers[1].json()


def test_token_in_the_header(caller: Caller) -> None:
    """`x-easydb-token` replaces the query parameter."""
    token = caller.signed_in("support").token
    assert token is not None
    answer = caller("GET", "event/list", headers={"X-Easydb-Token": token})
    assert answer.status_code == 200, answer.text
    deleted = caller("DELETE", "event", headers={"x-easydb-token": token})
    assert_error(deleted, "error.user.no_system_right", right="system.api.event.delete")
    stranger = caller("GET", "event/list", headers={"x-easydb-token": "nobody's"})
    assert_error(stranger, "error.user.session_not_found")


def test_precedence_of_tokens(caller: Caller) -> None:
    """A token in the query has precedence over a form and the header; an empty one is ignored."""
    token = caller.signed_in("support").token
    assert token is not None
    good, unknown = {"x-easydb-token": token}, {"x-easydb-token": "nobody's"}
    assert caller("GET", "event/list", params={"token": token}, headers=unknown).status_code == 200
    assert caller("GET", "event/list", params={"token": ""}, headers=good).status_code == 200
    stranger = caller("GET", "event/list", params={"token": "nobody's"}, headers=good)
    assert_error(stranger, "error.user.session_not_found")
    form = {"login": "support", "password": "support"}
    for sent, headers in ((form | {"token": token}, unknown), (form | {"token": ""}, good)):
        answer = caller("POST", "session/authenticate", data=sent, params={"token": ""}, headers=headers)
        assert answer.json()["token"] == token


def test_an_empty_token(caller: Caller) -> None:
    """An empty token in the query or header is equivalent to no token."""
    sent: tuple[dict[str, Any], ...] = ({"params": {"token": ""}}, {"headers": {"x-easydb-token": ""}})
    for empty in sent:
        assert_error(caller("GET", "event/list", **empty), "error.user.not_authenticated")
        assert_error(caller("GET", "schema/user/HEAD", **empty), "error.user.not_authenticated", 403)
        started = caller("GET", "session", **empty).json()
        assert Caller(caller.client, started["token"]).get("session").json() == started


def test_indentation(caller: Caller) -> None:
    """JSON responses, including errors, are indented by default and compact with `pretty=0`."""
    for path in ("session", "event/list"):
        spacious = caller.client.get(f"/api/v1/{path}")
        compact = caller.client.get(f"/api/v1/{path}", params={"pretty": "0"})
        assert b"\n " in spacious.content
        assert b"\n" not in compact.content.strip()
        assert b'": ' not in compact.content
        assert spacious.json().keys() == compact.json().keys()


# Calls of every sort: JSON, CSV, refusals of each realm but the server's, which test_errors looks at.
ANSWERS: tuple[tuple[str, str, dict[str, str], int], ...] = (
    ("GET", "session", {}, 200),
    ("GET", "event/list", {}, 200),
    ("GET", "event/list", {"format": "csv"}, 200),
    ("GET", "event/poll", {}, 200),
    ("GET", "settings", {}, 200),
    ("GET", "event/999999", {}, 400),
    ("GET", "event/list", {"nonsense": "1"}, 400),
    ("PUT", "event/list", {}, 400),
    ("GET", "no/such/call", {}, 400),
    ("GET", "schema/user/HEAD", {}, 404),
)


def test_headers(caller: Caller) -> None:
    """Every response has the versions of interface and schema and must not be cached."""
    root = caller.signed_in("root")
    for method, path, params, status in ANSWERS:
        answer = root(method, path, params=params)
        assert answer.status_code == status, answer.text
        assert answer.headers["cache-control"] == "no-cache"
        assert answer.headers["x-easydb-api-version"]
        assert "x-easydb-user-schema-version" in answer.headers
        assert answer.reason_phrase
        if params.get("format") != "csv":
            assert answer.headers["content-type"] == "application/json; charset=utf-8"


EVENT_CALLS = (
    ("GET", "event/1"),
    ("GET", "event/poll"),
    ("GET", "event/poll/999"),
    ("GET", "event/list"),
    ("POST", "event"),
    ("DELETE", "event"),
)


def test_unknown_parameters(caller: Caller, store: Store) -> None:
    """Event calls refuse every unknown parameter except for `token` and `pretty`."""
    store(event())
    root = caller.signed_in("root")
    for method, path in EVENT_CALLS:
        more = {"json": {"type": "SEARCH"}} if method == "POST" else {}
        for name in ("types", "Limit", "csv", "lang"):
            answer = root(method, path, params={name: "1"}, **more)
            assert_error(answer, "error.api.attribute_not_accepted")
    assert root.get("event/list").json()["count"] == 2  # the one stored and root's USER_LOGIN


WRONG_METHODS = (
    ("PUT", "event"),
    ("GET", "event"),
    ("POST", "event/list"),
    ("DELETE", "event/list"),
    ("POST", "event/poll"),
    ("DELETE", "event/1"),
    ("PATCH", "event/1"),
    ("PUT", "schema/user/HEAD"),
    ("GET", "schema/commit"),
    ("GET", "session/authenticate"),
    ("DELETE", "session"),
)


def test_wrong_methods(caller: Caller) -> None:
    """An unsupported method is error.api.invalid_request_method (§7.2)."""
    root = caller.signed_in("root")
    for method, path in WRONG_METHODS:
        assert_error(root(method, path), "error.api.invalid_request_method")


def test_unknown_paths(caller: Caller) -> None:
    """An unknown path is error.api.invalid_api with 400 (§7.2)."""
    root = caller.signed_in("root")
    for path in (
        "",
        "nothing",
        "event/list/1",
        "event/poll/1/2",
        "schema",
        "schema/base/HEAD",
        "settings%0A",
    ):
        assert_error(root.get(path), "error.api.invalid_api")


def test_paths_without_their_last_part(caller: Caller) -> None:
    """A missing last part of a path is error.api.positional_parameter_expected (§7.2)."""
    root = caller.signed_in("root")
    for path in ("event/", "schema/user", "schema/user/", "l10n/user", "plugin/base/server/error"):
        assert_error(root.get(path), "error.api.positional_parameter_expected")
    assert_error(root.get("event/poll/"), "error.api.invalid_api")  # there it may be left out


def test_bodies_to_tolerate(caller: Caller) -> None:
    """A POST with a JSON content type and an empty body is accepted if no body is needed (wire §1)."""
    started = caller.with_session()
    headers = {"content-type": "application/json"}
    params = {"login": "releaser", "password": "releaser"}
    answer = started("POST", "session/authenticate", params=params, headers=headers, content=b"")
    assert answer.status_code == 200, answer.text
    assert started("POST", "session/deauthenticate", headers=headers, content=b"").status_code == 200


def test_the_schema_version_header(caller: Caller, services: Services) -> None:
    """The header contains the committed version."""
    root = caller.signed_in("root")
    before = root.get("session").headers["x-easydb-user-schema-version"]
    root.post("schema/user/HEAD", {"version": 1, "type": "user", "tables": []})
    assert root.get("session").headers["x-easydb-user-schema-version"] == before
    root.post("schema/commit")
    answer = root.get("session")
    assert answer.headers["x-easydb-user-schema-version"] == "1"
    assert str(answer.json()["instance"]["user-schema"]) == "1"


def test_version_of_the_interface(caller: Caller) -> None:
    """The version is at least 5.140, which clients require for json_full and skip_count (§9.2)."""
    support = caller.signed_in("support")
    version = support.get("session").json()["instance"]["server_version"]
    assert [int(part) for part in version.split(".")[:2]] >= [5, 140]
    answer = support.get("event/list", format="json_full", skip_count="true").json()
    assert answer["objects"][0]["event"]["info"] == {}
    assert "count" not in answer
