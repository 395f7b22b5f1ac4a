"""Writes whole records as the service writes a page of CSV, for events that no filter finds. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from cdb_desktop.client import CsvOptions, Event
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.sheet import BOM, Dialect
from cdb_desktop.vocabulary.event_json import SHORT_FIELDS, wire_record

_OF_EVENT = (*SHORT_FIELDS, "pollable")
_OF_USER = ("user_id", "user_generated_displayname")
COLUMNS = (*_OF_EVENT, *_OF_USER, "session", "ipv4_address")  # and info; no record has the type of its user


def csv_page(events: Sequence[Event], options: CsvOptions, *, is_first: bool = True) -> bytes:
    """Header and rows in the service's columns, secrets masked; a byte order mark goes before the first."""
    dialect = Dialect(options.delimiter, options.quote, options.escape)
    infos = [_info(event, options) for event in events]
    names = sorted({name for info in infos for name in info}) if options.explode else ["info"]
    longest = options.max_length or None
    lines = [dialect.record([*COLUMNS, *names])]
    for event, info in zip(events, infos, strict=True):
        cells = [*_cells(event), *(info.get(name, "") for name in names)]
        lines.append(dialect.record([cell[:longest] for cell in cells]))
    return (BOM if is_first and options.use_bom else b"") + b"".join(lines)


def _cells(event: Event) -> list[str]:
    told = msgspec.to_builtins(wire_record(event)).get("event", {})
    known = {
        **told,
        "timestamp": event.timestamp.isoformat() if event.timestamp else None,
        "user_id": event.user_id,
        "user_generated_displayname": event.user_displayname,
        "session": MASK if event.session_token else None,
    }
    return [as_cell(known.get(name)) for name in COLUMNS]


def _info(event: Event, options: CsvOptions) -> dict[str, str]:
    info = msgspec.to_builtins(wire_record(event)).get("event", {}).get("info")
    if options.explode and isinstance(info, Mapping):
        return _leaves(info, "info.", options.explode_array_concat)
    return {"info": "" if info is None else msgspec.json.encode(info).decode()}


def _leaves(value: Mapping[str, object], prefix: str, between: str | None) -> dict[str, str]:
    """One key a column, nested keys dotted; an object whose column is taken stays whole."""
    found: dict[str, str] = {}
    for key, inner in sorted(value.items(), key=lambda one: isinstance(one[1], Mapping)):
        name = prefix + key
        leaves = _leaves(inner, f"{name}.", between) if isinstance(inner, Mapping) and inner else {}
        found |= leaves if leaves and found.keys().isdisjoint(leaves) else {name: as_cell(inner, between)}
    return found


def as_cell(value: object, between: str | None = None) -> str:
    """A value as CSV holds it; the entries of a list are joined by ``between``, else it stays a list."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and between is not None:
        return between.join(as_cell(one, between) for one in value)
    return msgspec.json.encode(value).decode()
