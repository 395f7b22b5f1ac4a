"""The calls of OAuth 2.0, below `/api/oauth2`, and their discovery document at the root."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from server_stub.accounts import Credentials, OAuthError
from server_stub.accounts.oauth import CLIENT, OFFLINE, AuthorizationRequest, Tokens, blocked_or_wrong
from server_stub.accounts.users import MAX_LOGIN_CHARACTERS
from server_stub.foundation.errors import ApiError, UserError
from server_stub.http.endpoint import Access, Body, Call, Endpoint, Workload, json_of
from server_stub.http.parameters import STRING, TEXT, Parameter, as_object, read_query, record, ref
from server_stub.http.requests import FORM
from server_stub.http.responses import Answer, json_answer
from server_stub.http.routes.generation6.pages import NO_STORE, log_in_page, redirection, refusal_page

_PREFIXES = ("/api",)
_HTML = {"text/html": STRING}


def _texts(*names: str) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, TEXT, "") for name in names)


_REQUEST = _texts(*AuthorizationRequest.__struct_fields__)
_LOG_IN = _texts("login", "password")
_TOKEN = _texts(
    "grant_type",
    "code",
    "redirect_uri",
    "refresh_token",
    "username",
    "password",
    "scope",
    "client_id",
    "client_secret",
    "code_verifier",
)
_OF_TOKEN = _texts("token", "token_type_hint", "client_id")


def _form(call: Call, *declared: Parameter) -> Mapping[str, str]:
    """The declared fields of a form, empty where they are missing. Raises ApiError."""
    return read_query(declared, call.request.form_fields(), allows_unknown=True)


# The log-in in the browser


def show_log_in(call: Call) -> Answer:
    """GET oauth2/auth: the page for login and password, or back to the client with an error."""
    return _authorization(call, call.request.arguments, lambda request: _log_in_page(call, request))


def log_in(call: Call) -> Answer:
    """POST oauth2/auth: checks login and password, and sends the browser back with a code."""

    def respond(request: AuthorizationRequest) -> Answer:
        given = _form(call, *_LOG_IN)
        login = given["login"][:MAX_LOGIN_CHARACTERS]
        who = Credentials(login, given["password"], ipv4_address=call.request.ipv4_address)
        try:
            code = call.services.oauth.authorize(request, who)
        except UserError as error:
            return _log_in_page(call, request, login, blocked_or_wrong(error))
        return redirection(request.redirect_uri, {"code": code, "state": request.state})

    return _authorization(call, None, respond)


def _authorization(
    call: Call,
    given: tuple[tuple[str, str], ...] | None,
    respond: Callable[[AuthorizationRequest], Answer],
) -> Answer:
    """Nothing is sent to an address that is not the client's, not even an error (RFC 6749 §4.1.2.1)."""
    try:
        pairs = call.request.form_fields() if given is None else given
        request = AuthorizationRequest(**read_query(_REQUEST, pairs, allows_unknown=True))
        request.origin  # noqa: B018 - checks it
    except (ApiError, OAuthError) as error:
        return refusal_page(str(error.description))
    try:
        request.check()
        return respond(request)
    except OAuthError as error:
        state = {"state": request.state} if request.state else {}
        return redirection(
            request.redirect_uri,
            {"error": error.name, "error_description": error.description, **state},
        )
    except ApiError as error:
        return refusal_page(str(error.description))


def _log_in_page(call: Call, request: AuthorizationRequest, login: str = "", problem: str = "") -> Answer:
    name = str(call.services.instance.to_object()["name"])
    hidden = {field: getattr(request, field) for field in AuthorizationRequest.__struct_fields__}
    return log_in_page(name, hidden, request.origin, login, problem)


# Tokens


def token(call: Call) -> Answer:
    """POST oauth2/token: tokens for a code, for login and password, or for a refresh token."""
    try:
        tokens = _tokens(call, _form(call, *_TOKEN))
    except OAuthError as error:
        failure = {"error": error.name, "error_description": error.description}
        return json_answer(failure, status=400, headers=NO_STORE)
    return json_answer(tokens, headers=NO_STORE)


def _tokens(call: Call, given: Mapping[str, str]) -> Tokens:
    oauth, client, address = call.services.oauth, given["client_id"], call.request.ipv4_address
    if client != CLIENT or given["client_secret"]:
        raise OAuthError("invalid_client", "The client is unknown, or it has no secret.")
    match given["grant_type"]:
        case "authorization_code":
            return oauth.by_code(
                given["code"], given["code_verifier"], given["redirect_uri"], client, address
            )
        case "refresh_token":
            return oauth.by_refresh(given["refresh_token"], client, address)
        case "password":
            login = given["username"][:MAX_LOGIN_CHARACTERS]
            who = Credentials(login, given["password"], ipv4_address=address)
            try:
                return oauth.by_password(who, client, given["scope"])
            except UserError as error:
                raise OAuthError("invalid_grant", blocked_or_wrong(error)) from None
        case other:
            raise OAuthError("unsupported_grant_type", f"There is no grant type {other!r} here.")


def _given_token(call: Call) -> str:
    """The token in a form; one that cannot be read is as unknown as an empty one."""
    try:
        return _form(call, *_OF_TOKEN)["token"]
    except ApiError:
        return ""


def revoke(call: Call) -> Answer:
    """POST oauth2/revoke: signs out; ends all tokens of the log-in that the given one is from."""
    call.services.oauth.revoke(_given_token(call), call.request.ipv4_address)
    return json_answer({}, headers=NO_STORE)


def introspect(call: Call) -> Answer:
    """POST oauth2/introspect: whether an access token is valid, and whose it is."""
    try:
        with call.services.database.reader() as reader:
            found = call.services.sessions.find(reader, _given_token(call))
    except UserError:
        found = None
    if found is None or found.user is None:
        return json_answer({"active": False}, headers=NO_STORE)
    begun = found.authenticated or found.created
    return json_answer(
        {
            "active": True,
            "client_id": CLIENT,
            "sub": str(found.user.id),
            "iat": begun,
            "exp": begun + found.timeout,
            "token_type": "access_token",
        },
        headers=NO_STORE,
    )


def user_info(call: Call) -> Answer:
    """GET oauth2/userinfo: who is signed in, in the terms of OpenID Connect."""
    who = call.actor
    return json_answer({"sub": str(who.user_id), "displayname": who.displayname})


def discovery(call: Call) -> Answer:
    """GET .well-known/openid-configuration: the addresses of the calls of OAuth 2.0."""
    root = str(call.request.base_url).rstrip("/")
    found = {f"{name}_endpoint": f"{root}/api/oauth2/{path}" for name, path in _ADDRESSES.items()}
    return json_answer({"issuer": root, **found, **_SUPPORTED})


_ADDRESSES = {
    "authorization": "auth",
    "token": "token",
    "introspection": "introspect",
    "revocation": "revoke",
    "userinfo": "userinfo",
}
_SUPPORTED = {
    "response_types_supported": ["code"],
    "grant_types_supported": ["authorization_code", "password", "refresh_token"],
    "scopes_supported": [OFFLINE],
    "code_challenge_methods_supported": ["S256"],
    "token_endpoint_auth_methods_supported": ["none"],
    "subject_types_supported": ["public"],
}

_call = partial(Endpoint, section="5", access=Access.PUBLIC, allows_unknown=True, user_errors=())
_posted = partial(_call, "POST", prefixes=_PREFIXES, workload=Workload.WRITE, uses_reserve=True)
_AUTH = _call("GET", "/oauth2/auth", show_log_in, answers=_HTML, other_answers={302: {}}, prefixes=_PREFIXES)
_USER_INFO = Endpoint(
    "GET",
    "/oauth2/userinfo",
    user_info,
    "5",
    allows_unknown=True,
    answers=json_of(ref("UserInfo")),
    user_errors=(),
    prefixes=_PREFIXES,
)

ENDPOINTS = (
    replace(_AUTH, parameters=_REQUEST),
    _posted(
        "/oauth2/auth",
        log_in,
        body=Body({FORM: as_object((*_REQUEST, *_LOG_IN))}),
        answers=_HTML,
        other_answers={302: {}},
    ),
    _posted("/oauth2/token", token, body=Body({FORM: as_object(_TOKEN)}), answers=json_of(ref("Tokens"))),
    _posted("/oauth2/revoke", revoke, body=Body({FORM: as_object(_OF_TOKEN)}), answers=json_of(record({}))),
    _posted(
        "/oauth2/introspect",
        introspect,
        body=Body({FORM: as_object(_OF_TOKEN)}),
        answers=json_of(ref("Introspection")),
    ),
    _USER_INFO,
    replace(_USER_INFO, method="POST"),
    _call(
        "GET",
        "/.well-known/openid-configuration",
        discovery,
        answers=json_of(ref("Discovery")),
        prefixes=("",),
    ),
)
