"""Reads sessions, settings and server error details (wire §2, §4, §6) from whatever part of them was sent."""

from __future__ import annotations

from typing import Any

import msgspec

from cdb_desktop.client import lenient
from cdb_desktop.client.decode import json_members
from cdb_desktop.client.failures import answer_error
from cdb_desktop.client.records import Instance, ServerErrorDetails, Session, Settings, User
from cdb_desktop.client.wire import Answer


def session(answer: Answer, token: str | None = None) -> Session:
    """The session of an answer; ``token`` is kept where the answer repeats none.

    Raises AnswerError where there is no token at all, ServiceError.
    """
    found = json_members(answer)
    arguments, _ = lenient.fields(Session, found)
    arguments.setdefault("token", token)
    if not arguments["token"]:
        raise answer_error(answer, "no token in a session", "token")
    return Session(**(arguments | _composed(found)))


def settings(answer: Answer) -> Settings:
    """What the service tells about itself (wire §6)."""
    return Settings(**lenient.fields(Settings, json_members(answer))[0])


def server_error(answer: Answer, uuid: str) -> ServerErrorDetails:
    """The details of a server error (wire §4), with secrets taken out of its texts."""
    found = json_members(answer)
    request = lenient.members(found.get("request")) or {}
    log = found.get("log")
    return ServerErrorDetails(
        uuid=uuid,
        code=lenient.text(found.get("code")),
        description=answer.clean(lenient.text(found.get("description"))),
        timestamp=lenient.moment(found.get("timestamp")),
        method=lenient.text(request.get("method")),
        url=answer.clean(lenient.text(request.get("url"))),
        log="" if log is None else answer.clean(_lines(log)),
    )


def _composed(found: lenient.Members) -> dict[str, Any]:
    proof = lenient.members(found.get("authenticated")) or {}
    return {
        "instance": Instance(**lenient.fields(Instance, lenient.members(found.get("instance")) or {})[0]),
        "authenticated": bool(proof) or lenient.value(found.get("authenticated")) is True,
        "method": lenient.text(proof.get("method")),
        "authenticated_at": lenient.moment(proof.get("timestamp")),
        "user": _user(found.get("user")),
        "groups": tuple(lenient.mapping(one) for one in lenient.items(found.get("groups")) or ()),
        "system_rights": _rights(found.get("system_rights")),
        "authentication_methods": _methods(found.get("authentication_methods")),
    }


def _user(raw: msgspec.Raw | None) -> User | None:
    outer = lenient.members(raw)
    if outer is None:
        return None
    inner = lenient.members(outer.get("user"))
    return User(**lenient.fields(User, outer if inner is None else inner)[0])


def _rights(raw: msgspec.Raw | None) -> dict[str, object]:
    names = lenient.items(raw)
    return lenient.mapping(raw) if names is None else {lenient.text(name): {} for name in names}


def _methods(raw: msgspec.Raw | None) -> tuple[str, ...]:
    told = lenient.items(raw) or ()
    names = (lenient.text((lenient.members(one) or {}).get("method", one)) for one in told)
    return tuple(name for name in names if name)


def _lines(raw: msgspec.Raw) -> str:
    parts = lenient.items(raw)
    return lenient.spelled(raw) if parts is None else "\n".join(map(lenient.spelled, parts))
