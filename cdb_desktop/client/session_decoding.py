"""Decodes sessions, settings, server error details (wire §2, §4, §6) and faults; any part may be missing."""

from __future__ import annotations

from typing import Any

import msgspec

from cdb_desktop.client import lenient_json
from cdb_desktop.client.error_responses import answer_error
from cdb_desktop.client.records import (
    Fault,
    FaultInjection,
    Instance,
    ServerErrorDetails,
    Session,
    Settings,
    User,
)
from cdb_desktop.client.request import Response
from cdb_desktop.client.responses import json_members


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


def settings(answer: Response) -> Settings:
    """The description of the service (wire §6)."""
    return Settings(**lenient_json.fields(Settings, json_members(answer))[0])


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


def fault_injection(answer: Response) -> FaultInjection:
    """The faults that the reference server injects."""
    found = json_members(answer)
    settings = lenient_json.mapping(found.get("configuration"))
    rate, seed, chosen = (settings.get(name) for name in ("rate", "seed", "faults"))
    faults = (lenient_json.members(one) or {} for one in lenient_json.items(found.get("faults")) or ())
    return FaultInjection(
        active=lenient_json.value(found.get("active")) is True,
        rate=rate if isinstance(rate, int | float) else 0.0,
        seed=seed if isinstance(seed, int) else 0,
        chosen=tuple(map(str, chosen)) if isinstance(chosen, list) else None,
        faults=tuple(Fault(**lenient_json.fields(Fault, one)[0]) for one in faults),
        injected=lenient_json.amount(found.get("injected")) or 0,
    )


def _composed(found: lenient_json.Members) -> dict[str, Any]:
    proof = lenient_json.members(found.get("authenticated")) or {}
    return {
        "instance": Instance(
            **lenient_json.fields(Instance, lenient_json.members(found.get("instance")) or {})[0]
        ),
        "authenticated": bool(proof) or lenient_json.value(found.get("authenticated")) is True,
        "method": lenient_json.text(proof.get("method")),
        "authenticated_at": lenient_json.moment(proof.get("timestamp")),
        "user": _user(found.get("user")),
        "groups": tuple(lenient_json.mapping(one) for one in lenient_json.items(found.get("groups")) or ()),
        "system_rights": _rights(found.get("system_rights")),
        "authentication_methods": _methods(found.get("authentication_methods")),
    }


def _user(raw: msgspec.Raw | None) -> User | None:
    outer = lenient_json.members(raw)
    if outer is None:
        return None
    inner = lenient_json.members(outer.get("user"))
    return User(**lenient_json.fields(User, outer if inner is None else inner)[0])


def _rights(raw: msgspec.Raw | None) -> dict[str, object]:
    names = lenient_json.items(raw)
    return lenient_json.mapping(raw) if names is None else {lenient_json.text(name): {} for name in names}


def _methods(raw: msgspec.Raw | None) -> tuple[str, ...]:
    methods = lenient_json.items(raw) or ()
    names = (lenient_json.text((lenient_json.members(one) or {}).get("method", one)) for one in methods)
    return tuple(name for name in names if name)


def _lines(raw: msgspec.Raw) -> str:
    parts = lenient_json.items(raw)
    return lenient_json.spelled(raw) if parts is None else "\n".join(map(lenient_json.spelled, parts))
