"""Expectations of answers that checks have in common: error objects, members of JSON, rights, callers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any

import msgspec

from server_stub.conformance.client import DeviationError, Reply, cleaned
from server_stub.foundation.resources import resource

EVENT_GET = "system.api.event.get"
EVENT_DELETE = "system.api.event.delete"
DEVELOPMENT = "system.datamodel.development"
COMMIT = "system.datamodel.commit"
INVALID = "error.api.invalid_value"
NOT_ACCEPTED = "error.api.attribute_not_accepted"
MISMATCH = "error.api.type_mismatch"
NOT_AUTHENTICATED = "error.user.not_authenticated"
SESSION_NOT_FOUND = "error.user.session_not_found"
NO_RIGHT = "error.user.no_system_right"
NOT_FOUND = "error.user.instance_not_found"


class CallerSession(StrEnum):
    """The session with which a call is made."""

    SIGNED_IN = "signed in"
    ANONYMOUS = "without a token"
    STRANGER = "with an unknown token"
    UNAUTHENTICATED = "with a session that is not signed in"


class NotTriedError(Exception):
    """A check cannot be made with this service or this log-in. The message is the reason, a sentence."""


def expect(condition: object, sentence: str) -> None:
    """Raises DeviationError with a sentence unless a condition holds."""
    if not condition:
        raise DeviationError(sentence)


def succeed(reply: Reply) -> Reply:
    """The reply, which must be 200."""
    expect(reply.status == 200, f"{reply.request}: expected 200, the answer is {reply}.")
    return reply


def member(found: Mapping[str, Any], name: str, kind: type, where: str) -> Any:
    """A member of a JSON object. Raises DeviationError if it is missing or has another type."""
    expect(name in found, f"{where}: {name} is missing.")
    value = found[name]
    expect(type(value) is kind, f"{where}: {name} is {shown(value)}, expected {_KINDS[kind]}.")
    return value


_KINDS = {str: "a text", int: "a whole number", bool: "true or false", dict: "an object", list: "a list"}


def shown(value: object) -> str:
    """A value of the service as JSON, short."""
    try:
        return cleaned(msgspec.json.encode(value).decode()[:2000])
    except (TypeError, ValueError, OverflowError, RecursionError):
        return "a value that cannot be shown"


@cache
def catalogue() -> Mapping[str, Mapping[str, Any]]:
    """The error codes of §7 and the vendor's other spellings of them."""
    found = msgspec.json.decode(resource("errors.json").read_bytes())
    errors: dict[str, Mapping[str, Any]] = found["errors"]
    return errors | {alias: errors[code] for alias, code in found["aliases"].items()}


def error_of(reply: Reply) -> dict[str, Any]:
    """The error object of a refusal (§2.3). Raises DeviationError."""
    expect(reply.status >= 400, f"{reply.request}: expected a refusal, the answer is {reply}.")
    error = reply.object()
    for name in ("realm", "code"):
        expect(isinstance(error.get(name), str), f"{reply.request}: no error object with {name}: {reply}.")
    return error


def refuse(
    reply: Reply, *codes: str, status: int = 400, parameters: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The error object of a reply, which must have one of the codes, the status and these parameters."""
    wanted = " or ".join(codes) if codes else "an error of the realm api"
    expected = f"{reply.request}: expected {status} {wanted}"
    expect(reply.status == status, f"{expected}, the answer is {reply}.")
    error = error_of(reply)
    if codes:
        expect(error["code"] in codes, f"{expected}, the answer is {reply}.")
    realm = error["code"].split(".")[1] if error["code"].count(".") > 1 else ""
    expect(error["realm"] == realm and (codes or realm == "api"), f"{expected}, the answer is {reply}.")
    for name, value in (parameters or {}).items():
        given = error.get("parameters")
        found = given.get(name) if isinstance(given, dict) else None
        expect(found == value, f"{expected} with the parameter {name}={value!r}, the answer is {reply}.")
    return error
