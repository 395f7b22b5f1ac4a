"""Signing in with OAuth 2.0: codes of the browser, refresh tokens, revocation, and what is refused."""

import hashlib
from base64 import urlsafe_b64encode
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from sqlalchemy import select

from server_stub.database.tables import metadata
from server_stub.http.services import Services
from tests.contract.caller import Caller, Clock
from tests.contract.generation6.conftest import NewCaller, assert_refused

VERIFIER = "v" * 43
CHALLENGE = urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
HOME = "http://127.0.0.1:5555/callback?from=here"
REQUEST = {
    "client_id": "web-client",
    "response_type": "code",
    "redirect_uri": HOME,
    "scope": "offline",
    "state": "12345678",
    "code_challenge": CHALLENGE,
    "code_challenge_method": "S256",
}


def _log_in(new: NewCaller, **other: str) -> httpx.Response:
    form = REQUEST | {"login": "support", "password": "support"} | other
    return new.client.post("/api/oauth2/auth", data=form)


def _sent_back(answer: httpx.Response) -> dict[str, str]:
    """What the browser brings to the program."""
    assert answer.status_code == 302
    target = answer.headers["location"]
    assert target.startswith(HOME)
    return {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}


def _exchange(new: NewCaller, code: str, **other: str) -> httpx.Response:
    form = {"code": code, "redirect_uri": HOME, "code_verifier": VERIFIER} | other
    return new.tokens("authorization_code", **form)


def _may(new: NewCaller, tokens: Any) -> bool:
    answer = NewCaller(new.client, tokens["access_token"])("GET", "user/session")
    # It has the token, which is kept nowhere.
    assert answer.status_code != 200 or answer.headers["cache-control"] == "no-store"
    return answer.status_code == 200


def test_a_code_is_good_for_one_sign_in(new: NewCaller) -> None:
    """The page asks again after a wrong password; a code used twice ends what came from it."""
    page = new.client.get("/api/oauth2/auth", params=REQUEST)
    assert (page.status_code, "<script" in page.text) == (200, False)
    assert "form-action 'self' http://127.0.0.1:5555;" in page.headers["content-security-policy"]
    assert "wrong" in _log_in(new, password="something else").text
    back = _sent_back(_log_in(new))
    assert (back["state"], back["from"]) == ("12345678", "here")
    first = _exchange(new, back["code"])
    assert (first.status_code, first.headers["cache-control"]) == (200, "no-store")
    assert _may(new, first.json())
    assert _exchange(new, back["code"]).json()["error"] == "invalid_grant"
    assert not _may(new, first.json())
    refreshed = new.tokens("refresh_token", refresh_token=first.json()["refresh_token"])
    assert refreshed.json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    "other", [{"code_verifier": "w" * 43}, {"redirect_uri": "http://127.0.0.1:5556/"}, {"client_id": "x"}]
)
def test_a_stolen_code_is_worth_nothing(new: NewCaller, other: dict[str, str]) -> None:
    """Without the verifier, at another address or for another client no tokens are given."""
    code = _sent_back(_log_in(new))["code"]
    assert _exchange(new, code, **other).status_code == 400


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/callback",
        "http://127.0.0.1.evil.example/",
        "http://127.0.0.1:80@evil.example/",
        "http://127.0.0.1:5555/\r\nset-cookie: a=b",
        "//evil.example",
        "javascript:alert(1)",
        "",
    ],
)
def test_nothing_is_sent_to_another_machine(new: NewCaller, address: str) -> None:
    """An address that is not on this machine gets neither a code nor an error; a page says so."""
    for answer in (
        _log_in(new, redirect_uri=address),
        new.client.get("/api/oauth2/auth", params=REQUEST | {"redirect_uri": address}),
    ):
        assert (answer.status_code, "location" in answer.headers) == (200, False)
        assert "cannot go on" in answer.text


@pytest.mark.parametrize(
    ("other", "error"),
    [
        ({"state": "short"}, "invalid_state"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"scope": "everything"}, "invalid_scope"),
    ],
)
def test_wrong_requests_are_sent_back(new: NewCaller, other: dict[str, str], error: str) -> None:
    """The program learns what was wrong with its request, before anybody types a password."""
    assert _sent_back(new.client.get("/api/oauth2/auth", params=REQUEST | other))["error"] == error


def test_refresh_tokens_rotate(new: NewCaller) -> None:
    """A refresh token is good once; a second use, by whomever, ends all tokens of the log-in."""
    first = new.tokens("password", username="root", password="root", scope="offline").json()
    second = new.tokens("refresh_token", refresh_token=first["refresh_token"]).json()
    assert second["refresh_token"] != first["refresh_token"]
    assert _may(new, second)
    again = new.tokens("refresh_token", refresh_token=first["refresh_token"])
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert not _may(new, second)
    assert new.tokens("refresh_token", refresh_token=second["refresh_token"]).status_code == 400


@pytest.mark.parametrize("which", ["access_token", "refresh_token"])
def test_revoking_signs_out(new: NewCaller, which: str) -> None:
    """Either token ends the log-in, which is logged once; an unknown or unreadable token is no error."""
    first = new.tokens("password", username="root", password="root", scope="offline").json()
    tokens = new.tokens("refresh_token", refresh_token=first["refresh_token"]).json()
    for given in (tokens[which], "unknown", "\0"):
        assert new.client.post("/api/oauth2/revoke", data={"token": given}).status_code == 200
    assert not any(_may(new, each) for each in (tokens, first))
    assert new.tokens("refresh_token", refresh_token=tokens["refresh_token"]).status_code == 400
    found = new.signed_in("root").get("event/list")["objects"]
    assert [record["event"]["type"] for record in found] == ["USER_LOGIN", "USER_LOGOUT", "USER_LOGIN"]


def test_access_tokens_expire(new: NewCaller, clock: Clock) -> None:
    """An access token ends a day after the sign-in, however much it is used; the refresh token goes on."""
    tokens = new.tokens("password", username="root", password="root", scope="offline").json()
    clock.second += tokens["expires_in"] - 60
    assert _may(new, tokens)
    clock.second += 61
    signed_in = NewCaller(new.client, tokens["access_token"])
    assert_refused(signed_in("GET", "event/list"), "UserRequired", 401)
    assert_refused(signed_in("GET", "user/session"), "InvalidToken", 400)
    renewed = new.tokens("refresh_token", refresh_token=tokens["refresh_token"])
    assert _may(new, renewed.json())


def test_wrong_passwords_block_the_next_ones(new: NewCaller) -> None:
    """Guessing is delayed here as in the other generation, and logged."""
    for _ in range(6):
        refused = new.tokens("password", username="viewer", password="wrong")
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_grant")
    assert "Too many" in new.tokens("password", username="viewer", password="viewer").text
    found = new.signed_in("root").get("event/list", type="USER_LOGIN_FAILED")
    assert found["count"] == 7


def test_only_hashes_are_stored(new: NewCaller, services: Services) -> None:
    """Neither codes nor tokens are in the database."""
    code = _sent_back(_log_in(new))["code"]
    tokens = _exchange(new, code).json()
    with services.database.read() as connection:
        stored = repr([connection.execute(select(each)).all() for each in metadata.sorted_tables])
    assert "support" in stored
    assert not any(secret in stored for secret in (code, tokens["access_token"], tokens["refresh_token"]))


def test_both_generations_share_a_session(new: NewCaller, caller: Caller) -> None:
    """What one server has signed in, the other knows: rights, and that it is signed out."""
    tokens = new.tokens("password", username="support", password="support").json()
    same = Caller(caller.client, tokens["access_token"])
    assert same.get("session").json()["user"]["user"]["login"] == "support"
    assert same.post("session/deauthenticate").status_code == 200
    assert not _may(new, tokens)
