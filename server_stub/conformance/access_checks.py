"""Who may make a call (§4, §5), paths and methods, error objects and headers (§7, wire §1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from server_stub.conformance.check import Basis, Group, ServiceCheck, refused, succeeds
from server_stub.conformance.client import Reply, Request, get, post
from server_stub.conformance.context import NOTHING, Context, nothing_selected, parse_time
from server_stub.conformance.expectations import (
    COMMIT,
    DEVELOPMENT,
    EVENT_DELETE,
    EVENT_GET,
    INVALID,
    NO_RIGHT,
    NOT_AUTHENTICATED,
    SESSION_NOT_FOUND,
    CallerSession,
    NotTriedError,
    catalogue,
    error_of,
    expect,
    member,
    refuse,
    shown,
    succeed,
)

_OBSERVED = Basis.OBSERVED
_DECISION = Basis.DECISION
NO_UUID = "00000000-0000-4000-8000-000000000000"


@dataclass(frozen=True)
class _Permission:
    """A call, the right that it needs and the status of its refusals.

    A call that could change something is malformed as well, or selects nothing, so that even a service
    without any check of rights changes nothing.
    """

    section: str
    request: Request
    right: str | None = None
    status: int = 400


_NO_SCHEMA = {"type": "no-such-type", "version": -1}
_CALLS = (
    _Permission("§4.1", get("event/1"), EVENT_GET),
    _Permission("§4.2", get("event/poll")),
    _Permission("§4.2", get("event/poll/1")),
    _Permission("§4.3", get("event/list", limit="1"), EVENT_GET),
    _Permission("§4.3", get("event/list", limit="1", format="csv"), EVENT_GET),
    _Permission("§4.4", post("event", {})),
    _Permission("§4.5", Request("DELETE", "event", nothing_selected(limit="0")), EVENT_DELETE),
    _Permission("§4.5", Request("DELETE", "event", nothing_selected(), json=[-1]), EVENT_DELETE),
    _Permission("§4.6", get("schema/user/HEAD", format="json"), None, 403),
    _Permission("§4.6", get("schema/user/CURRENT"), None, 403),
    _Permission("§4.6", get("schema/user/1", format="svg"), None, 403),
    _Permission("§4.7", post("schema/user/HEAD", _NO_SCHEMA), DEVELOPMENT, 403),
    _Permission("§4.8", post("schema/commit", None, reindex_generate_events="perhaps"), COMMIT, 403),
)
_POLLS = {"event/poll", "event/poll/1"}


def _permissions() -> Iterator[ServiceCheck]:
    for call in _CALLS:
        deletes = call.request.method == "DELETE"
        for caller, code in (
            (CallerSession.ANONYMOUS, NOT_AUTHENTICATED),
            (CallerSession.STRANGER, SESSION_NOT_FOUND),
            (CallerSession.UNAUTHENTICATED, NOT_AUTHENTICATED),
        ):
            if caller is CallerSession.UNAUTHENTICATED and call.request.path in _POLLS:
                yield _polls_nothing(call.request)
                continue
            # Which status an unknown token has on a schema call is not shown.
            basis = _DECISION if caller is CallerSession.STRANGER and call.status == 403 else Basis.INTERFACE
            yield refused(
                call.section,
                call.request,
                code,
                status=call.status,
                caller=caller,
                basis=basis,
                deletes=deletes,
            )
        if call.right is not None:
            yield _needs_right(call, call.right, deletes=deletes)


def _polls_nothing(request: Request) -> ServiceCheck:
    def run(context: Context) -> None:
        found = succeed(context.call(request, CallerSession.UNAUTHENTICATED)).json()
        expect(found == [], f"{request}: an unauthenticated session receives {shown(found)}.")

    return ServiceCheck("§4.2", f"{request} of an unauthenticated session answers no events", run)


def _needs_right(call: _Permission, right: str, *, deletes: bool) -> ServiceCheck:
    def run(context: Context) -> None:
        if context.may(right):
            raise NotTriedError(f"The log-in has the right {right}; one without it is needed.")
        refuse(context.call(call.request), NO_RIGHT, status=call.status, parameters={"right": right})

    return ServiceCheck(call.section, f"{call.request} needs the right {right}", run, deletes=deletes)


ACCESS = Group("Who may make a call", tuple(_permissions()))


# §7.2 and wire §1

_UNKNOWN_PATHS = (
    "",
    "nothing",
    "event/list/1",
    "event/poll/1/2",
    "schema",
    "schema/base/HEAD",
    "schema/user/HEAD/1",
    "settings/1",
    "session/nothing",
)
_INCOMPLETE_PATHS = ("event/", "schema/user", "schema/user/")
# Calls that change nothing under any plausible reading of their method.
_WRONG_METHODS = (
    ("GET", "event", CallerSession.SIGNED_IN),
    ("POST", "event/list", CallerSession.SIGNED_IN),
    ("POST", "event/poll", CallerSession.SIGNED_IN),
    ("PUT", "event/list", CallerSession.SIGNED_IN),
    ("PATCH", "event/poll", CallerSession.SIGNED_IN),
    ("GET", "schema/commit", CallerSession.SIGNED_IN),
    ("GET", "session/authenticate", CallerSession.UNAUTHENTICATED),
    ("GET", "session/deauthenticate", CallerSession.UNAUTHENTICATED),
    ("PUT", "session", CallerSession.UNAUTHENTICATED),
)


def _paths() -> Iterator[ServiceCheck]:
    for path in _UNKNOWN_PATHS:
        yield refused("§7.2", get(path), "error.api.invalid_api")
    for path in _INCOMPLETE_PATHS:
        yield refused("§7.2", get(path), "error.api.positional_parameter_expected", basis=_DECISION)
    for method, path, caller in _WRONG_METHODS:
        yield refused("§7.2", Request(method, path), "error.api.invalid_request_method", caller=caller)
    yield refused("§4.7", Request("PUT", "schema/user/no-such-version"), "error.api.invalid_request_method")
    yield refused(
        "§7.1", get("server/error", uuid=NO_UUID), "error.user.error_not_found", parameters={"id": NO_UUID}
    )
    yield refused(
        "§7.1",
        get(f"plugin/base/server/error/{NO_UUID}"),
        "error.user.error_not_found",
        parameters={"id": NO_UUID},
        basis=_OBSERVED,
    )
    yield refused("§7.1", get("server/error"), basis=_DECISION)
    yield refused(
        "§7.1",
        get("server/error", uuid=NO_UUID),
        NOT_AUTHENTICATED,
        caller=CallerSession.ANONYMOUS,
        basis=_DECISION,
    )


@dataclass(frozen=True)
class _Sample:
    """A call whose answer shows a rule of all answers; `right` is what it needs to get that far."""

    title: str
    request: Request
    right: str | None = None


_SUCCESSES = (
    _Sample("a session", get("session")),
    _Sample("settings", get("settings")),
    _Sample("a poll", get("event/poll", limit="1")),
    _Sample("a list", get("event/list", limit="1"), EVENT_GET),
    _Sample("a CSV list", get("event/list", limit="1", format="csv"), EVENT_GET),
)
_API_ERRORS = (
    _Sample("an unknown path", get("no/such/call")),
    _Sample("a wrong method", Request("PUT", "event/list")),
    _Sample("a bad limit", get("event/poll", limit="many")),
    _Sample("a bad limit of a list", get("event/list", limit="many"), EVENT_GET),
    _Sample("a bad event id", get("event/abc"), EVENT_GET),
    _Sample("a bad body", Request("POST", "event", content=b"{")),
)
_USER_ERRORS = (
    _Sample("an unknown event", get(f"event/{10**17}"), EVENT_GET),
    _Sample("an unknown error", get("server/error", uuid=NO_UUID)),
    _Sample("an unknown schema version", get("schema/user/987654321")),
)


def _rules() -> Iterator[ServiceCheck]:
    for sample in _API_ERRORS:
        yield _rule("§7.1", f"{sample.title}: an API error has an English description", sample, _is_api_error)
    for sample in _USER_ERRORS:
        yield _rule("§7.1", f"{sample.title}: a user error has texts as parameters", sample, _is_user_error)
    for sample in (*_API_ERRORS, *_USER_ERRORS):
        yield _rule("§7", f"{sample.title}: the code is one of the interface", sample, _is_in_catalogue)
    for sample in (*_SUCCESSES, *_API_ERRORS[:3], *_USER_ERRORS[1:]):
        title = sample.title
        yield _rule("§1", f"{title}: Cache-Control is no-cache", sample, _is_not_cached, _OBSERVED)
        yield _rule(
            "§9", f"{title}: the version of the API is in a header", sample, _has_api_version, _OBSERVED
        )
        yield _rule(
            "§9", f"{title}: the schema's version is in a header", sample, _has_schema_version, _OBSERVED
        )
        if "format" not in dict(sample.request.params):
            yield _rule("§1", f"{title}: the type is JSON in UTF-8", sample, _is_json, _OBSERVED)


def _rule(
    section: str, title: str, sample: _Sample, rule: Any, basis: Basis = Basis.INTERFACE
) -> ServiceCheck:
    return ServiceCheck(
        section, title, lambda context: rule(context.call(sample.request)), right=sample.right, basis=basis
    )


def _is_api_error(reply: Reply) -> None:
    error = refuse(reply)
    description = error.get("description")
    expect(isinstance(description, str) and description, f"{reply.request}: no description: {reply}.")
    expect("uuid" not in error, f"{reply.request}: an API error has a uuid: {reply}.")


def _is_user_error(reply: Reply) -> None:
    error = error_of(reply)
    expect(error["realm"] == "user", f"{reply.request}: expected an error of the realm user: {reply}.")
    parameters = error.get("parameters", {})
    expect(
        isinstance(parameters, dict) and all(isinstance(text, str) for text in parameters.values()),
        f"{reply.request}: the parameters are {shown(parameters)}, expected texts.",
    )
    for name in ("description", "uuid"):
        expect(name not in error, f"{reply.request}: a user error has a {name}: {reply}.")


def _is_in_catalogue(reply: Reply) -> None:
    error = error_of(reply)
    entry = catalogue().get(error["code"])
    expect(entry is not None, f"{reply.request}: §7 has no code {shown(error['code'])}.")
    if entry is not None:
        expect(
            error["realm"] == entry["realm"], f"{reply.request}: the realm does not fit the code: {reply}."
        )


def _is_not_cached(reply: Reply) -> None:
    found = reply.headers.get("cache-control", "")
    expect("no-cache" in found or "no-store" in found, f"{reply.request}: Cache-Control is {found!r}.")


def _has_api_version(reply: Reply) -> None:
    expect(reply.headers.get("x-easydb-api-version"), f"{reply.request}: no X-Easydb-Api-Version.")


def _has_schema_version(reply: Reply) -> None:
    found = reply.headers.get("x-easydb-user-schema-version", "")
    expect(found.isdigit(), f"{reply.request}: X-Easydb-User-Schema-Version is {found!r}.")


def _is_json(reply: Reply) -> None:
    found = reply.headers.get("content-type", "").replace(" ", "").lower()
    expect(found == "application/json;charset=utf-8", f"{reply.request}: Content-Type is {found!r}.")
    reply.json()


def _header_is_current_version(context: Context) -> None:
    reply = succeed(context.call(get("session")))
    found = reply.headers.get("x-easydb-user-schema-version", "")
    current = context.call(get("schema/user/CURRENT", format="json"))
    version = 0 if current.status == 404 else succeed(current).object().get("version")
    expect(found == str(version), f"X-Easydb-User-Schema-Version is {found!r}, CURRENT is {shown(version)}.")


def _reason_phrase(context: Context) -> None:
    expect(succeed(context.call(get("session"))).reason, "The status line has no reason phrase.")


def _error_of_server(context: Context) -> None:
    if not context.may("system.root"):
        raise NotTriedError("The log-in lacks the right system.root.")
    reply = context.call(post("plugin/base/server/error/server"))
    if reply.status == 400:
        raise NotTriedError("The service makes no errors on request.")
    error = refuse(reply, "error.server.generic", status=500)
    uuid = member(error, "uuid", str, "error object")
    expect(error.get("description"), "A server error has no description.")
    details = succeed(context.call(get("server/error", uuid=uuid))).object()
    expect(details.get("code") == error["code"], f"The details have the code {shown(details.get('code'))}.")


# wire §6

_SETTINGS = (
    "name",
    "api",
    "server_version",
    "easydb_version",
    "version",
    "user-schema",
    "solution",
    "db-name",
    "startup_time",
    "server_time",
)


def _settings() -> Iterator[ServiceCheck]:
    for name in _SETTINGS:

        def run(context: Context, name: str = name) -> None:
            found = succeed(context.call(get("settings"), CallerSession.ANONYMOUS)).object()
            expect(name in found, f"settings lack {name}.")
            if name.endswith("_time"):
                parse_time(member(found, name, str, "settings"), name)

        yield ServiceCheck("§9", f"settings have {name} without a session", run, basis=_OBSERVED)


def _languages(context: Context) -> None:
    system = member(succeed(context.call(get("config/list"))).object(), "system", list, "config/list")
    found = [each for each in system if isinstance(each, dict) and each.get("name") == "languages"]
    expect(found, "config/list has no variable languages.")
    database = member(member(found[0], "parameters", dict, "languages"), "database", dict, "languages")
    choices = member(database, "choices", list, "languages")
    expect(choices and all(isinstance(each, str) for each in choices), f"The choices are {shown(choices)}.")


ERRORS = Group(
    "Errors, paths and headers",
    (
        *_paths(),
        *_rules(),
        ServiceCheck(
            "§9 point 3", "the header is the version of CURRENT", _header_is_current_version, basis=_OBSERVED
        ),
        ServiceCheck("§1", "the status line has a reason phrase", _reason_phrase, basis=_OBSERVED),
        ServiceCheck(
            "§7.1",
            "a server error has uuid and description, and details",
            _error_of_server,
            basis=_DECISION,
            writes=True,
        ),
        *_settings(),
        ServiceCheck("§9", "config/list has the languages of the database", _languages, basis=_OBSERVED),
        refused("§9", get("config/list"), NOT_AUTHENTICATED, caller=CallerSession.ANONYMOUS, basis=_DECISION),
        succeeds("§1", Request("HEAD", "session"), "HEAD is answered like GET", basis=_DECISION),
        refused("§4.1", get("event/abc", nonsense=NOTHING), INVALID, right=EVENT_GET),
    ),
)
