"""Decodes sessions (wire §2) and details of server errors (wire §4), of which any part may be missing."""

from __future__ import annotations

from typing import Any

import msgspec

from cdb_desktop.client import decoding, lenient_json
from cdb_desktop.client.records import Instance, ServerErrorDetails, Session
from cdb_desktop.client.request import Response
from cdb_desktop.client.responses import answer_error, json_members


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
