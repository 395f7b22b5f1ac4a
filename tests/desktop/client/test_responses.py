"""Tests of responses: JSON, files, and the errors that they report."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop import client
from cdb_desktop.client import AnswerError, ServiceError
from cdb_desktop.client.request import Response
from cdb_desktop.client.responses import count, failure, file, json_mapping, nothing
from cdb_desktop.foundation.bundle import resource

PAGE = b"<!DOCTYPE html><html><body>Sign in to the wifi</body></html>"


def answer_of(body: bytes, content_type: str = "application/json") -> Response:
    return Response(200, {"content-type": content_type}, body)


@pytest.mark.parametrize("decode", [json_mapping, count, file, nothing])
@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", ""])
def test_web_page(decode: Callable[[Response], object], content_type: str) -> None:
    """A portal's page is never accepted as an answer, with any content type."""
    with pytest.raises(AnswerError) as caught:
        decode(answer_of(PAGE, content_type))
    assert "Sign in to the wifi" in caught.value.excerpt


def test_json_with_a_wrong_content_type() -> None:
    """JSON is decoded to Python's types whatever its content type."""
    assert json_mapping(answer_of(b'{"a": [1, null]}', "text/html")) == {"a": [1, None]}


@pytest.mark.parametrize("decode", [json_mapping, count, file, nothing])
def test_failure(decode: Callable[[Response], object]) -> None:
    """An error object is raised, whatever is expected."""
    with pytest.raises(ServiceError):
        decode(Response(400, {}, b'{"realm": "odd", "code": "error.odd.x"}'))


@pytest.mark.parametrize("body", [b'{"a": 1', b"[]", b"", b'"x"'])
def test_not_an_object(body: bytes) -> None:
    """Truncated JSON and other values are refused."""
    with pytest.raises(AnswerError):
        json_mapping(answer_of(body))


def test_count() -> None:
    """The number of deleted events is returned; any other value is refused (§4.5)."""
    assert count(answer_of(b'{"count": 3}')) == 3
    with pytest.raises(AnswerError) as caught:
        count(answer_of(b'{"count": "three"}'))
    assert caught.value.place == "count"


def test_file() -> None:
    """A file is returned unchanged; JSON in its place is refused."""
    assert file(answer_of(b"\x89PNG", "image/png")) == b"\x89PNG"
    with pytest.raises(AnswerError):
        file(answer_of(b"{}"))


@pytest.mark.parametrize("body", [b"", b"{}", b"true", b"done"])
def test_an_ignored_body(body: bytes) -> None:
    """The body of a commit is ignored, since the interface does not show it (§4.8)."""
    answer = answer_of(body)
    nothing(answer)
    with pytest.raises(AnswerError):
        file(answer)


def answer_of_test_failures(body: object, status: int = 400, *secrets: str) -> Response:
    encoded = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Response(status, {"content-type": "application/json"}, encoded, secrets)


def catalogue() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(resource("errors.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("error.api.invalid_value", 400, client.ApiError),
        ("error.api.surprise", 400, client.ApiError),
        ("error.server.database", 500, client.ServerError),
        ("error.user.event_type_disabled", 400, client.UserError),
        ("error.user.not_authenticated", 403, client.SessionLostError),
        ("error.user.session_not_found", 400, client.SessionLostError),
        ("error.user.session_invalid", 403, client.SessionLostError),
        ("error.user.login_failed", 400, client.LoginRefusedError),
        ("error.user.login_disabled_to", 400, client.LoginRefusedError),
        ("error.user.username_or_password_empty", 400, client.LoginRefusedError),
        ("error.user.authentication_method_not_allowed", 400, client.LoginRefusedError),
        ("error.user.no_system_right", 403, client.MissingRightError),
        ("error.user.insufficient_rights", 400, client.MissingRightError),
        ("error.user.event_not_found", 400, client.NotFoundError),
        ("error.user.instance_not_found", 404, client.NotFoundError),
        ("error.user.whatever", 404, client.NotFoundError),
        ("error.user.version_mismatch", 400, client.VersionMismatchError),
        ("error.plugin.strange", 400, client.ServiceError),
        ("strange", 400, client.ServiceError),
    ],
)
def test_class_by_code(code: str, status: int, kind: type[client.ServiceError]) -> None:
    """Each code has the class for its handling; unknown codes have a general class."""
    realm = code.split(".")[1] if "." in code else "odd"
    error = failure(answer_of_test_failures({"realm": realm, "code": code}, status))
    assert type(error) is kind
    assert isinstance(error, client.ServiceError)
    assert (error.code, error.status) == (code, status)


def test_everything_is_kept() -> None:
    """Realm, code, parameters, description, uuid and status are read (§2.3); parameters are strings."""
    body = {
        "realm": "server",
        "code": "error.server.generic",
        "parameters": {"a": "x", "b": 7, "c": [1, 2]},
        "description": "boom",
        "uuid": "u-1",
    }
    named = {"content-type": "application/json", "x-request-id": "r-1"}
    error = failure(Response(500, named, json.dumps(body).encode()))
    assert isinstance(error, client.ServerError)
    assert error.request_id == "r-1"
    assert error.parameters == {"a": "x", "b": "7", "c": "[1, 2]"}
    assert (error.realm, error.name, error.uuid, error.status) == ("server", "generic", "u-1", 500)
    assert str(error) == "error.server.generic (a=x, b=7, c=[1, 2]) boom"


@pytest.mark.parametrize(
    "body",
    [
        {"error": "error.user.event_not_found", "statuscode": 404},
        {"error": {"realm": "user", "code": "error.user.event_not_found"}, "statuscode": 404},
    ],
)
def test_other_shapes_of_the_error_object(body: object) -> None:
    """``error`` and ``statuscode`` are read too (wire §4)."""
    error = failure(answer_of_test_failures(body))
    assert isinstance(error, client.NotFoundError)
    assert (error.name, error.status) == ("event_not_found", 404)


def test_rights_and_versions_are_named() -> None:
    """The classes have properties for the parameters that callers need."""
    missing = failure(
        answer_of_test_failures({"code": "error.user.no_system_right", "parameters": {"right": "system.x"}})
    )
    stale = {"code": "error.user.version_mismatch", "parameters": {"provided": 3, "expected": 4}}
    mismatch = failure(answer_of_test_failures(stale))
    assert isinstance(missing, client.MissingRightError)
    assert isinstance(mismatch, client.VersionMismatchError)
    assert (missing.right, mismatch.parameters) == ("system.x", {"provided": "3", "expected": "4"})


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, client.SessionLostError),
        (403, client.MissingRightError),
        (404, client.NotFoundError),
        (302, client.AnswerError),
        (400, client.AnswerError),
        (413, client.AnswerError),
        (407, client.GatewayError),
        (429, client.GatewayError),
        (500, client.GatewayError),
        (502, client.GatewayError),
        (504, client.GatewayError),
    ],
)
def test_class_by_status(status: int, kind: type[client.ClientError]) -> None:
    """Without an error object the status determines the class."""
    for body in (b"", b"[]", b"{}", b"oops", b'{"code": null}'):
        assert type(failure(answer_of_test_failures(body, status))) is kind, body


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("30", 30), (" 7 ", 7), ("0", 0), ("", 0), ("soon", 0), ("-5", 0), ("9" * 400, 3600), ("86400", 3600)],
)
@pytest.mark.parametrize("body", [b"", b'{"realm": "server", "code": "error.server.generic"}'])
def test_requested_wait(header: str, seconds: float, body: bytes) -> None:
    """Retry-After is observed with and without an error object, for an hour at most."""
    error = failure(Response(503, {"content-type": "application/json", "retry-after": header}, body))
    assert error.retry_after == seconds


def test_requested_wait_as_a_date() -> None:
    """The other form of Retry-After is observed too."""
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 85 < failure(Response(429, {"retry-after": later}, b"")).retry_after <= 90
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=90), usegmt=True)
    assert failure(Response(429, {"retry-after": past}, b"")).retry_after == 0


def test_web_page_with_404_is_a_wrong_address() -> None:
    """The page of another web server is not a missing object of this service."""
    page = Response(404, {"content-type": "text/html"}, b"<html>Not here</html>")
    error = failure(page)
    assert isinstance(error, client.AnswerError)
    assert (error.status, error.content_type, error.excerpt) == (404, "text/html", "<html>Not here</html>")


def test_redirect_names_its_target_without_query() -> None:
    """A redirect is reported with its target, without the token."""
    error = failure(Response(301, {"location": "https://new.example/api/v1/session?token=abc"}))
    assert "https://new.example/api/v1/session" in str(error)
    assert "abc" not in str(error)


def test_secrets_in_answers_are_masked() -> None:
    """An unknown token is sent back as a parameter, and a service may quote the URL (wire §2)."""
    body = {
        "code": "error.user.session_not_found",
        "parameters": {"id": "tok-123"},
        "description": "GET /event/1?token=tok-123",
    }
    error = failure(answer_of_test_failures(body, 400, "tok-123"))
    assert "tok-123" not in f"{error} {error!r} {vars(error)}"


def test_excerpt_is_short_and_clean() -> None:
    """The excerpt of an unexpected body has 200 characters without secrets."""
    error = failure(answer_of_test_failures(b"token=tok-123 " + b"x" * 5000, 400, "tok-123"))
    assert isinstance(error, client.AnswerError)
    assert len(error.excerpt) == 200
    assert "tok-123" not in error.excerpt


def test_whole_catalogue_is_decoded() -> None:
    """Every code of the shared catalogue becomes an error of its realm with its code."""
    realms = {"api": client.ApiError, "server": client.ServerError, "user": client.UserError}
    for code, entry in catalogue()["errors"].items():
        error = failure(answer_of_test_failures({"realm": entry["realm"], "code": code}, entry["status"]))
        assert isinstance(error, realms[entry["realm"]])
        assert error.code == code


def test_vendor_spellings_are_those_of_the_catalogue() -> None:
    """The shared catalogue and the client have the same spellings (wire §8); the code has the realm."""
    for vendor, contract in catalogue()["aliases"].items():
        error = failure(answer_of_test_failures({"code": vendor}))
        assert isinstance(error, client.ServiceError)
        assert (error.code, error.realm) == (contract, contract.split(".")[1])


@given(st.integers(300, 599), st.binary(max_size=60))
def test_any_answer_becomes_a_client_error(status: int, body: bytes) -> None:
    """Every answer results in an error to raise."""
    assert isinstance(failure(Response(status, {}, body)), client.ClientError)
