"""One whole event for reading and copying: fields, info and JSON, session tokens masked. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import MASK, redact
from cdb_desktop.vocabulary.times import exact_time

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


class Details(msgspec.Struct, frozen=True):
    """What is shown of one event; ``is_whole`` tells whether the service has sent all of it."""

    event: Event
    fields: tuple[tuple[str, str], ...]
    info: Any
    json: str
    is_whole: bool


def details(event: Event, *, is_whole: bool) -> Details:
    """The event taken apart; takes some milliseconds for each 100 kB of info."""
    record = wire_record(event)
    return Details(event, tuple(_fields(record)), record["event"].get("info"), _text(record), is_whole)


def wire_record(event: Event) -> dict[str, Any]:
    """The record in the shape of wire §3, keys without a value left out, secrets masked."""
    inner = {_key(name): getattr(event, name) for name in _OF_EVENT if getattr(event, name) not in (None, "")}
    if not event.session_self:
        inner.pop("session_self")
    if event.info is not None:
        inner["info"] = event.info_value
    inner.update(event.unknown)
    session = {
        "token": event.session_token and MASK,
        "created": event.session_created,
        "expired": event.session_expired,
    }
    told = {key: value for key, value in session.items() if value}
    user = dict(event.user) or _user(event)
    return {
        key: masked(value) for key, value in (("event", inner), ("user", user), ("_session", told)) if value
    }


def as_json(events: Iterable[Event]) -> str:
    """One record, or a list of several."""
    records = [wire_record(event) for event in events]
    return _text(records[0] if len(records) == 1 else records)


def as_tsv(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells for a spreadsheet; what would break a row becomes a blank."""
    return "\n".join("\t".join(re.sub(r"[\t\r\n]+", " ", cell) for cell in row) for row in rows)


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


def _fields(record: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for part, prefix in (("event", ""), ("user", "user."), ("_session", "session.")):
        for key, value in record.get(part, {}).items():
            if key != "info":
                yield prefix + key, _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, datetime):
        return exact_time(value)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _text(record: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(record), indent=2).decode()


def _key(name: str) -> str:
    return "_id" if name == "id" else name


def _user(event: Event) -> dict[str, object]:
    told = {"_id": event.user_id, "_generated_displayname": event.user_displayname}
    return {key: value for key, value in told.items() if value is not None}
