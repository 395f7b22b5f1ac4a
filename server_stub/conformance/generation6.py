"""What a service of generation 6 is expected to do; sections are those of the interface of generation 5."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from server_stub.conformance.check import Basis, Group, ServiceCheck
from server_stub.conformance.client import (
    EVENT_DELETE,
    EVENT_GET,
    CannotRunError,
    DeviationError,
    NoAnswerError,
    NotTriedError,
    Reply,
    Request,
    expect,
    get,
    member,
    post,
    succeed,
)
from server_stub.conformance.context import (
    FORM,
    NOTHING,
    SAMPLE,
    UNKNOWN_TOKEN,
    Context,
    Json,
    nothing_selected,
    read_page,
    read_records,
    user_of,
)

_CLIENT = "web-client"
_OAUTH = "/api"
# No log has so many events.
_UNKNOWN_ID = 10**17
_STATUSES = ("startup", "ready", "reindex", "busy", "purge")
_ELSEWHERE = "https://cdb-conform.invalid/"


class TokenContext(Context):
    """The access token of a log-in, with which the checks make their calls."""

    def _first_session(self) -> tuple[str, Json]:
        try:
            form = {"grant_type": "password", "username": self.login, "password": self.password}
            given = succeed(self.oauth("token", **form, scope="offline")).object()
            token = member(given, "access_token", str, "oauth2/token")
            for name in ("access_token", "refresh_token"):
                self.client.hide(str(given.get(name) or ""))
            return token, succeed(self.call_with(get("user/session"), token)).object()
        except NoAnswerError as error:
            raise CannotRunError(str(error)) from None
        except DeviationError as error:
            raise CannotRunError(f"The log-in failed. {error}") from None

    def oauth(self, call: str, **form: str) -> Reply:
        """The answer of a call of OAuth 2.0."""
        content = urlencode({"client_id": _CLIENT} | form).encode()
        request = Request("POST", f"oauth2/{call}", content=content, headers=(FORM,), has_secret=True)
        return self.client.call(replace(request, prefix=_OAUTH))

    def call_with(self, request: Request, token: str | None) -> Reply:
        """Makes a call with an access token in the header. Raises NoAnswerError."""
        if token is not None:
            bearer = ("authorization", f"Bearer {token}")
            request = replace(request, headers=(*request.headers, bearer))
        reply = self.client.call(request)
        if reply.status == 200 and (request.method, request.path) == ("POST", "event"):
            self._note_inserted(reply)
        return reply

    def is_signed_in(self) -> bool:
        """Whether the access token is still valid; also if that cannot be found out."""
        try:
            return self.call(get("user/session")).status != 400
        except DeviationError:
            return True

    def finish(self) -> None:
        """Deletes the inserted events if that is possible and revokes the token."""
        try:
            for event_id in sorted(self._inserted) if self.may(EVENT_DELETE) else ():
                succeed(self.call(Request("DELETE", f"event/{event_id}")))
                self._inserted.discard(event_id)
            succeed(self.oauth("revoke", token=self.token))
        except DeviationError as error:
            self._note(f"The checks could not tidy up: {error}")
        if self._inserted:
            ids = ", ".join(map(str, sorted(self._inserted)))
            self._note(f"Events inserted by the checks that are still in the log: {ids}.")

    def forget(self, event_id: int) -> None:
        """Notes that an inserted event has been deleted."""
        self._inserted.discard(event_id)

    def list_ids(self, **params: str) -> list[int]:
        """The ids of a page of events."""
        return read_page(self.call(get("event/list", **params))).ids

    @cached_property
    def sample(self) -> Sequence[Json]:
        """The newest records at the log-in. Raises NotTriedError if there are none."""
        found = read_page(self.call(get("event/list", limit=str(SAMPLE)))).records
        if not found:
            raise NotTriedError("The log has no events.")
        return found

    @property
    def range(self) -> str:
        """The filter that selects the sample, whatever has happened since."""
        ids = [record["event"]["_id"] for record in self.sample]
        return f"{min(ids)}-{max(ids)}"


def refused(reply: Reply, code: str, status: int) -> Json:
    """The parameters of an error object, which must have a code and a status."""
    expected = f"{reply.request}: expected {status} {code}, the answer is {reply}."
    expect(reply.status == status, expected)
    error = reply.object()
    expect(error.get("code") == code, expected)
    member(error, "error", str, str(reply.request))
    found: Json = member(error, "parameters", dict, str(reply.request))
    return found


SERVICE = Group("The service")
SIGNING_IN = Group("Signing in")
ACCESS = Group("Who may make a call")
LIST = Group("Listing events", (EVENT_GET,))
POLL = Group("Polling events")
SCHEMA = Group("Data model")
CHANGES = Group("Inserting and deleting events")
GROUPS_OF_GENERATION_6 = (SERVICE, SIGNING_IN, ACCESS, LIST, POLL, SCHEMA, CHANGES)


@SERVICE.check("§9", "settings tell the version without an access token")
def _(context: TokenContext) -> None:
    found = succeed(context.call_with(get("settings"), None)).object()
    expect(str(found.get("version", "")).startswith("6."), "settings: version is not 6.x.")
    expect("api" not in found, "settings: there is an api, as in generation 5.")


@SERVICE.check("§9", "every answer has the state of the service", cases=(("settings",), ("event/poll/0",)))
def _(context: TokenContext, path: str) -> None:
    state = context.call_with(get(path), None).headers.get("x-fylr-status")
    expect(state in _STATUSES, f"{path}: x-fylr-status is {state!r}.")


@SERVICE.check(
    "§7.2", "{0} {1} is no call", cases=(("GET", "session"), ("GET", "cdb_conform"), ("PUT", "settings"))
)
def _(context: TokenContext, method: str, path: str) -> None:
    refused(context.call(Request(method, path)), "UnknownEndpointMethod", 400)


@SIGNING_IN.check("§5", "the discovery document names the calls")
def _(context: TokenContext) -> None:
    request = Request("GET", ".well-known/openid-configuration", prefix="")
    found = succeed(context.call_with(request, None)).object()
    for name in ("authorization", "token", "introspection", "revocation", "userinfo"):
        address = member(found, f"{name}_endpoint", str, "openid-configuration")
        expect("/api/oauth2/" in address, f"{name}_endpoint is {address}.")


@SIGNING_IN.check("§5", "user/session has the user, the rights and the token of the log-in")
def _(context: TokenContext) -> None:
    found = succeed(context.call(get("user/session"))).object()
    who = member(member(found, "user", dict, "user/session"), "user", dict, "user")
    expect(who.get("login") == context.login, f"The login is {who.get('login')!r}.")
    member(who, "_id", int, "user")
    member(found, "system_rights", dict, "user/session")
    expect(found.get("access_token") == context.token, "The access token is another one.")


@SIGNING_IN.check(
    "§5",
    "user/session with {1} is InvalidToken",
    cases=((None, "no token"), (UNKNOWN_TOKEN, "an unknown token")),
)
def _(context: TokenContext, token: str | None, _: str) -> None:
    refused(context.call_with(get("user/session"), token), "InvalidToken", 400)


@SIGNING_IN.check(
    "§5",
    "an unknown {0} is invalid_grant",
    cases=(("refresh_token", "refresh_token"), ("code", "authorization_code")),
)
def _(context: TokenContext, name: str, grant: str) -> None:
    reply = context.oauth("token", **{"grant_type": grant, name: UNKNOWN_TOKEN})
    expect(reply.status == 400, f"The answer is {reply}.")
    expect(reply.object().get("error") == "invalid_grant", f"The answer is {reply}.")


@SIGNING_IN.check("§5", "revoking an unknown token is no error")
def _(context: TokenContext) -> None:
    succeed(context.oauth("revoke", token=UNKNOWN_TOKEN))


@SIGNING_IN.check("§5", "the browser is not sent to an address that is not registered")
def _(context: TokenContext) -> None:
    params = {"response_type": "code", "client_id": _CLIENT, "redirect_uri": _ELSEWHERE, "state": "x" * 12}
    reply = context.call_with(replace(get("oauth2/auth", **params), prefix=_OAUTH), None)
    expect(not reply.headers.get("location", "").startswith(_ELSEWHERE), f"The answer is {reply}.")


@ACCESS.check(
    "§5.1",
    "{0} without an access token is UserRequired",
    cases=(("event/list",), ("event/poll/0",), ("event/1",), ("schema/user/HEAD",), ("l10n/user/HEAD",)),
)
def _(context: TokenContext, path: str) -> None:
    for token in (None, UNKNOWN_TOKEN):
        refused(context.call_with(get(path), token), "UserRequired", 401)


@ACCESS.check("§5.2", "a list without the right names those that would do")
def _(context: TokenContext) -> None:
    if context.may(EVENT_GET):
        raise NotTriedError(f"The log-in has the right {EVENT_GET}; one without it is needed.")
    member(refused(context.call(get("event/list")), "SystemRightRequired", 403), "rights", list, "event/list")


@LIST.check("§4.3", "a list has a count and the newest events first")
def _(context: TokenContext) -> None:
    page = read_page(context.call(get("event/list", limit="20")))
    expect(page.count >= len(page.records), f"count is {page.count}.")
    expect(page.ids == sorted(page.ids, reverse=True), "The ids do not descend.")


@LIST.check("§4.3", "records are whole")
def _(context: TokenContext) -> None:
    for record in context.sample:
        expect(record.get("_basetype") == "event", "_basetype is not event.")
        member(record["event"], "pollable", bool, "event")
        member(record["event"], "info", dict, "event")
        expect("_session" not in record, "A record names a session.")


@LIST.check("§4.3", "limit and offset select a part; limit 0 takes all")
def _(context: TokenContext) -> None:
    whole = context.list_ids(id=context.range, limit="0")
    expect(len(whole) >= len(context.sample), f"limit=0 returned {len(whole)} events.")
    part = context.list_ids(id=context.range, limit="3", offset="2")
    expect(part == whole[2:5], "The part is another one.")


@LIST.check("§4.3", "ids and ranges of ids select exactly these")
def _(context: TokenContext) -> None:
    ids = sorted(record["event"]["_id"] for record in context.sample)
    wanted = f"{ids[0]},{ids[len(ids) // 2]}-{ids[-1]}"
    expected = [ids[0], *(each for each in ids if each >= ids[len(ids) // 2])]
    found = context.list_ids(id=wanted, limit="0", sort="_id.ASC")
    expect(found == sorted(set(expected)), f"id={wanted} returned {len(found)} events.")


_FILTERS: tuple[tuple[str, Callable[[Json], Any]], ...] = (
    ("type", lambda record: record["event"]["type"]),
    ("objecttype", lambda record: record["event"].get("objecttype")),
    ("object_id", lambda record: record["event"].get("object_id")),
    ("basetype", lambda record: record["event"].get("basetype")),
    ("pollable", lambda record: str(record["event"]["pollable"]).lower()),
    ("user_id", lambda record: user_of(record).get("_id")),
)


@LIST.check("§4.3", "the filter {0} selects exactly the events with its value", cases=_FILTERS)
def _(context: TokenContext, name: str, value_of: Callable[[Json], Any]) -> None:
    values = {value for record in context.sample if (value := value_of(record)) is not None}
    if not values:
        raise NotTriedError(f"No event of the sample has a value for {name}.")
    value = min(values, key=str)
    expected = [record["event"]["_id"] for record in context.sample if value_of(record) == value]
    found = context.list_ids(**{name: str(value), "id": context.range, "limit": "0"})
    expect(found == expected, f"{name}={value}: {len(found)} events instead of {len(expected)}.")


@LIST.check("§4.3", "a type that no event has selects nothing")
def _(context: TokenContext) -> None:
    expect(not context.list_ids(type=NOTHING), "There are events.")


@LIST.check(
    "§4.3",
    "events are sorted by {0}.{1}",
    cases=(("timestamp", "ASC"), ("_id", "ASC"), ("_id", "DESC")),
)
def _(context: TokenContext, name: str, direction: str) -> None:
    given = {"id": context.range, "limit": "0", "sort": f"{name}.{direction}"}
    found = read_page(context.call(get("event/list", **given))).records
    values = [record["event"][name] for record in found]
    expect(values == sorted(values, reverse=direction == "DESC"), f"sort={given['sort']} has no effect.")


@LIST.check("§4.3", "CSV has a row for each event")
def _(context: TokenContext) -> None:
    reply = succeed(context.call(get("event/list", id=context.range, limit="5", format="csv")))
    expect(reply.media_type == "text/csv", f"The type is {reply.media_type}.")
    expect("_id" in reply.text.partition("\n")[0], "The first line does not name _id.")


@LIST.check("§4.1", "a single event has the record of the list")
def _(context: TokenContext) -> None:
    record = context.sample[0]
    found = succeed(context.call(get(f"event/{record['event']['_id']}"))).object()
    expect(found == record, "The records differ.")


@LIST.check("§4.1", "an unknown event is EventNotFound")
def _(context: TokenContext) -> None:
    refused(context.call(get(f"event/{_UNKNOWN_ID}")), "EventNotFound", 404)


@POLL.check("§4.2", "a poll returns pollable events after an id, oldest first")
def _(context: TokenContext) -> None:
    records = read_records(succeed(context.call(get("event/poll/0", limit="50"))).json(), "event/poll/0")
    if not records:
        raise NotTriedError("No event is pollable.")
    ids = [record["event"]["_id"] for record in records]
    expect(ids == sorted(ids), "The ids do not ascend.")
    expect(all(record["event"].get("pollable") for record in records), "An event is not pollable.")
    after = read_records(succeed(context.call(get(f"event/poll/{ids[0]}", limit="1"))).json(), "event/poll")
    expect([record["event"]["_id"] for record in after] == ids[1:2], "The next poll does not go on.")


@POLL.check("§4.2", "a poll after all events is an empty list at once")
def _(context: TokenContext) -> None:
    expect(succeed(context.call(get(f"event/poll/{_UNKNOWN_ID}"))).json() == [], "The answer is not [].")


@SCHEMA.check("§4.6", "{0} is a document", cases=(("CURRENT",), ("HEAD",)))
def _(context: TokenContext, version: str) -> None:
    reply = context.call(get(f"schema/user/{version}"))
    if reply.status == 400:
        raise NotTriedError(f"The service has no schema version {version}.")
    document = succeed(reply).object()
    for name, kind in (("version", int), ("tables", list), ("max_table_id", int), ("max_column_id", int)):
        member(document, name, kind, version)
    for table in document["tables"]:
        member(table, "name", str, version)
        member(table, "table_id", int, version)
    if version == "HEAD":
        expect(document.get("committed_at") is None, "HEAD has been committed.")


@SCHEMA.check(
    "§4.6",
    "an unknown version of {0} is DatamodelVersionNotFound",
    cases=(("schema",), ("l10n",)),
)
def _(context: TokenContext, call: str) -> None:
    refused(context.call(get(f"{call}/user/999999999")), "DatamodelVersionNotFound", 400)


@SCHEMA.check("§4.6", "localized names are texts by language for each key")
def _(context: TokenContext) -> None:
    for key, texts in succeed(context.call(get("l10n/user/HEAD"))).object().items():
        expect(isinstance(texts, dict), f"{key} is not an object.")


def _writing(section: str, title: str, *rights: str) -> Callable[[Callable[[Any], None]], None]:
    """Adds a check that changes what the service stores."""

    def added(run: Callable[[Any], None]) -> None:
        CHANGES.checks.append(ServiceCheck(section, title, run, rights, Basis.INTERFACE, writes=True))

    return added


@_writing("§4.4", "an inserted event is stored and can be deleted by its id", EVENT_DELETE)
def _(context: TokenContext) -> None:
    inserted = succeed(context.call(post("event", {"event": {"type": "SEARCH", "info": {"conform": 1}}})))
    event = member(inserted.object(), "event", dict, "POST event")
    path = f"event/{member(event, '_id', int, 'event')}"
    expect(event.get("info") == {"conform": 1}, f"info is {event.get('info')}.")
    succeed(context.call(Request("DELETE", path)))
    refused(context.call(Request("DELETE", path)), "EventNotFound", 404)
    context.forget(event["_id"])


@_writing("§4.4", "a type that clients may not insert is EventTypeNotAllowed")
def _(context: TokenContext) -> None:
    refused(context.call(post("event", {"event": {"type": "OBJECT_INSERT"}})), "EventTypeNotAllowed", 400)


@_writing("§4.5", "a deletion whose filters select nothing deletes nothing", EVENT_GET, EVENT_DELETE)
def _(context: TokenContext) -> None:
    succeed(context.call(Request("DELETE", "event/list", nothing_selected(id=str(_UNKNOWN_ID)))))
    expect(len(context.list_ids(id=context.range, limit="0")) >= len(context.sample), "Events are gone.")
