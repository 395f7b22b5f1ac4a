"""The calls of the contract as values: a request, and the function that decodes the response."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

import msgspec

from cdb_desktop.client import decoding, lenient_json, responses
from cdb_desktop.client.dialect import LARGEST, Dialect
from cdb_desktop.client.query import CsvOptions, EventFilter, csv_query, filter_query, flag
from cdb_desktop.client.records import Capabilities, Instance, ServerErrorDetails, Session
from cdb_desktop.client.request import API, Call, Query, Request, Response, segment
from cdb_desktop.client.responses import answer_error, json_members

_PLAN_TIMEOUT_FACTOR = 20.0
_FULL_LIST, _SKIP_COUNT = (5, 140), (5, 139)
_REFERENCE = "reference"  # the solution of the embedded server


class Generation5(Dialect):
    """The calls of a service with sessions."""

    most_deleted = 1000
    bearer = False
    json_format = (("format", "json"),)

    def capabilities(self, version: str, solution: str) -> Capabilities:
        """What the version of the service offers (§9 rule 2); an unknown one offers all."""
        is_ours = solution == _REFERENCE
        found = re.search(r"(\d+)\.(\d+)", version)
        number = (int(found[1]), int(found[2])) if found else _FULL_LIST
        return Capabilities(
            full_list=number >= _FULL_LIST,
            skip_count=number >= _SKIP_COUNT,
            re2_only=is_ours,
            guards_csv=is_ours,
        )

    def start_session(self) -> Call[Session]:
        """A new session that is not signed in."""
        return Call(replace(self.request("GET", "session"), signed=False), session)

    def read_session(self, token: str) -> Call[Session]:
        """The session of ``token``."""
        return Call(self.request("GET", "session"), partial(session, token=token))

    def authenticate(self, token: str, login: str, password: str, method: str) -> Call[Session]:
        """Signs the session in; the password is in the body, since addresses are logged."""
        request = replace(
            self.request("POST", "session/authenticate"),
            body=urlencode({"method": method, "login": login, "password": password}).encode(),
            content_type="application/x-www-form-urlencoded",
            secrets=(password,),
        )
        return Call(request, partial(session, token=token))

    def deauthenticate(self, token: str) -> Call[Session]:
        """Signs the session out."""
        return Call(self.request("POST", "session/deauthenticate"), partial(session, token=token))

    def poll_path(self, last_max_id: int | None) -> str:
        """Without an id, the session knows where to begin."""
        return "event/poll" if last_max_id is None else f"event/poll/{last_max_id:d}"

    def list_form(self, *, full: bool, skip_count: bool) -> Query:
        """Short or full records, with or without their number."""
        skipped = (("skip_count", flag(True)),) if skip_count else ()
        return (("format", "json_full" if full else "json"), *skipped)

    def csv_form(self, options: CsvOptions, *, guard: bool) -> Query:
        """The form of the file can be chosen."""
        return csv_query(options, guard=guard)

    def filters(self, chosen: EventFilter) -> Query:
        """There are none of ids and objects."""
        if chosen.ids or chosen.objecttype or chosen.object_id:
            raise ValueError("the service has no filters of ids and objects")
        return filter_query(chosen)

    def inserted(self, attributes: Mapping[str, object]) -> Mapping[str, object]:
        """The attributes alone."""
        return attributes

    def delete_events(self, ids: Sequence[int]) -> Call[int | None]:
        """Deletes exactly these events (§4.5, ID mode)."""
        return Call(self.sent("DELETE", "event", [int(one) for one in ids]), responses.count)

    def delete_event(self, event_id: int) -> Call[None]:
        """Deletes an event, if there is one (§4.5, ID mode)."""
        return Call(self.delete_events([event_id]).request, responses.nothing)

    def commit_form(self, *, reindex_generate_events: bool) -> Mapping[str, str]:
        """Whether events of the objects are written (§4.8)."""
        return {"reindex_generate_events": "1"} if reindex_generate_events else {}

    def plan_schema(self) -> Call[dict[str, object]]:
        """The steps of a commit of HEAD; not every service knows this call."""
        request = self.request("GET", "schema/user/HEAD/plan")
        request = replace(request, timeout_factor=_PLAN_TIMEOUT_FACTOR, largest=LARGEST)
        return Call(request, responses.json_mapping)

    def config(self) -> Call[dict[str, object]]:
        """The base configuration."""
        return Call(self.request("GET", "config/list"), responses.json_mapping)

    def server_errors(self, uuid: str) -> tuple[Call[ServerErrorDetails], ...]:
        """Details of a server error at the contract's address (§7.1), and at the vendor's (wire §8)."""
        requests = (
            Request("GET", "api/server/error", (("uuid", uuid),)),
            Request("GET", f"{API}plugin/base/server/error/{segment(uuid)}"),
        )
        return tuple(Call(request, partial(server_error, uuid=uuid)) for request in requests)


def session(answer: Response, token: str | None = None) -> Session:
    """The session in a response; ``token`` is used if the response has none.

    Raises AnswerError where there is no token at all, ServiceError.
    """
    found = json_members(answer)
    arguments, _ = lenient_json.fields(Session, found)
    arguments.setdefault("token", token)
    if not arguments["token"]:
        raise answer_error(answer, "no_token", "token")
    return Session(**(arguments | _composed(found)))


def _composed(found: lenient_json.Members) -> dict[str, Any]:
    proof = lenient_json.members(found.get("authenticated")) or {}
    return {
        "instance": Instance(
            **lenient_json.fields(Instance, lenient_json.members(found.get("instance")) or {})[0]
        ),
        "authenticated": bool(proof) or lenient_json.value(found.get("authenticated")) is True,
        "method": lenient_json.text(proof.get("method")),
        "authenticated_at": lenient_json.moment(proof.get("timestamp")),
        "user": decoding.user(found.get("user")),
        "groups": tuple(lenient_json.mapping(one) for one in lenient_json.items(found.get("groups")) or ()),
        "system_rights": decoding.rights(found.get("system_rights")),
        "authentication_methods": _methods(found.get("authentication_methods")),
    }


def _methods(raw: msgspec.Raw | None) -> tuple[str, ...]:
    methods = lenient_json.items(raw) or ()
    names = (lenient_json.text((lenient_json.members(one) or {}).get("method", one)) for one in methods)
    return tuple(name for name in names if name)


def server_error(answer: Response, uuid: str) -> ServerErrorDetails:
    """The details of a server error (wire §4), with secrets taken out of its texts."""
    found = json_members(answer)
    request = lenient_json.members(found.get("request")) or {}
    log = found.get("log")
    return ServerErrorDetails(
        uuid=uuid,
        code=lenient_json.text(found.get("code")),
        description=answer.clean(lenient_json.text(found.get("description"))),
        timestamp=lenient_json.moment(found.get("timestamp")),
        method=lenient_json.text(request.get("method")),
        url=answer.clean(lenient_json.text(request.get("url"))),
        log="" if log is None else answer.clean(_lines(log)),
    )


def _lines(raw: msgspec.Raw) -> str:
    parts = lenient_json.items(raw)
    return lenient_json.spelled(raw) if parts is None else "\n".join(map(lenient_json.spelled, parts))
