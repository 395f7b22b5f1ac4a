"""The faults: their names, the calls at which they may be injected, their parameters, and what they do."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import msgspec
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from server_stub.foundation.errors import ContractError, ServerError, UserError
from server_stub.foundation.resources import resource
from server_stub.http.chaos.exchange import BufferedResponse, Exchange, WithheldEvents, pieces
from server_stub.http.endpoint import Access, Endpoint

# Answers the exchange with the fault, or as usual if there is nothing to change.
Inject = Callable[[Exchange], Awaitable[None]]
Applies = Callable[[Endpoint], bool]

_TIME = re.compile(rb'"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00)"')
_PADDING = b" " * (1 << 20)
_DRIPS_A_SECOND = 10


@dataclass(frozen=True)
class FaultParameter:
    """A number that a rule may set for a fault."""

    default: float
    minimum: float
    maximum: float
    meaning: str


@dataclass(frozen=True)
class Fault:
    """One fault; `applies` says at which calls it may be injected."""

    name: str
    inject: Inject
    applies: Applies
    parameters: Mapping[str, FaultParameter] = field(default_factory=dict)

    @property
    def meaning(self) -> str:
        """A sentence in English."""
        text: str = _texts()[self.name]["en"]["text"]
        return text


@cache
def _texts() -> Any:
    return msgspec.json.decode(resource("simulated_faults.json").read_bytes())


# The calls


def _any(_: Endpoint) -> bool:
    return True


def _needs_session(endpoint: Endpoint) -> bool:
    return endpoint.access in {Access.SESSION, Access.SIGNED_IN}


def _needs_right(endpoint: Endpoint) -> bool:
    return endpoint.right is not None


def _reads_json(endpoint: Endpoint) -> bool:
    return endpoint.method == "GET" and "application/json" in endpoint.answers


def _polls(endpoint: Endpoint) -> bool:
    return endpoint.path.startswith("/event/poll")


def _among(*calls: str) -> Applies:
    return lambda endpoint: f"{endpoint.method} {endpoint.path}" in calls


def _is_newer(endpoint: Endpoint) -> bool:
    return endpoint.generation == 6


def _has_versions(endpoint: Endpoint) -> bool:
    """Whether answers name the versions of interface and schema in headers."""
    return not _is_newer(endpoint)


def _commits_with_questions(endpoint: Endpoint) -> bool:
    return endpoint.path == "/schema/commit" and _is_newer(endpoint)


_LIST = _among("GET /event/list")
_SESSION = _among("GET /session", "POST /session/authenticate", "GET /user/session")
_SAVE_SCHEMA = _among("POST /schema/user/{version}")

# Instead of handling the call


def _error(make: Callable[[Exchange], ContractError]) -> Inject:
    async def inject(exchange: Exchange) -> None:
        await exchange.refuse(make(exchange))

    return inject


def _answer(make: Callable[[Exchange], Response]) -> Inject:
    async def inject(exchange: Exchange) -> None:
        response = make(exchange)
        body = bytes(response.body)
        await exchange.send(BufferedResponse(response.status_code, tuple(response.raw_headers), body))

    return inject


def _page(title: str, status: int, text: str) -> Inject:
    head = f"<!DOCTYPE html>\n<html><head><title>{title}</title></head>"
    page = f"{head}<body><h1>{title}</h1><p>{text}</p></body></html>\n"
    return _answer(lambda _: HTMLResponse(page, status))


def _refusal(name: str, **parameters: str) -> Inject:
    return _error(lambda exchange: UserError(name, status=exchange.endpoint.refusal_status, **parameters))


def _no_right(exchange: Exchange) -> ContractError:
    return UserError(
        "no_system_right", status=exchange.endpoint.refusal_status, right=exchange.endpoint.right
    )


def _retry_after(status: int, text: str) -> Inject:
    def make(exchange: Exchange) -> Response:
        return PlainTextResponse(text, status, {"retry-after": f"{exchange.parameters['seconds']:.0f}"})

    return _answer(make)


def _unknown_code(exchange: Exchange) -> Response:
    error: dict[str, Any] = {"parameters": {"hint": "chaos"}}
    if _is_newer(exchange.endpoint):
        error |= {"realm": "api", "code": "NotInTheCatalogue", "error": "Injected.", "statuscode": 400}
    else:
        error |= {"realm": "user", "code": "error.user.not_in_the_catalogue"}
    return JSONResponse(error, 400)


async def _refuse_refresh_token(exchange: Exchange) -> None:
    if (await exchange.form()).get("grant_type") == "refresh_token":
        await _answer(lambda _: JSONResponse(_USED_TOKEN, 400))(exchange)
    else:
        await exchange.answer_as_usual()


_USED_TOKEN = {"error": "invalid_grant", "error_description": "The refresh token has been used."}


async def _ask_first(exchange: Exchange) -> None:
    if "confirm" in exchange.query:
        await exchange.answer_as_usual()
    else:
        await _answer(lambda _: JSONResponse({"tasks": [_QUESTION]}, 202))(exchange)


_QUESTION = {
    "title": "Commit",
    "message": "An injected question: shall HEAD become current?",
    "buttons": [{"text": "Cancel"}, {"text": "Commit", "name": "confirm", "value": "yes"}],
}


# Before the call


async def _delay(exchange: Exchange) -> None:
    await exchange.wait(exchange.parameters["seconds"])
    await exchange.pass_on()


async def _lock_database(exchange: Exchange) -> None:
    def hold() -> None:
        with exchange.services.database.write():
            time.sleep(exchange.parameters["seconds"])

    await asyncio.to_thread(hold)
    await exchange.pass_on()


async def _end_session(exchange: Exchange) -> None:
    def end() -> bool:
        found = exchange.session()
        if found is None or found.user is None:
            return False
        exchange.services.sessions.deauthenticate(found, None)
        return True

    await _prepared(exchange, end)


async def _commit_head(exchange: Exchange) -> None:
    def commit() -> bool:
        found = exchange.session()
        actor = None if found is None else found.actor(None)
        if actor is None:
            return False
        try:
            exchange.services.schemas.commit(actor)
        except ContractError:
            return False
        return True

    await _prepared(exchange, commit)


async def _prepared(exchange: Exchange, prepare: Callable[[], bool]) -> None:
    """Runs a function on a thread and then the call; the fault is injected if the function returned True."""
    if await asyncio.to_thread(prepare):
        await exchange.pass_on()
    else:
        await exchange.answer_as_usual()


# After the call


async def _lose_answer(exchange: Exchange) -> None:
    await exchange.run()
    await exchange.close()


async def _never_answer(exchange: Exchange) -> None:
    await exchange.run()
    await exchange.wait(exchange.parameters["seconds"])
    await exchange.close()


async def _truncate(exchange: Exchange) -> None:
    await exchange.send_half(await exchange.run())


async def _drip(exchange: Exchange) -> None:
    reply = await exchange.run()
    count = max(1, round(exchange.parameters["seconds"] * _DRIPS_A_SECOND))
    parts = pieces(reply.body, max(1, -(-len(reply.body) // count)))
    await exchange.send_parts(reply, parts, exchange.parameters["seconds"] / max(1, len(parts)))


async def _oversize(exchange: Exchange) -> None:
    reply = await exchange.run()
    if reply.json is None:
        await exchange.answer_as_usual(reply)
        return
    megabytes = int(exchange.parameters["megabytes"])
    size = len(reply.body) + megabytes * len(_PADDING)
    # Blanks after a value are valid JSON.
    parts = [reply.body, *[_PADDING] * megabytes]
    await exchange.send_parts(reply.with_header(b"content-length", b"%d" % size), parts)


async def _move_head(exchange: Exchange) -> None:
    """Answers first: the saved document is no longer the one that was read."""
    reply = await exchange.run()
    document = reply.json
    is_head = document is not None and bool(document.get("tables")) and exchange.path_ends_with("HEAD")
    if is_head and await asyncio.to_thread(_save_changed, exchange, document):
        await exchange.send(reply)
    else:
        await exchange.answer_as_usual(reply)


def _save_changed(exchange: Exchange, document: dict[str, Any]) -> bool:
    first, *others = document["tables"]
    moment = datetime.now(UTC).isoformat(timespec="microseconds")
    changed = first | {"comment": f"Changed by somebody else at {moment}"}
    try:
        exchange.services.schemas.save_head(document | {"tables": [changed, *others]})
    except ContractError:
        return False
    return True


# Changes of a response

Change = Callable[[BufferedResponse, Exchange], BufferedResponse | None]


def _changing(change: Change) -> Inject:
    """Sends the response as `change` returns it, or unchanged if that is None."""

    async def inject(exchange: Exchange) -> None:
        reply = await exchange.run()
        changed = change(reply, exchange)
        await (exchange.answer_as_usual(reply) if changed is None else exchange.send(changed))

    return inject


def _changing_json(change: Callable[[Any], Any]) -> Inject:
    """Like `_changing`, for the value of a successful response; None leaves it unchanged."""

    def changed(reply: BufferedResponse, _: Exchange) -> BufferedResponse | None:
        value = reply.json
        new = None if value is None else change(value)
        return None if new is None else reply.with_json(new)

    return _changing(changed)


def _wrong_type(reply: BufferedResponse, _: Exchange) -> BufferedResponse | None:
    return None if reply.json is None else reply.with_header(b"content-type", b"text/plain; charset=utf-8")


def _broken_json(reply: BufferedResponse, _: Exchange) -> BufferedResponse | None:
    return None if reply.json is None else reply.with_body(reply.body.rstrip()[:-1] + b",")


def _shift_times(reply: BufferedResponse, exchange: Exchange) -> BufferedResponse | None:
    offset = timedelta(seconds=exchange.parameters["seconds"])

    def shifted(found: re.Match[bytes]) -> bytes:
        try:
            moment = datetime.fromisoformat(found[1].decode()) + offset
        except (ValueError, OverflowError):
            return found[0]
        return f'"{moment.isoformat(timespec="seconds")}"'.encode()

    date = (datetime.now(UTC) + offset).strftime("%a, %d %b %Y %H:%M:%S GMT").encode()
    return reply.with_body(_TIME.sub(shifted, reply.body)).with_header(b"date", date)


def _other_schema_version(reply: BufferedResponse, _: Exchange) -> BufferedResponse | None:
    name = b"x-easydb-user-schema-version"
    version = reply.header(name)
    return None if version is None else reply.with_header(name, b"%d" % (int(version) + 1))


def _other_api_version(reply: BufferedResponse, _: Exchange) -> BufferedResponse | None:
    return reply.with_header(b"x-easydb-api-version", b"2")


def _no_version_headers(reply: BufferedResponse, _: Exchange) -> BufferedResponse | None:
    bare = reply.with_header(b"x-easydb-api-version", None)
    return bare.with_header(b"x-easydb-user-schema-version", None)


def _without_rights(session: dict[str, Any]) -> Any:
    """Also where generation 6 repeats them: in the member `user`."""
    repeated: dict[str, Any] = {"_system_rights": {}}
    who = session.get("user") or {}
    if repeated.keys() <= who.keys():
        session = session | {"user": who | repeated}
    return session | {"system_rights": {}} if session.get("system_rights") else None


def _of_page(change: Callable[[list[Any]], list[Any]]) -> Inject:
    def changed(page: dict[str, Any]) -> Any:
        return page | {"objects": change(page["objects"])} if page.get("objects") else None

    return _changing_json(changed)


def _withhold(reply: BufferedResponse, exchange: Exchange) -> BufferedResponse | None:
    """Leaves out the first event; it is returned after a later one, when the cursor has passed it."""
    records = reply.json
    waiting = exchange.withheld.get(exchange.token)
    if records is None or not (records or waiting):
        return None
    if waiting is None:
        waiting = exchange.withheld[exchange.token] = WithheldEvents(records[:1], passed=False)
    ids = {_id(record) for record in waiting.records}
    others = [record for record in records if _id(record) not in ids]
    if waiting.passed:
        del exchange.withheld[exchange.token]
        return reply.with_json(waiting.records + others)
    waiting.passed = bool(others)
    return reply.with_json(others)


def _id(record: dict[str, Any]) -> object:
    return record["event"]["_id"]


def _seconds(default: float, meaning: str, maximum: float = 120) -> Mapping[str, FaultParameter]:
    return {"seconds": FaultParameter(default, 0, maximum, meaning)}


POLL_GAP = "poll-gap"
STREAM_DROPPED = "stream-dropped"


_ALL = (
    Fault("server-error", _error(lambda _: ServerError("generic", "An injected fault.")), _any),
    Fault(
        "database-error",
        _error(lambda _: ServerError("database", "An injected fault: the database failed.")),
        _any,
    ),
    Fault("unknown-error", _answer(_unknown_code), _any),
    Fault("unavailable", _answer(lambda _: PlainTextResponse("Service Unavailable", 503)), _any),
    Fault(
        "unavailable-retry-after",
        _retry_after(503, "Service Unavailable"),
        _any,
        _seconds(2, "of Retry-After"),
    ),
    Fault("too-many-requests", _retry_after(429, "Too Many Requests"), _any, _seconds(2, "of Retry-After")),
    Fault("bad-gateway", _page("502 Bad Gateway", 502, "The proxy received an invalid response."), _any),
    Fault("gateway-timeout", _page("504 Gateway Time-out", 504, "The server did not respond in time."), _any),
    Fault("web-page", _page("Welcome", 200, "Sign in to use this network."), _any),
    Fault("reset-connection", Exchange.reset, _any),
    Fault("session-invalid", _refusal("session_invalid"), _needs_session),
    Fault("session-not-found", _refusal("session_not_found", id="chaos"), _needs_session),
    Fault("not-authenticated", _refusal("not_authenticated"), _needs_session),
    Fault("session-ended", _end_session, _needs_session),
    Fault("right-refused", _error(_no_right), _needs_right),
    Fault("rights-removed", _changing_json(_without_rights), _SESSION),
    Fault("slow-database", _delay, _any, _seconds(2, "before the call runs")),
    Fault("database-locked", _lock_database, _any, _seconds(1, "of the lock", maximum=5)),
    Fault("slow-answer", _drip, _any, _seconds(3, "until the last piece")),
    Fault("truncated-answer", _truncate, _any),
    Fault(
        "oversized-answer", _oversize, _reads_json, {"megabytes": FaultParameter(160, 1, 2048, "of blanks")}
    ),
    Fault("no-answer", _never_answer, _any, _seconds(45, "until the connection is closed", maximum=600)),
    Fault("lost-answer", _lose_answer, _any),
    Fault("lost-commit-answer", _lose_answer, _among("POST /schema/commit")),
    Fault("lost-save-answer", _lose_answer, _SAVE_SCHEMA),
    Fault("lost-insert-answer", _lose_answer, _among("POST /event")),
    Fault("lost-delete-answer", _lose_answer, _among("DELETE /event", "DELETE /event/list")),
    Fault("head-moved", _move_head, _among("GET /schema/user/{version}", "POST /schema/user/{version}")),
    Fault("head-committed", _commit_head, _SAVE_SCHEMA),
    Fault("wrong-content-type", _changing(_wrong_type), _reads_json),
    Fault("invalid-json", _changing(_broken_json), _reads_json),
    Fault(
        "clock-skew",
        _changing(_shift_times),
        _any,
        {"seconds": FaultParameter(86_400, -(10**9), 10**9, "by which times are later")},
    ),
    Fault("poll-duplicates", _changing_json(lambda events: [*events, *events] or None), _polls),
    Fault(POLL_GAP, _changing(_withhold), _polls),
    Fault("poll-reversed", _changing_json(lambda events: events[::-1] if len(events) > 1 else None), _polls),
    Fault("list-reversed", _of_page(lambda objects: objects[::-1]), _LIST),
    Fault("list-empty", _of_page(lambda _: []), _LIST),
    Fault("other-schema-version", _changing(_other_schema_version), _has_versions),
    Fault("other-api-version", _changing(_other_api_version), _has_versions),
    Fault("no-version-headers", _changing(_no_version_headers), _has_versions),
    Fault(
        "starting",
        _answer(lambda _: PlainTextResponse("Starting", 503, {"x-fylr-status": "startup"})),
        _is_newer,
    ),
    Fault("refresh-token-used", _refuse_refresh_token, _among("POST /oauth2/token")),
    Fault("commit-asks", _ask_first, _commits_with_questions),
    Fault(
        STREAM_DROPPED,
        Exchange.answer_as_usual,  # `injector.py` does it, for WebSockets only.
        _among("GET /event/stream"),
        {"frames": FaultParameter(1, 0, 10**6, "that are sent before")},
    ),
)

FAULTS: Mapping[str, Fault] = {fault.name: fault for fault in _ALL}
