"""The calls on the session (wire §2) as values: what to send and how to read the answer."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlencode

from cdb_desktop.client import session_decoding
from cdb_desktop.client.records import Session
from cdb_desktop.client.wire import API, Call, Request

_SESSION = f"{API}session"


def start() -> Call[Session]:
    """A new session that is not signed in."""
    return Call(Request("GET", _SESSION, signed=False), session_decoding.session)


def read(token: str) -> Call[Session]:
    """The session of ``token``."""
    return Call(Request("GET", _SESSION), partial(session_decoding.session, token=token))


def authenticate(token: str, login: str, password: str, method: str) -> Call[Session]:
    """Signs the session in; the password travels in the body, for addresses end up in logs."""
    form = urlencode({"method": method, "login": login, "password": password}).encode()
    request = Request(
        "POST",
        f"{_SESSION}/authenticate",
        body=form,
        content_type="application/x-www-form-urlencoded",
        secrets=(password,),
    )
    return Call(request, partial(session_decoding.session, token=token))


def deauthenticate(token: str) -> Call[Session]:
    """Signs the session out."""
    request = Request("POST", f"{_SESSION}/deauthenticate")
    return Call(request, partial(session_decoding.session, token=token))
