"""Versions of objects, which the interface does not describe: not tried on a service without the call."""

from __future__ import annotations

from server_stub.conformance.check import Basis, Group
from server_stub.conformance.client import Reply, get
from server_stub.conformance.context import Context, Json
from server_stub.conformance.expectations import (
    EVENT_GET,
    NOT_FOUND,
    NotTriedError,
    expect,
    member,
    refuse,
    succeed,
)

_UNKNOWN_CALL = (404, 405, 501)
_GONE = ("error.user.object_not_found", "error.user.objecttype_not_found", "error.user.old_schema_missing")
_FAR = "987654321"
# How many objects of the log are tried until one exists.
_MOST = 5

VERSIONS = Group("Versions of objects", (EVENT_GET,))


def _objects(context: Context) -> list[tuple[str, int]]:
    """Some user objects that occur in the log."""
    events = [record["event"] for record in context.sample]
    found = [
        (event["objecttype"], event["object_id"])
        for event in events
        if isinstance(event.get("objecttype"), str) and isinstance(event.get("object_id"), int)
    ]
    if not found:
        raise NotTriedError("No sampled event concerns an object.")
    return list(dict.fromkeys(found))[:_MOST]


def _read(context: Context, name: str, number: int, **params: str) -> Reply:
    reply = context.call(get(f"db/{name}/_all_fields/{number}", **params))
    code = _code(reply)
    if reply.status in _UNKNOWN_CALL or code.startswith("error.api.invalid_api"):
        raise NotTriedError("The service does not offer objects at this address.")
    return reply


def _code(reply: Reply) -> str:
    if reply.status < 400 or reply.media_type != "application/json":
        return ""
    return str(reply.object().get("code", ""))


def _existing(context: Context) -> tuple[str, int, Json]:
    for name, number in _objects(context):
        reply = _read(context, name, number)
        if _code(reply) not in _GONE:
            return name, number, _inner(reply, name)
    raise NotTriedError("None of the objects in the sampled events exists any more.")


def _inner(reply: Reply, name: str) -> Json:
    """The fields of the object; deployed services answer a list of one object."""
    found = succeed(reply).json()
    if isinstance(found, list):
        expect(len(found) == 1, f"{reply.request}: the list has {len(found)} objects, expected one.")
        found = found[0]
    expect(isinstance(found, dict), f"{reply.request}: the answer is not an object.")
    inner: Json = member(found, name, dict, str(reply.request))
    member(inner, "_version", int, str(reply.request))
    return inner


@VERSIONS.check("§6", "GET db/<objecttype>/_all_fields/<id> reads the newest version", Basis.DECISION)
def _newest(context: Context) -> None:
    name, number, found = _existing(context)
    expect(found.get("_id") == number, f"{name} {number}: _id is {found.get('_id')!r}.")


@VERSIONS.check(
    "§6", "GET db/<objecttype>/_all_fields/<id>?version=1 reads the first version", Basis.DECISION
)
def _first(context: Context) -> None:
    name, number, _ = _existing(context)
    reply = _read(context, name, number, version="1")
    if _code(reply) in _GONE:
        raise NotTriedError("The service has not kept the first version of the object.")
    version = _inner(reply, name)["_version"]
    expect(version == 1, f"{reply.request}: _version is {version}, expected 1.")


@VERSIONS.check("§6", "GET db/<objecttype>/_all_fields/<id> of a version to come is refused", Basis.DECISION)
def _future(context: Context) -> None:
    name, number, _ = _existing(context)
    refuse(_read(context, name, number, version=_FAR), NOT_FOUND)
