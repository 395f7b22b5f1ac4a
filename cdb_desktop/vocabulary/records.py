"""Events as JSON records in the shape in which the service writes them (wire §3), secrets masked. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import MASK, redact

_SECRET = re.compile(r"(?i)token|passw(or)?d|secret")
_OF_EVENT = (
    "id",
    "type",
    "timestamp",
    "schema",
    "basetype",
    "objecttype",
    "object_id",
    "object_version",
    "global_object_id",
    "session_self",
    "pollable",
    "ipv4_address",
)


def wire_record(event: Event) -> dict[str, Any]:
    """The record in the shape of wire §3, keys without a value left out, secrets masked."""
    inner = {_key(name): value for name in _OF_EVENT if (value := getattr(event, name)) not in (None, "")}
    if not event.session_self:
        inner.pop("session_self")
    # Looking for secrets takes long; the parts above have no room for one.
    if event.info is not None:
        inner["info"] = masked(event.info_value)
    inner.update(masked(event.unknown))
    session = {
        "token": event.session_token and MASK,
        "created": event.session_created,
        "expired": event.session_expired,
    }
    told = {key: value for key, value in session.items() if value}
    user = masked(event.user) or _user(event)
    return {key: value for key, value in (("event", inner), ("user", user), ("_session", told)) if value}


def as_json(events: Iterable[Event]) -> str:
    """One record as an object, several as an array, set for reading."""
    records = [wire_record(event) for event in events]
    return readable(records[0] if len(records) == 1 else records)


def as_line(event: Event) -> bytes:
    """One record as a line of JSON with its end."""
    return msgspec.json.encode(wire_record(event)) + b"\n"


def readable(value: Any) -> str:
    """A value as JSON, set for reading."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def masked(value: Any) -> Any:
    """``value`` without tokens and passwords, in keys or in texts such as addresses."""
    if isinstance(value, Mapping):
        return {
            key: MASK if isinstance(one, str) and one and _SECRET.search(key) else masked(one)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [masked(one) for one in value]
    return redact(value) if isinstance(value, str) else value


def _key(name: str) -> str:
    return "_id" if name == "id" else name


def _user(event: Event) -> dict[str, object]:
    told = {"_id": event.user_id, "_generated_displayname": event.user_displayname}
    return {key: value for key, value in told.items() if value is not None}
