"""Reads an event record that holds more, less or other things than wire §3 tells, and keeps all of it."""

from __future__ import annotations

import msgspec

from cdb_desktop.client import lenient
from cdb_desktop.client.records import Event, Reason

_PARTS = ("event", "user", "_user", "_session")
_ALIASES = {  # spellings of §2.1, where a service writes its records flat
    "base_type": "basetype",
    "user_generated_displayname": "user_displayname",
}
_OF_USER = {"_id": "user_id", "_generated_displayname": "user_displayname"}
_OF_SESSION = {"token": "session_token", "created": "session_created", "expired": "session_expired"}
_IDS = range(-(2**63), 2**63)  # what a service can count with, and whoever shows or keeps an id


def unusual_record(raw: msgspec.Raw) -> Event | Reason:
    """The event, or why there is none: only a record that is no object, has no ``_id`` or is nested
    too deeply is given up."""
    if lenient.is_too_deep(raw):
        return "nested too deeply"
    record = lenient.members(raw)
    if record is None:
        return "not an object"
    told = _flat(record)
    arguments, unknown = lenient.fields(Event, told)
    if "id" not in arguments:
        return "no whole number as _id" if "_id" in told else "no _id"
    return Event(**(arguments | {"unknown": unknown})) if arguments["id"] in _IDS else "an _id beyond 64 bits"


def _flat(record: lenient.Members) -> dict[str, msgspec.Raw]:
    outside = {key: raw for key, raw in record.items() if key not in _PARTS}
    body = lenient.members(record.get("event")) or {}
    found = {_ALIASES.get(key, key): raw for key, raw in (outside | dict(body)).items()}
    return found | _user(record) | _session(record)


def _user(record: lenient.Members) -> dict[str, msgspec.Raw]:
    raw = record.get("user") or record.get("_user")
    if raw is None:
        return {}
    told = lenient.members(raw) or {}
    return {"user": raw} | {name: told[key] for key, name in _OF_USER.items() if key in told}


def _session(record: lenient.Members) -> dict[str, msgspec.Raw]:
    raw = record.get("_session")
    told = lenient.members(raw)
    if told is None:
        return {} if raw is None else {"_session": raw}
    return {_OF_SESSION.get(key, f"_session.{key}"): one for key, one in told.items()}
