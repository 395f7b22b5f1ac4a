"""One line of a record that is taken apart: its path, its value, and what can be done with them. No I/O."""

from __future__ import annotations

from typing import Any

import msgspec

from cdb_desktop.client.redaction import MASK
from cdb_desktop.vocabulary.event_json import INFO, SHORT_FIELDS
from cdb_desktop.vocabulary.key_values import KeyValueError, key_value_text, parse_key_values

_COLUMNS = {
    "_id": "id",
    "timestamp": "time",
    "user._id": "user_id",
    "user._generated_displayname": "user",
}
_SAME = frozenset((*SHORT_FIELDS[2:], "pollable", "ipv4_address"))


class Step(msgspec.Struct, frozen=True):
    """A key, or the place of one entry ``in_list``."""

    name: str
    in_list: bool = False


class Line(msgspec.Struct, frozen=True):
    """The steps that lead to a value, from the record down, the value, and the text that is shown of it."""

    steps: tuple[Step, ...]
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
