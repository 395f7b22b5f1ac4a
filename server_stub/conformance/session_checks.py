"""Sessions, signing in and out, rights (§5, wire §2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

from server_stub.conformance.check import Basis, Group, ServiceCheck, refused
from server_stub.conformance.client import Request, get, post
from server_stub.conformance.context import FORM, Context, Json, parse_time
from server_stub.conformance.expectations import (
    EVENT_GET,
    NOT_AUTHENTICATED,
    SESSION_NOT_FOUND,
    CallerSession,
    NotTriedError,
    expect,
    member,
    refuse,
    shown,
    succeed,
)

_OBSERVED = Basis.OBSERVED
_DECISION = Basis.DECISION
_NOT_PRETTY = get("session", pretty="0")


def _anonymous(context: Context) -> Json:
    """The object of a session that is not signed in."""
    return succeed(context.client.call(_NOT_PRETTY, context.unauthenticated)).object()


def _starts(context: Context) -> None:
    token = context.start_session()
    expect(token != context.start_session(), "GET session: two new sessions have the same token.")


def _is_read_by_its_token(context: Context) -> None:
    found = member(_anonymous(context), "token", str, "GET session with a token")
    expect(found == context.unauthenticated, "GET session with a token answers another token.")


def _has_no_user(context: Context) -> None:
    found = {"authenticated", "user", "system_rights"} & _anonymous(context).keys()
    expect(not found, f"A session that is not signed in has {sorted(found)}.")


# wire §2: members of every session.
_ALWAYS: dict[str, type] = {
    "token": str,
    "instance": dict,
    "frontend_language": str,
    "frontend_locale": str,
    "authentication_methods": list,
    "config": dict,
}
_INSTANCE = ("api", "server_version", "solution", "user-schema", "name", "db-name")
_CONFIG = ("base", "defaults", "extensions")
# … and those of a session that is signed in.
_SIGNED_IN: dict[str, type] = {
    "authenticated": dict,
    "pending_tasks": list,
    "current_max_event_id": int,
    "system_rights": dict,
    "user": dict,
    "groups": list,
}
_USER: dict[str, type] = {"_id": int, "login": str, "type": str, "_generated_displayname": str}


_Source = Callable[[Context], Json]


def _members() -> Iterator[ServiceCheck]:
    for name, kind in _ALWAYS.items():
        yield _has("a new session", _anonymous, name, kind)
    for inner in _INSTANCE:
        yield _part("instance", inner)
    for inner in _CONFIG:
        yield _part("config", inner)
    for name, kind in _SIGNED_IN.items():
        yield _has("a session that is signed in", lambda context: context.session, name, kind)
    for name, kind in _USER.items():
        yield _has("the user of the session", _user, name, kind)


def _has(what: str, source: _Source, name: str, kind: type) -> ServiceCheck:
    is_documented = name == "current_max_event_id"
    return ServiceCheck(
        "§2.2" if is_documented else "§5",
        f"{what} has {name}",
        lambda context: member(source(context), name, kind, what),
        basis=Basis.INTERFACE if is_documented else _OBSERVED,
    )


def _part(outer: str, inner: str) -> ServiceCheck:
    def run(context: Context) -> None:
        expect(
            inner in member(_anonymous(context), outer, dict, "GET session"),
            f"{outer} of the session lacks {inner}.",
        )

    return ServiceCheck("§5", f"{outer} of a session has {inner}", run, basis=_OBSERVED)


def _user(context: Context) -> Json:
    outer = member(context.session, "user", dict, "authenticate")
    found: Json = member(outer, "user", dict, "user")
    return found


def _native_method_is_offered(context: Context) -> None:
    found = member(_anonymous(context), "authentication_methods", list, "GET session")
    expect({"method": "easydb"} in found, f"authentication_methods lacks easydb: {shown(found)}.")


def _authenticated_by_native_method(context: Context) -> None:
    found = member(context.session, "authenticated", dict, "authenticate")
    expect(found.get("method") == "easydb", f"authenticated.method is {shown(found.get('method'))}.")


def _authenticated_at(context: Context) -> None:
    found = member(context.session, "authenticated", dict, "authenticate")
    parse_time(member(found, "timestamp", str, "authenticated"), "authenticated.timestamp")


def _login_is_the_given_one(context: Context) -> None:
    found = _user(context).get("login")
    expect(found == context.login, f"The login of the user is {shown(found)}.")


def _later_read_is_equal(context: Context) -> None:
    found = succeed(context.call(get("session"))).object()
    for name in _SIGNED_IN:
        expect(
            found.get(name) == context.session.get(name),
            f"{name} differs between authenticate and a later GET session.",
        )


def _token_is_kept(context: Context) -> None:
    found = succeed(context.call(get("session"))).object().get("token")
    expect(found == context.token, "GET session answers another token than it was given.")


def _rights_are_maps(context: Context) -> None:
    for name, value in member(context.session, "system_rights", dict, "authenticate").items():
        expect(isinstance(value, dict), f"system_rights.{name} is {shown(value)}, expected an object.")


def _dotted_names(context: Context) -> None:
    level = context.rights.get("system.datamodel")
    given = level.get("level") if isinstance(level, dict) else None
    if given is None:
        raise NotTriedError("The log-in has no right on the data model.")
    dotted = f"system.datamodel.{given}"
    expect(dotted in context.rights, f"system_rights has system.datamodel {shown(level)}, but not {dotted}.")


def _levels_are_ordered(context: Context) -> None:
    levels = ["current", "development", "commit"]
    held = [f"system.datamodel.{level}" in context.rights for level in levels]
    if not any(held):
        raise NotTriedError("The log-in has no right on the data model.")
    expect(held == sorted(held, reverse=True), "A level of system.datamodel lacks those that it includes.")


def _groups_have_ids(context: Context) -> None:
    for each in member(context.session, "groups", list, "authenticate"):
        group = each.get("group") if isinstance(each, dict) else None
        expect(isinstance(group, dict), f"A group is {shown(each)}.")
        member(group, "_id", int, "a group")  # type: ignore[arg-type]


def _version(context: Context) -> None:
    instance = member(context.session, "instance", dict, "session")
    text = member(instance, "server_version", str, "instance")
    parts = text.split(".")
    expect(len(parts) >= 2 and all(part.isdigit() for part in parts[:2]), f"server_version is {shown(text)}.")
    expect(
        [int(part) for part in parts[:2]] >= [5, 140],
        f"server_version is {shown(text)}; json_full needs 5.140.",
    )


def _own_login_is_not_above_the_bound(context: Context) -> None:
    found = context.list_events(type="USER_LOGIN", user_id=str(context.user_id), limit="50")
    expect(found.ids, "The log has no USER_LOGIN of this user.")
    own = [id_ for id_ in found.ids if id_ <= context.lowest]
    expect(own, f"The bound {context.lowest} is below every USER_LOGIN of the user: {found.ids[:5]}.")


def _unknown_token_has_an_id(context: Context) -> None:
    error = refuse(context.call(get("session"), CallerSession.STRANGER), SESSION_NOT_FOUND)
    expect(
        isinstance(error.get("parameters"), dict) and "id" in error["parameters"],
        "session_not_found has no parameter id.",
    )


def _carrier_the_header(context: Context) -> None:
    request = Request("GET", "session", headers=(("x-easydb-token", context.token),))
    found = succeed(context.client.call(request)).object()
    expect("authenticated" in found, "The header x-easydb-token was ignored.")


def _query_precedes_header(context: Context) -> None:
    request = Request("GET", "session", headers=(("x-easydb-token", "no-such-token"),))
    succeed(context.call(request))


def _empty_token_is_none(context: Context) -> None:
    found = succeed(context.call_with(get("session"), "")).object()
    expect("authenticated" not in found, "GET session with an empty token is signed in.")
    context.client.hide(member(found, "token", str, "GET session"))


def _alias(context: Context) -> None:
    request = Request("GET", "session", prefix="/api")
    expect("authenticated" in succeed(context.call(request)).object(), "/api/session is another session.")


def _indented_by_default(context: Context) -> None:
    reply = succeed(context.client.call(get("session"), context.token))
    expect(b"\n " in reply.content, "GET session without pretty=0 is not indented.")


def _compact(context: Context) -> None:
    reply = succeed(context.call(get("session")))
    expect(b"\n" not in reply.content.strip(), "GET session with pretty=0 has line breaks.")


# Made-up names: no failure counts against the log-in of this run.
_MADE_UP = "no-such-login-of-a-conformance-check"
_EMPTY = "error.user.username_or_password_empty"
_METHOD = "error.user.authentication_method_not_allowed"
_FAILURES: tuple[tuple[str, str, Basis], ...] = (
    ("login=&password=", _EMPTY, Basis.INTERFACE),
    (f"login={_MADE_UP}&password=", _EMPTY, Basis.INTERFACE),
    ("login=&password=made-up", _EMPTY, Basis.INTERFACE),
    (f"login={_MADE_UP}", _EMPTY, Basis.INTERFACE),
    ("", _EMPTY, _DECISION),
    (f"login={_MADE_UP}&password=&method=no-such-method", _METHOD, Basis.INTERFACE),
    (f"login={_MADE_UP}&password=&method=no-such-method,nor-this", _METHOD, Basis.INTERFACE),
)


def _authenticate(
    form: str, caller: CallerSession = CallerSession.UNAUTHENTICATED, **options: Any
) -> ServiceCheck:
    codes, status = options.pop("codes"), options.pop("status", 400)
    request = Request("POST", "session/authenticate", content=form.encode(), headers=(FORM,))
    return refused("§5", request, *codes, status=status, caller=caller, **options)


def _failure_leaves_signed_out(context: Context) -> None:
    token = context.start_session()
    form = f"login={_MADE_UP}&password=".encode()
    request = Request("POST", "session/authenticate", content=form, headers=(FORM,))
    refuse(context.call_with(request, token), _EMPTY)
    found = succeed(context.call_with(get("session"), token)).object()
    expect("authenticated" not in found, "A session is signed in after a refused log-in.")


def _several_methods(context: Context) -> None:
    token = context.start_session()
    session = context.sign_in(token, method="no-such-method,easydb")
    expect("authenticated" in session, "A log-in with several methods, easydb among them, is not signed in.")
    context.sign_out(token)


def _carrier_the_form(context: Context) -> None:
    token = context.start_session()
    session = context.sign_in(token, carrier="form")
    expect("authenticated" in session, "A log-in with the token in the form is not signed in.")
    context.sign_out(token)


def _alias_and_header(context: Context) -> None:
    token = context.start_session()
    session = context.sign_in(token, carrier="header", prefix="/api")
    expect("authenticated" in session, "A log-in at /api with the token in the header is not signed in.")
    context.sign_out(token)


def _bound_does_not_move(context: Context) -> None:
    found = succeed(context.call(get("session"))).object().get("current_max_event_id")
    expect(found == context.lowest, f"current_max_event_id was {context.lowest} and is now {shown(found)}.")


def _signing_out(context: Context) -> None:
    token = context.start_session()
    context.sign_in(token)
    found = succeed(context.sign_out(token)).object()
    expect("authenticated" not in found, "POST session/deauthenticate answers a signed-in session.")
    later = succeed(context.call_with(get("session"), token)).object()
    expect("authenticated" not in later, "The session is still signed in after deauthenticate.")
    refuse(context.call_with(get("event/list", limit="1"), token), NOT_AUTHENTICATED)
    refuse(context.call_with(get("schema/user/HEAD"), token), NOT_AUTHENTICATED, status=403)


def _sessions_are_apart(context: Context) -> None:
    token = context.start_session()
    context.sign_in(token)
    context.sign_out(token)
    succeed(context.call(get("session")))
    found = succeed(context.call(get("session"))).object()
    expect("authenticated" in found, "Signing out one session has ended another one.")


def _wrong_password(context: Context) -> None:
    login = f"no-such-login-{uuid4().hex[:12]}"
    form = f"login={login}&password=a-wrong-password-{login}".encode()
    request = Request("POST", "session/authenticate", content=form, headers=(FORM,))
    refuse(context.call(request, CallerSession.UNAUTHENTICATED), "error.user.login_failed")
    if context.may(EVENT_GET):
        reply = context.call(get("event/list", type="LOGIN_FAILED", limit="20", format="json_full"))
        text = succeed(reply).text
        expect("a-wrong-password" not in text, "The log contains the password of a failed log-in.")
        expect(login in text, "A failed log-in is not logged as LOGIN_FAILED.")


SESSIONS = Group(
    "Sessions",
    (
        ServiceCheck(
            "§5 point 6", "GET session without a token starts a session of its own", _starts, basis=_OBSERVED
        ),
        ServiceCheck(
            "§5 point 6",
            "GET session with a token reads that session",
            _is_read_by_its_token,
            basis=_OBSERVED,
        ),
        ServiceCheck("§5 point 6", "a new session has no user and no rights", _has_no_user, basis=_OBSERVED),
        *_members(),
        ServiceCheck("§5", "authentication_methods has easydb", _native_method_is_offered, basis=_OBSERVED),
        ServiceCheck(
            "§5", "authenticated.method is easydb", _authenticated_by_native_method, basis=_OBSERVED
        ),
        ServiceCheck(
            "§5", "authenticated.timestamp is a time with offset", _authenticated_at, basis=_OBSERVED
        ),
        ServiceCheck(
            "§5", "the user of the session has the given login", _login_is_the_given_one, basis=_OBSERVED
        ),
        ServiceCheck("§5", "a later GET session answers the same", _later_read_is_equal, basis=_OBSERVED),
        ServiceCheck("§5 point 1", "the token stays the same", _token_is_kept),
        ServiceCheck("§5.2", "system_rights map names to objects", _rights_are_maps, basis=_OBSERVED),
        ServiceCheck("§5.2", "rights on the data model have the names of the interface", _dotted_names),
        ServiceCheck(
            "§5.2", "a level of the data model includes those before", _levels_are_ordered, basis=_OBSERVED
        ),
        ServiceCheck("§5", "groups have ids", _groups_have_ids, basis=_OBSERVED),
        ServiceCheck("§9 point 2", "server_version is 5.140 or later", _version),
        ServiceCheck(
            "§2.2",
            "the session's own USER_LOGIN is not above current_max_event_id",
            _own_login_is_not_above_the_bound,
            right=EVENT_GET,
            basis=_OBSERVED,
        ),
        ServiceCheck("§5", "an unknown token is session_not_found {id}", _unknown_token_has_an_id),
        ServiceCheck(
            "§5", "the header x-easydb-token replaces the parameter", _carrier_the_header, basis=_OBSERVED
        ),
        ServiceCheck(
            "§5", "a token in the query precedes the header", _query_precedes_header, basis=_DECISION
        ),
        ServiceCheck("§5", "an empty token is no token", _empty_token_is_none, basis=_DECISION),
        ServiceCheck("§9 point 1", "/api is an alias of /api/v1", _alias, basis=_OBSERVED),
        ServiceCheck("§1", "JSON is indented by default", _indented_by_default, basis=_OBSERVED),
        ServiceCheck("§1", "JSON is compact with pretty=0", _compact, basis=_OBSERVED),
    ),
)

AUTHENTICATION = Group(
    "Signing in and out",
    (
        *(_authenticate(form, codes=(code,), basis=basis) for form, code, basis in _FAILURES),
        _authenticate("login=&password=", CallerSession.ANONYMOUS, codes=(NOT_AUTHENTICATED,)),
        _authenticate("login=&password=", CallerSession.STRANGER, codes=(SESSION_NOT_FOUND,)),
        ServiceCheck("§5", "a refused log-in leaves the session as it is", _failure_leaves_signed_out),
        ServiceCheck("§5", "several methods may be given", _several_methods, basis=_OBSERVED),
        ServiceCheck("§5", "the token may be in the form", _carrier_the_form, basis=_OBSERVED),
        ServiceCheck(
            "§5", "signing in at /api with the token in the header", _alias_and_header, basis=_OBSERVED
        ),
        refused("§5", post("session/deauthenticate"), NOT_AUTHENTICATED, caller=CallerSession.ANONYMOUS),
        refused("§5", post("session/deauthenticate"), SESSION_NOT_FOUND, caller=CallerSession.STRANGER),
        ServiceCheck("§5", "signing out ends the log-in, and the token signs nobody in", _signing_out),
        ServiceCheck("§5", "signing out ends no other session", _sessions_are_apart),
        ServiceCheck(
            "§2.2", "later log-ins do not move current_max_event_id", _bound_does_not_move, basis=_OBSERVED
        ),
        ServiceCheck(
            "§5",
            "a wrong log-in is login_failed and logged without its password",
            _wrong_password,
            writes=True,
        ),
    ),
)
