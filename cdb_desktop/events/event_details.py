"""One whole event for reading: fields, info and JSON; and rows for a spreadsheet. No I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import MASK
from cdb_desktop.vocabulary.event_json import INFO, SHORT_FIELDS, indented_json, leaves, wire_record
from cdb_desktop.vocabulary.key_values import KeyValueError, key_value_text, parse_key_values
from cdb_desktop.vocabulary.times import exact_time


class EventDetails(msgspec.Struct, frozen=True):
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


def event_details(event: Event, *, is_whole: bool) -> EventDetails:
    """The event taken apart; takes some milliseconds for each 100 kB of info."""
    record = wire_record(event)
    return EventDetails(
        event, tuple(_values(record)), record["event"].get("info"), indented_json(record), is_whole
    )


def _values(record: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
    for part, prefix in (("event", ""), ("user", "user."), ("_session", "session.")):
        for key, value in record.get(part, {}).items():
            if key != "info":
                yield prefix + key, value


def _shown(value: Any) -> str:
    if isinstance(value, datetime):
        return exact_time(value)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


_COLUMNS = {
    "_id": "id",
    "timestamp": "time",
    "user._id": "user_id",
    "user._generated_displayname": "user",
}
_SAME = frozenset((*SHORT_FIELDS[2:], "pollable", "ipv4_address"))


class PathStep(msgspec.Struct, frozen=True):
    """A key, or the place of one entry ``in_list``."""

    name: str
    in_list: bool = False


class RecordLine(msgspec.Struct, frozen=True):
    """The steps that lead to a value, from the record down, the value, and the text that is shown of it."""

    steps: tuple[PathStep, ...]
    value: Any
    text: str

    @property
    def path(self) -> str:
        """``info.search.0.string``."""
        return ".".join(step.name for step in self.steps)

    @property
    def json(self) -> str:
        """Path and value as JSON."""
        return _json({self.path: self.value})

    @property
    def column(self) -> str:
        """The column that shows such values, empty where there is none."""
        path = self.path
        if path.startswith(INFO):
            # A dot within a key would be taken for a step to another one.
            return "" if any("." in step.name or not step.name for step in self.steps) else path
        return path if path in _SAME else _COLUMNS.get(path, "")

    @property
    def search(self) -> str:
        """What finds all events with this value, empty where nothing does: such a key with its value.

        The places of entries in lists do not count, and one event is found by its number, not by a search.
        """
        value = self.value if isinstance(self.value, str) else _json(self.value).strip('"')
        if isinstance(self.value, dict | list) or not value or MASK in value or self.path == "_id":
            return ""
        key = ".".join("*" if step.in_list else step.name for step in self.steps)
        told = key_value_text(key, value)
        return told if _is_read_as(told, key, value) else ""


def _is_read_as(text: str, key: str, value: str) -> bool:
    """Keys with blanks or equals signs, say, cannot be typed."""
    try:
        pairs = parse_key_values(text)
    except KeyValueError:
        return False
    return len(pairs) == 1 and pairs[0].key == key and pairs[0].pieces == (value,)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


class ComparedValue(msgspec.Struct, frozen=True):
    """One value of either event; None where an event has none under this path."""

    path: str
    left: str | None
    right: str | None

    @property
    def sign(self) -> str:
        """``~`` where both have it and differ, ``−`` and ``+`` where only the left or the right has it."""
        if self.left == self.right:
            return ""
        if self.right is None:
            return "−"
        return "+" if self.left is None else "~"


def compare_events(left: Event, right: Event) -> tuple[ComparedValue, ...]:
    """All values in the order of the left event, those that only the right has at the end."""
    first, second = dict(leaves(left)), dict(leaves(right))
    return tuple(
        ComparedValue(path, first.get(path), second.get(path)) for path in dict.fromkeys((*first, *second))
    )
