"""Tests of signing in with OAuth 2.0: what is sent, how answers are read, and what no text contains."""

import json
import random
import time
from email.utils import formatdate
from typing import TypeVar
from urllib.parse import parse_qs, urlsplit

import pytest

from cdb_desktop.client import ClientError
from cdb_desktop.client.errors import AnswerError, SignInError
from cdb_desktop.client.generation6 import sign_in
from cdb_desktop.client.generation6.sign_in import Endpoints, OAuthClient, Tokens
from cdb_desktop.client.request import Call, Response
from cdb_desktop.client.transport import Transport
from cdb_desktop.vocabulary.error_messages import error_message
from tests.desktop.client.canned_service import Canned, CannedService

TOKEN = "POST /api/oauth2/token"
DISCOVERY = "GET /.well-known/openid-configuration"
GRANTED = {"access_token": "acc-1", "refresh_token": "ref-1", "token_type": "Bearer", "expires_in": 3600}
PUBLIC, PRIVATE = OAuthClient(), OAuthClient("museum", "s&cret", "offline")
Result = TypeVar("Result")
HERE = "http://127.0.0.1:8400/back"


async def _perform(service: CannedService, call: Call[Result]) -> Result:
    transport = Transport(service.url, timeout=5.0)
    try:
        result = call.decode(await transport.send(call.request, "acc-0"))
    finally:
        await transport.close()
    return result  # type: ignore[return-value]  # none of these calls is decoded in parts


async def test_a_password_yields_tokens_which_are_renewed_and_revoked(service: CannedService) -> None:
    """Everything is in the body: addresses are logged."""
    service.prepare(TOKEN, Canned(GRANTED))
    service.prepare("POST /api/oauth2/revoke", Canned())
    endpoints = Endpoints()
    tokens = await _perform(service, sign_in.password_grant(endpoints, PUBLIC, "root", "p&w"))
    assert (tokens.access, tokens.refresh) == ("acc-1", "ref-1")
    assert 3500 < tokens.expires_at - time.monotonic() <= 3600
    await _perform(service, sign_in.refresh_grant(endpoints, PRIVATE, tokens.refresh))
    await _perform(service, sign_in.code_grant(endpoints, PUBLIC, "c0de", HERE, "verifier"))
    await _perform(service, sign_in.revoke(endpoints, PUBLIC, tokens.refresh))
    assert [parse_qs(one.body.decode()) for one in service.requests] == [
        {
            "grant_type": ["password"],
            "username": ["root"],
            "password": ["p&w"],
            "scope": ["offline"],
            "client_id": ["web-client"],
        },
        {
            "grant_type": ["refresh_token"],
            "refresh_token": ["ref-1"],
            "client_id": ["museum"],
            "client_secret": ["s&cret"],
        },
        {
            "grant_type": ["authorization_code"],
            "code": ["c0de"],
            "redirect_uri": [HERE],
            "code_verifier": ["verifier"],
            "client_id": ["web-client"],
        },
        {"token": ["ref-1"], "client_id": ["web-client"]},
    ]
    assert all(one.parameters == {} for one in service.requests)


async def test_discovery_leads_nowhere_else(service: CannedService) -> None:
    """Endpoints of the same origin are used; others would get the password, or lead the browser away."""
    found = {
        "issuer": service.url,
        "authorization_endpoint": "https://evil.example/auth",
        "token_endpoint": f"{service.url}/oauth/token",
        "revocation_endpoint": f"{service.url}/../etc/?a=b",
    }
    service.prepare(DISCOVERY, Canned(found))
    endpoints = await _perform(service, sign_in.discover(service.url))
    own = f"{service.url}/api/oauth2/auth"
    assert endpoints == Endpoints(own, "oauth/token", "api/oauth2/revoke", service.url)
    service.prepare(DISCOVERY, Canned(b"<html>", 404, "text/html"))
    assert await _perform(service, sign_in.discover(service.url)) == Endpoints(own)
    url = urlsplit(sign_in.authorization_url(endpoints, PUBLIC, HERE, "state-1234", "v" * 64))
    query = parse_qs(url.query)
    assert (query["state"], query["redirect_uri"], query["scope"]) == (["state-1234"], [HERE], ["offline"])
    assert (query["code_challenge_method"], len(query["code_challenge"][0])) == (["S256"], 43)


def _error(code: str, description: str = "") -> Canned:
    return Canned({"error": code, "error_description": description}, 400)


@pytest.mark.parametrize(
    ("grant", "answer", "problem"),
    [
        ("password", _error("invalid_grant", "wrong"), "password"),
        ("password", _error("invalid_grant", "Second factor required"), "second_factor"),
        ("password", _error("unsupported_grant_type"), "grant"),
        ("password", _error("invalid_client"), "client"),
        ("password", Canned({**GRANTED, "expires_in": 0}), "expired"),
        ("code", _error("invalid_grant", "code has expired"), "code"),
        ("code", _error("invalid_grant", "redirect_uri does not match"), "redirect"),
        ("code", _error("temporarily_unavailable"), "unavailable"),
        ("refresh", _error("invalid_grant"), "revoked"),
        ("refresh", _error("wonder"), "other"),
    ],
)
async def test_refusals_have_a_reason(
    service: CannedService, grant: str, answer: Canned, problem: str
) -> None:
    """Each has its own next step."""
    service.prepare(TOKEN, answer)
    with pytest.raises(SignInError) as caught:
        await _perform(service, _call(grant))
    assert caught.value.problem == problem


def test_a_wrong_clock_is_named() -> None:
    """A code that has expired at once, where the clocks differ, has not expired."""
    body = json.dumps({"error": "invalid_grant", "error_description": "expired"}).encode()
    with pytest.raises(SignInError) as caught:
        _call("code").decode(Response(400, {"date": formatdate(time.time() - 7200, usegmt=True)}, body))
    assert (caught.value.problem, caught.value.parameters["value"]) == ("clock", "120")


SECRETS = (
    "issued-access-1",
    "issued-refresh-2",
    "the-password-3",
    "the-code-4",
    "the-verifier-5",
    "the-old-6",
)


@pytest.mark.parametrize("answers", [400, pytest.param(2000, marks=pytest.mark.long)])
def test_no_answer_breaks_the_sign_in_or_gets_a_token_into_a_text(answers: int) -> None:
    """Whatever damaged answers contain, the result is tokens or an error without any of them."""
    rng = random.Random(33)
    outcomes = [_outcome(rng) for _ in range(answers)]
    assert {"tokens", "SignInError", "AnswerError"} <= set(outcomes)


def _outcome(rng: random.Random) -> str:
    call = _call(rng.choice(["password", "code", "refresh"]))
    headers = {
        "content-type": rng.choice(["application/json", "text/html", ""]),
        "date": rng.choice(["", "x"]),
    }
    status = rng.choice([200, 200, 200, 201, 302, 400, 400, 401, 403, 404, 429, 500, 502, 503])
    try:
        found = call.decode(
            Response(status, headers, _damaged(rng, call.request.secrets), call.request.secrets)
        )
    except ClientError as error:
        shown = f"{error!r} {error.args} {vars(error)} {error.__context__!r} {error_message(error)}"
        assert not any(secret in shown for secret in SECRETS), shown
        return "AnswerError" if isinstance(error, AnswerError) else type(error).__name__
    assert isinstance(found, Tokens)
    assert found.access.isascii()
    assert found.access.isprintable()
    assert not any(secret in repr(found) for secret in SECRETS)
    return "tokens"


def _damaged(rng: random.Random, sent: tuple[str, ...]) -> bytes:
    values = [
        *sent,
        "",
        None,
        0,
        -5,
        10**400,
        1e308,
        True,
        [],
        {},
        [SECRETS[0]],
        {"x": SECRETS[1]},
        "a\r\nb: c",
        "é",
    ]
    answer: dict[str, object] = {
        "access_token": SECRETS[0],
        "refresh_token": SECRETS[1],
        "token_type": rng.choice(["bearer", "Bearer", "mac"]),
        "expires_in": rng.choice([60, "60", "1e999", -1, None, 1e400]),
    }
    if rng.random() < 0.5:
        answer |= {
            "error": rng.choice(["invalid_grant", "invalid_client", "x y", 5]),
            "error_description": f"because {rng.choice(sent)} {{value}} is wrong",
        }
    for name in rng.sample(sorted(answer), rng.randrange(3)):
        answer[name] = rng.choice(values)
    if rng.random() < 0.1:
        answer["code"] = rng.choice(["ReadOnlyMode", 7])
    body = json.dumps(answer).encode()
    match rng.randrange(6):
        case 0:
            return body[: rng.randrange(len(body))]
        case 1:
            at = rng.randrange(len(body))
            return body[:at] + rng.randbytes(rng.randrange(1, 9)) + body[at:]
        case 2:
            return b"[" * rng.choice([1, 5000]) + body
    return body


def _call(grant: str) -> Call[Tokens]:
    endpoints, client = Endpoints(), PUBLIC
    if grant == "password":
        return sign_in.password_grant(endpoints, client, "root", SECRETS[2])
    if grant == "code":
        return sign_in.code_grant(endpoints, client, SECRETS[3], HERE, SECRETS[4])
    return sign_in.refresh_grant(endpoints, client, SECRETS[5])
