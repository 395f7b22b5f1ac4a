"""A complete event: its values with their paths, its JSON, and its differences from another event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import MASK
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.vocabulary.event_json import INFO, SHORT_FIELDS, indented_json, leaves, wire_record
from cdb_desktop.vocabulary.pattern import PatternError, key_value_text, parse_key_values
from cdb_desktop.vocabulary.times import exact_time

_COLUMNS = {
    "_id": "id",
    "timestamp": "time",
    "user._id": "user_id",
    "user._generated_displayname": "user",
    "user.group._generated_displayname": "user",
    "remote_addr": "ipv4_address",
}
_SAME_NAME_COLUMNS = frozenset((*SHORT_FIELDS[2:], "pollable", "system_object_id", "ipv4_address"))


# The fields of the first groups in their order. Other fields of the user are with the user, all others last.
_WHAT = ("type", "objecttype", "basetype", "object_id", "object_version")
_WHO = (
    "user._generated_displayname",
    "user._id",
    "user.group._generated_displayname",
    "user.group._id",
)
_WHERE = (
    "timestamp",
    "ipv4_address",
    "remote_addr",
    "session.created",
    "session.expired",
    "session.token",
    "session_self",
)


class RecordField(msgspec.Struct, frozen=True):
    """A field of a record: its path on the wire, its name for people, and its value as text."""

    path: str
    name: str
    text: str


class FieldGroup(msgspec.Struct, frozen=True):
    """Fields under a title, in the language in use."""

    title: str
    fields: tuple[RecordField, ...]


class EventDetails(msgspec.Struct, frozen=True):
    """What the inspector shows of an event; ``is_whole``: the service has sent the whole record."""

    event: Event
    values: tuple[tuple[str, object], ...]
    info: Any
    json: str
    is_whole: bool

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Names and values as texts, times in the time zone in use."""
        return tuple((name, _text(value)) for name, value in self.values)

    @property
    def groups(self) -> tuple[FieldGroup, ...]:
        """The fields in groups: what happened, who did it, when and where, and the rest of the record."""
        texts = dict(self.fields)
        of_user = tuple(path for path in texts if path.startswith("user.") and path not in _WHO)
        first = (
            (tr("What"), _WHAT),
            (tr("Who"), (*_WHO, *of_user)),
            (tr("When and where"), _WHERE),
        )
        placed = {path for _title, paths in first for path in paths}
        rest = tuple(path for path in texts if path not in placed)
        names = _names()
        groups = (
            FieldGroup(
                title,
                tuple(
                    RecordField(path, names.get(path, path), texts[path]) for path in paths if path in texts
                ),
            )
            for title, paths in (*first, (tr("Record"), rest))
        )
        return tuple(group for group in groups if group.fields)


def event_details(event: Event, *, is_whole: bool) -> EventDetails:
    """The details of an event. Takes some milliseconds for each 100 kB of info."""
    record = wire_record(event)
    return EventDetails(
        event, tuple(_values(record)), record["event"].get("info"), indented_json(record), is_whole
    )


class PathStep(msgspec.Struct, frozen=True):
    """A step of a path: a key, or with ``in_list`` the index of an entry of a list."""

    name: str
    in_list: bool = False


class RecordLine(msgspec.Struct, frozen=True):
    """A value in a record: the steps of its path, the value, and the text that is shown of it."""

    steps: tuple[PathStep, ...]
    value: Any
    text: str

    @property
    def path(self) -> str:
        """The path as text, such as ``info.search.0.string``."""
        return ".".join(step.name for step in self.steps)

    @property
    def json(self) -> str:
        """Path and value as JSON."""
        return _json({self.path: self.value})

    @property
    def column(self) -> str:
        """The column that shows such values, or empty."""
        path = self.path
        if path.startswith(INFO):
            # A dot in a key would be taken for a separator.
            return "" if any("." in step.name or not step.name for step in self.steps) else path
        return path if path in _SAME_NAME_COLUMNS else _COLUMNS.get(path, "")

    @property
    def search(self) -> str:
        """A search text that finds all events with this value under this key, or empty.

        It ignores the indexes of list entries. An event is found by its id instead of a search.
        """
        value = self.value if isinstance(self.value, str) else _json(self.value).strip('"')
        if isinstance(self.value, dict | list) or not value or MASK in value or self.path == "_id":
            return ""
        key = ".".join("*" if step.in_list else step.name for step in self.steps)
        text = key_value_text(key, value)
        return text if _is_read_as(text, key, value) else ""


class ComparedValue(msgspec.Struct, frozen=True):
    """The values of two events under one path, None where an event has none."""

    path: str
    left: str | None
    right: str | None

    @property
    def sign(self) -> str:
        """``~`` if both differ, ``−`` or ``+`` if only the left or the right has a value, else empty."""
        if self.left == self.right:
            return ""
        if self.right is None:
            return "−"
        return "+" if self.left is None else "~"


def compare_events(left: Event, right: Event) -> tuple[ComparedValue, ...]:
    """All values in the order of the left event, those that only the right has at the end."""
    first, second = dict(leaves(left)), dict(leaves(right))
    paths = dict.fromkeys((*first, *second))
    return tuple(ComparedValue(path, first.get(path), second.get(path)) for path in paths)


def _names() -> dict[str, str]:
    """The names of known fields for people."""
    return {
        "_id": tr("Id"),
        "type": tr("Type"),
        "timestamp": tr("Time"),
        "schema": tr("Schema"),
        "basetype": tr("Base type"),
        "objecttype": tr("Object type"),
        "object_id": tr("Object id"),
        "object_version": tr("Version"),
        "global_object_id": tr("Global id"),
        "pollable": tr("Pollable"),
        "ipv4_address": tr("IP address"),
        "remote_addr": tr("IP address"),
        "system_object_id": tr("System object id"),
        "session_self": tr("Own session"),
        "session.token": tr("Session token"),
        "session.created": tr("Session since"),
        "session.expired": tr("Session until"),
        "user._id": tr("User id"),
        "user._generated_displayname": tr("User"),
        "user.group._generated_displayname": tr("Group"),
        "user.group._id": tr("Group id"),
    }


def _values(record: Mapping[str, Any]) -> Iterable[tuple[str, object]]:
    for part, prefix in (("event", ""), ("user", "user."), ("_session", "session.")):
        for key, value in record.get(part, {}).items():
            if key == "group" and isinstance(value, Mapping):
                yield from ((f"{prefix}{key}.{inner}", one) for inner, one in value.items())
            elif key != "info":
                yield prefix + key, value


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return exact_time(value)
    return value if isinstance(value, str) else _json(value)


def _is_read_as(text: str, key: str, value: str) -> bool:
    """Whether a search text is parsed as this pair; keys with blanks or equals signs are not."""
    try:
        pairs = parse_key_values(text)
    except PatternError:
        return False
    return len(pairs) == 1 and pairs[0].key == key and pairs[0].pieces == (value,)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
