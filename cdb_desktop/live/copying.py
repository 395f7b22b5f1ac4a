"""Events as text for the clipboard: JSON as the service writes records (wire §3), or a table. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import MASK, redact
from cdb_desktop.vocabulary.references import object_of, user_of
from cdb_desktop.vocabulary.times import exact_time

_HEAD = ("_id", "timestamp", "type", "user", "object")
_BODY = (
    ("_id", "id"),
    *((name, name) for name in ("type", "timestamp", "schema", "objecttype", "global_object_id", "basetype")),
    *((name, name) for name in ("object_id", "object_version", "pollable", "ipv4_address")),
)


def as_json(events: Sequence[Event]) -> str:
    """One record as an object, several as an array; nothing in them signs in (wire §3)."""
    records = [_record(event) for event in events]
    told = records[0] if len(records) == 1 else records
    text = msgspec.json.format(msgspec.json.encode(told)).decode()
    # Looking for secrets takes long; short records have no part in which one could stand.
    return redact(text) if any(event.info or event.unknown for event in events) else text


def as_table(events: Iterable[Event]) -> str:
    """A line of names and a line for each event, cells separated by tabs."""
    rows = [
        (str(event.id), exact_time(event.timestamp), event.type, user_of(event), object_of(event))
        for event in events
    ]
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in (_HEAD, *rows))


def _record(event: Event) -> dict[str, object]:
    body = {key: value for key, name in _BODY if (value := getattr(event, name)) is not None}
    if event.session_self:
        body["session_self"] = True
    if event.info is not None:
        body["info"] = event.info_value
    record: dict[str, object] = {"event": {**body, **event.unknown}}
    if event.user:
        record["user"] = event.user
    if event.session_token:
        record["_session"] = {"token": MASK}
    return record
