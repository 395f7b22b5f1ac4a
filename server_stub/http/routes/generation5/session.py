"""The session calls and the session object (wire §2)."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy import Connection

from server_stub.accounts import Credentials, Session, User
from server_stub.accounts.sessions import NATIVE_METHOD
from server_stub.accounts.users import MAX_LOGIN_CHARACTERS, rights_object
from server_stub.foundation.errors import UserError
from server_stub.foundation.times import to_wire
from server_stub.http.endpoint import Access, Body, Call, Endpoint, Workload, json_of
from server_stub.http.parameters import TEXT, Parameter, ParameterType, as_object, read_query, ref
from server_stub.http.requests import FORM
from server_stub.http.responses import Answer, json_answer
from server_stub.http.routes.shared import OF_ANY_SESSION, group_objects, user_object


def _methods(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part)


_METHODS = ParameterType(
    _methods, {"type": "array", "items": {"type": "string", "pattern": r"^[^,\u0000]+$"}}
)


def _login(text: str) -> str:
    if len(text) > MAX_LOGIN_CHARACTERS:
        raise ValueError(f"it is longer than {MAX_LOGIN_CHARACTERS} characters")
    return text


_LOGIN = ParameterType(_login, {**TEXT.schema, "maxLength": MAX_LOGIN_CHARACTERS})
# In the query or in a form body (wire §1).
_CREDENTIALS = (
    Parameter("login", _LOGIN, "", "Who signs in."),
    Parameter("password", TEXT, "", "Better sent in a form body than in the query."),
    Parameter("method", _METHODS, (), "Ways to sign in; the native one by default.", repeats=True),
)

_TOKEN = Parameter("token", TEXT, meaning="The session token, where neither query nor header has it.")


def read_or_start(call: Call) -> Answer:
    """GET session: reads the session of the token, starts one where there is no token."""
    if call.request.token is not None:
        return _session_answer(call, call.session, call.request.token)
    # HEAD must not change anything, so no session is stored.
    token, started = call.services.sessions.start(keep=call.request.method != "HEAD")
    return _session_answer(call, started, token)


def authenticate(call: Call) -> Answer:
    """POST session/authenticate: signs the session in; parameters may come in a form body (wire §1)."""
    query = call.request.arguments
    # A client may send a parameter in the query and in the form.
    names = {name for name, _ in query}
    form = tuple(pair for pair in call.request.form_fields() if pair[0] not in names)
    given = read_query(_CREDENTIALS, query + form, allows_unknown=True)
    who = Credentials(
        given["login"], given["password"], given["method"] or (NATIVE_METHOD,), call.request.ipv4_address
    )
    signed_in = call.services.sessions.authenticate(call.session, who)
    return _session_answer(call, signed_in, _token(call))


def deauthenticate(call: Call) -> Answer:
    """POST session/deauthenticate: signs the session out; it can be signed in again."""
    left = call.services.sessions.deauthenticate(call.session, call.request.ipv4_address)
    return _session_answer(call, left, _token(call))


def _token(call: Call) -> str:
    if call.request.token is None:
        raise UserError("not_authenticated")
    return call.request.token


def _session_answer(call: Call, session: Session, token: str) -> Answer:
    answer = _unauthenticated(call, token)
    if session.user is not None:
        with call.services.database.read() as connection:
            answer |= _authenticated(call, connection, session, session.user)
    return json_answer(answer)


def _unauthenticated(call: Call, token: str) -> dict[str, Any]:
    return {
        "token": token,
        "instance": call.services.instance.to_object(),
        "frontend_locale": OF_ANY_SESSION["frontend_language"],
        **OF_ANY_SESSION,
    }


def _authenticated(call: Call, connection: Connection, session: Session, user: User) -> dict[str, Any]:
    return {
        "authenticated": {"method": session.method, "timestamp": to_wire(session.authenticated or 0)},
        "pending_tasks": [],
        "current_max_event_id": session.current_max_event_id,
        "system_rights": rights_object(user.rights),
        "user": user_object(user),
        "groups": group_objects(call, connection, user),
    }


_REFUSALS = (
    "authentication_method_not_allowed",
    "username_or_password_empty",
    "login_failed",
    "login_disabled_to",
)

_of_session = partial(
    Endpoint,
    section="5",
    access=Access.SESSION,
    allows_unknown=True,
    answers=json_of(ref("Session")),
    uses_reserve=True,
    workload=Workload.WRITE,
    user_errors=(),
)

ENDPOINTS = (
    _of_session("GET", "/session", read_or_start, access=Access.ANYBODY),
    _of_session(
        "POST",
        "/session/authenticate",
        authenticate,
        parameters=_CREDENTIALS,
        body=Body({FORM: as_object((*_CREDENTIALS, _TOKEN))}, required=False),
        user_errors=_REFUSALS,
    ),
    _of_session("POST", "/session/deauthenticate", deauthenticate),
)
