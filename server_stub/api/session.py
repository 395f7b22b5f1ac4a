"""The session calls and the session object (wire §2)."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from sqlalchemy import Connection

from server_stub.accounts import Credentials, Session, User
from server_stub.accounts.rights import rights_object
from server_stub.accounts.sessions import NATIVE_METHOD
from server_stub.api.call import Access, Answer, Call, Route, json_answer
from server_stub.api.instance import instance_object
from server_stub.errors import ApiError, UserError
from server_stub.times import to_wire

_FORM = "application/x-www-form-urlencoded"


def read_or_start(call: Call) -> Answer:
    """GET session: reads the session of the token, starts one where there is no token."""
    if call.incoming.token is not None:
        return _session_answer(call, call.session, call.incoming.token)
    token, started = call.rooms.sessions.start()
    return _session_answer(call, started, token)


def authenticate(call: Call) -> Answer:
    """POST session/authenticate: signs the session in; parameters may come in a form body (wire §1)."""
    given = call.incoming.query + _form(call)
    named: dict[str, str] = {}
    methods: list[str] = []
    for name, value in given:
        if name == "method":
            methods += [part for part in value.split(",") if part]
        elif name in {"login", "password"}:
            named[name] = value
    signed_in = call.rooms.sessions.authenticate(
        call.session,
        Credentials(
            named.get("login", ""),
            named.get("password", ""),
            tuple(methods) or (NATIVE_METHOD,),
            call.incoming.ipv4_address,
        ),
    )
    return _session_answer(call, signed_in, _token(call))


def deauthenticate(call: Call) -> Answer:
    """POST session/deauthenticate: signs the session out; it can be signed in again."""
    left = call.rooms.sessions.deauthenticate(call.session, call.incoming.ipv4_address)
    return _session_answer(call, left, _token(call))


def _token(call: Call) -> str:
    if call.incoming.token is None:
        raise UserError("not_authenticated")
    return call.incoming.token


def _form(call: Call) -> tuple[tuple[str, str], ...]:
    if not call.incoming.content_type.startswith(_FORM):
        return ()
    try:
        return tuple(parse_qsl(call.incoming.body.decode(), keep_blank_values=True))
    except (UnicodeDecodeError, ValueError) as error:
        raise ApiError("invalid_content", "The form in the body cannot be read.") from error


def _session_answer(call: Call, session: Session, token: str) -> Answer:
    with call.rooms.database.read() as connection:
        answer = _unauthenticated(call, connection, token)
        if session.user is not None:
            answer |= _authenticated(call, connection, session, session.user)
    return json_answer(answer)


def _unauthenticated(call: Call, connection: Connection, token: str) -> dict[str, Any]:
    return {
        "token": token,
        "instance": instance_object(call.rooms, connection),
        "frontend_language": "en-US",
        "frontend_locale": "en-US",
        "authentication_methods": [{"method": NATIVE_METHOD}],
        "config": {"base": {}, "defaults": {}, "extensions": {}},
    }


def _authenticated(call: Call, connection: Connection, session: Session, user: User) -> dict[str, Any]:
    groups = call.rooms.users.groups_of(connection, user.id)
    return {
        "authenticated": {"method": session.method, "timestamp": to_wire(session.authenticated or 0)},
        "pending_tasks": [],
        "current_max_event_id": session.current_max_event_id,
        "system_rights": rights_object(user.rights),
        "user": {
            "_basetype": "user",
            "user": {
                "_id": user.id,
                "login": user.login,
                "type": user.type,
                "displayname": user.displayname,
                "_generated_displayname": user.displayname,
            },
        },
        "groups": [
            {"_basetype": "group", "group": {"_id": id_, "name": name, "displayname": shown}}
            for id_, name, shown in groups
        ],
    }


ROUTES = (
    Route("GET", "/session", read_or_start, "5", Access.ANYBODY, ignores_unknown=True),
    Route("POST", "/session/authenticate", authenticate, "5", Access.SESSION, ignores_unknown=True),
    Route("POST", "/session/deauthenticate", deauthenticate, "5", Access.SESSION, ignores_unknown=True),
)
