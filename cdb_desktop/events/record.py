"""One whole event for reading: fields, info and JSON; and rows for a spreadsheet. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.event_json import indented_json, wire_record
from cdb_desktop.vocabulary.times import exact_time


class Details(msgspec.Struct, frozen=True):
    """What is shown of one event; ``is_whole`` tells whether the service has sent all of it."""

    event: Event
    values: tuple[tuple[str, object], ...]
    info: Any
    json: str
    is_whole: bool

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Names and values as texts, times in the zone of the moment."""
        return tuple((name, _shown(value)) for name, value in self.values)


def details(event: Event, *, is_whole: bool) -> Details:
    """The event taken apart; takes some milliseconds for each 100 kB of info."""
    record = wire_record(event)
    return Details(
        event, tuple(_values(record)), record["event"].get("info"), indented_json(record), is_whole
    )


def as_tsv(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells for a spreadsheet; what would break a row becomes a blank."""
    return "\n".join("\t".join(re.sub(r"[\t\r\n]+", " ", cell) for cell in row) for row in rows)


def _values(record: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
    for part, prefix in (("event", ""), ("user", "user."), ("_session", "session.")):
        for key, value in record.get(part, {}).items():
            if key != "info":
                yield prefix + key, value


def _shown(value: Any) -> str:
    if isinstance(value, datetime):
        return exact_time(value)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
