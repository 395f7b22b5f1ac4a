"""Signing in with OAuth 2.0: discovery, tokens for a password or for a code of the browser, and revocation.

authlib builds what is sent; it is sent with the options for proxy and certificates of all other calls.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeGuard
from urllib.parse import urlsplit

from cdb_desktop.client import lenient_json, responses
from cdb_desktop.client.errors import AnswerError, ClientError, ServiceError, SignInError, SignInProblem
from cdb_desktop.client.redaction import redact
from cdb_desktop.client.request import Call, Request, Response
from cdb_desktop.foundation.lazy import lazy

if TYPE_CHECKING:
    from authlib import oauth2
else:
    # Services of generation 5 do not need it.
    oauth2 = lazy("authlib.oauth2")

PUBLIC_CLIENT = "web-client"
OFFLINE = "offline"  # the scope for a refresh token

_FORM = "application/x-www-form-urlencoded"
_LARGEST = 2**20
_LONGEST = 300  # characters of a description
_SKEW = 300.0  # seconds between two clocks
_YEAR = 366 * 86400.0
_SECOND_FACTOR = re.compile(r"(?i)second.?factor|two.?factor|2.?fa\b|\btotp\b|\botp\b|one.?time|mfa")

Grant = Literal["password", "authorization_code", "refresh_token"]


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """How the program presents itself; a public client has no ``secret``.

    ``redirect`` is the loopback address to which the browser returns, with port 0 or none for a free port.
    """

    name: str = PUBLIC_CLIENT
    secret: str = field(default="", repr=False)
    scope: str = OFFLINE
    redirect: str = "http://127.0.0.1/"


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The addresses of discovery: ``authorization`` is for the browser, the others are paths of calls."""

    authorization: str = "api/oauth2/auth"
    token: str = "api/oauth2/token"  # noqa: S105  # a path
    revocation: str = "api/oauth2/revoke"
    issuer: str = ""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a sign-in yields; ``refresh`` is empty if the service has issued none.

    ``expires_at`` is a time of ``time.monotonic()``, since the clock of the computer may be wrong; it is
    infinite if unknown.
    """

    access: str = field(repr=False)
    refresh: str = field(default="", repr=False)
    expires_at: float = float("inf")

    @property
    def secrets(self) -> tuple[str, ...]:
        """All tokens, to be masked in texts."""
        return tuple(one for one in (self.access, self.refresh) if one)


def discover(address: str) -> Call[Endpoints]:
    """The endpoints of the service at ``address``; those of another origin are not used."""
    request = Request("GET", ".well-known/openid-configuration", signed=False, largest=_LARGEST)
    return Call(request, partial(_endpoints, address=address.rstrip("/")))


def password_grant(endpoints: Endpoints, client: OAuthClient, login: str, password: str) -> Call[Tokens]:
    """Tokens for log-in and password. Raises SignInError."""
    return _token_call(endpoints, client, "password", username=login, password=password, scope=client.scope)


def code_grant(
    endpoints: Endpoints, client: OAuthClient, code: str, redirect: str, verifier: str
) -> Call[Tokens]:
    """Tokens for the ``code`` that the browser has brought to ``redirect``. Raises SignInError."""
    return _token_call(
        endpoints, client, "authorization_code", code=code, redirect_uri=redirect, code_verifier=verifier
    )


def refresh_grant(endpoints: Endpoints, client: OAuthClient, refresh: str) -> Call[Tokens]:
    """New tokens for a refresh token, which is invalid afterwards. Raises SignInError (``revoked``)."""
    return _token_call(endpoints, client, "refresh_token", refresh_token=refresh)


def revoke(endpoints: Endpoints, client: OAuthClient, token: str) -> Call[None]:
    """Ends a token, which is signing out; succeeds for unknown tokens, too."""
    body, _headers = oauth2.rfc7009.prepare_revoke_token_request(token)
    return Call(_post(endpoints.revocation, client, body, (token,)), responses.nothing)


def authorization_url(
    endpoints: Endpoints, client: OAuthClient, redirect: str, state: str, verifier: str
) -> str:
    """The address for the browser, with PKCE."""
    url: str = oauth2.rfc6749.parameters.prepare_grant_uri(
        endpoints.authorization,
        client.name,
        "code",
        redirect_uri=redirect,
        scope=client.scope,
        state=state,
        code_challenge=oauth2.rfc7636.create_s256_code_challenge(verifier),
        code_challenge_method="S256",
    )
    return url


def refused(
    grant: Grant, code: str, description: str = "", *, status: int = 0, value: str = ""
) -> SignInError:
    """The exception for an error of RFC 6749, of the browser or of a token call."""
    return SignInError(_problem(grant, code, description), code, description, status=status, value=value)


def _problem(grant: Grant, code: str, description: str) -> SignInProblem:
    if code != "access_denied" and "redirect" in description.casefold():
        return "redirect"
    if code == "invalid_grant" and grant == "password":
        return "second_factor" if _SECOND_FACTOR.search(description) else "password"
    problems: dict[str, SignInProblem] = {
        "invalid_grant": "revoked" if grant == "refresh_token" else "code",
        "invalid_client": "client",
        "invalid_request": "request",
        "unauthorized_client": "grant" if grant == "password" else "flow",
        "unsupported_response_type": "response_type",
        "unsupported_grant_type": "grant",
        "invalid_scope": "scope",
        "access_denied": "denied",
        "temporarily_unavailable": "unavailable",
        "server_error": "unavailable",
    }
    return problems.get(code, "other")


def _token_call(endpoints: Endpoints, client: OAuthClient, grant: Grant, **values: str) -> Call[Tokens]:
    body = oauth2.rfc6749.parameters.prepare_token_request(grant, **values)
    secret_names = ("password", "code", "code_verifier", "refresh_token")
    secrets = tuple(values[name] for name in secret_names if values.get(name))
    request = _post(endpoints.token, client, body, secrets)
    return Call(request, partial(_tokens, grant=grant, client=client, value=values.get("redirect_uri", "")))


def _post(path: str, client: OAuthClient, body: str, secrets: tuple[str, ...]) -> Request:
    method = "client_secret_post" if client.secret else "none"
    # The secret is in the body: addresses and headers are logged by others.
    _url, _headers, signed = oauth2.auth.ClientAuth(client.name, client.secret, method).prepare(
        "POST", "", {}, body
    )
    secrets = (*secrets, *([client.secret] if client.secret else ()))
    return Request(
        "POST",
        path,
        body=signed.encode(),
        content_type=_FORM,
        signed=False,
        secrets=secrets,
        largest=_LARGEST,
    )


def _endpoints(answer: Response, address: str) -> Endpoints:
    found = lenient_json.members(answer.body) if 200 <= answer.status < 300 else None
    known = Endpoints()
    named = {
        name: lenient_json.text((found or {}).get(f"{name}_endpoint"))
        for name in ("authorization", "token", "revocation")
    }
    paths = {name: _path(url, address) or getattr(known, name) for name, url in named.items()}
    return Endpoints(
        f"{address}/{paths['authorization']}",
        paths["token"],
        paths["revocation"],
        lenient_json.text((found or {}).get("issuer")),
    )


def _path(url: str, address: str) -> str:
    """The path of ``url`` below ``address``; empty elsewhere, where neither password nor browser must go.

    A service behind a gateway names its public address, which may be another name of the same service.
    """
    try:
        parts, own = urlsplit(url), urlsplit(address)
        is_same = (parts.scheme, parts.hostname, parts.port) == (own.scheme, own.hostname, own.port)
    except ValueError:
        return ""
    prefix = f"{own.path.rstrip('/')}/"
    is_plain = (
        parts.path.startswith(prefix) and re.fullmatch(r"[\w./~-]+", parts.path) and ".." not in parts.path
    )
    return parts.path.removeprefix(prefix) if is_same and is_plain else ""


def _tokens(answer: Response, grant: Grant, client: OAuthClient, value: str) -> Tokens:
    found = lenient_json.members(lenient_json.document(answer.body)) or {}
    if not 200 <= answer.status < 300:
        raise _failure(answer, found, grant, value or client.name)
    access, refresh = (lenient_json.value(found.get(f"{kind}_token")) for kind in ("access", "refresh"))
    kind = lenient_json.text(found.get("token_type")) or "bearer"
    if not _is_token(access) or kind.casefold() != "bearer":
        # Without an excerpt, which might contain a token.
        raise AnswerError("no_token", status=answer.status, content_type=answer.content_type)
    lifetime = _lifetime(found)
    if lifetime <= 0:
        raise _expired(answer) or SignInError("expired", status=answer.status)
    return Tokens(access, refresh if _is_token(refresh) else "", time.monotonic() + lifetime)


def _lifetime(found: lenient_json.Members) -> float:
    try:
        return min(float(lenient_json.text(found.get("expires_in"))), _YEAR)
    except (ValueError, OverflowError):
        return float("inf")


def _is_token(value: object) -> TypeGuard[str]:
    """Whether ``value`` can be sent in a header."""
    return isinstance(value, str) and re.fullmatch(r"[!-~]{1,16384}", value) is not None


def _failure(answer: Response, found: lenient_json.Members, grant: Grant, value: str) -> ClientError:
    code = lenient_json.value(found.get("error"))
    if "code" in found or not isinstance(code, str) or not re.fullmatch(r"[a-z_]{3,40}", answer.clean(code)):
        return _other_failure(answer, found)
    text = answer.clean(lenient_json.text(found.get("error_description")))
    description = redact(text, _issued(found))[:_LONGEST]
    error = refused(grant, code, description, status=answer.status, value=value)
    return (_expired(answer) if error.problem == "code" else None) or error


def _other_failure(answer: Response, found: lenient_json.Members) -> ClientError:
    """An error object, or that of a gateway, whose text is not repeated since it may contain tokens."""
    secrets = (*answer.secrets, *_issued(found))
    error = responses.failure(Response(answer.status, answer.headers, answer.body, secrets))
    if isinstance(error, ServiceError) and error.code and redact(error.code, secrets) == error.code:
        return error
    return responses.failure(Response(answer.status, answer.headers))


def _issued(found: lenient_json.Members) -> tuple[str, ...]:
    values = (lenient_json.value(raw) for name, raw in found.items() if name.endswith("_token"))
    return tuple(one for one in values if isinstance(one, str))


def _expired(answer: Response) -> SignInError | None:
    """The error if the clocks of this computer and of the service differ."""
    try:
        there = parsedate_to_datetime(answer.headers.get("date", ""))
        seconds = abs((there - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None
    if seconds < _SKEW:
        return None
    return SignInError("clock", status=answer.status, value=str(round(seconds / 60)))
