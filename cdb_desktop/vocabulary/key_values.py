"""Parses searches such as ``type=OBJECT_* info.reason="not found"``: fields or keys of info, with values.

A value is compared as a whole; ``*`` matches any text. It ends at the next key, so one that contains an
equals sign must be quoted.
"""

from __future__ import annotations

import re
from typing import Protocol

import msgspec

SHORT = frozenset(  # fields of short records (wire §3)
    {
        "_id",
        "type",
        "timestamp",
        "schema",
        "objecttype",
        "global_object_id",
        "basetype",
        "object_id",
        "object_version",
        "session_self",
        "user._id",
        "user._generated_displayname",
    }
)
_OWN = SHORT | {"pollable", "ipv4_address"}  # names that always mean the field
_ALSO = {"user": "user._generated_displayname"}
_PAIR = re.compile(
    r'\s*(?P<key>[^\s="][^="]*?)\s*=\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>.*?))\s*(?=\Z|\s[^\s="]+\s*=)',
    re.DOTALL,
)
_STAR = re.compile(r"(?<!\\)\*")
_WRITTEN = re.compile(r'\\([*"])')


class KeyValueError(ValueError):
    """A key or an equals sign is missing."""


class Expression(Protocol):
    """A compiled regular expression for paths of values."""

    def fullmatch(self, text: str, /) -> object: ...


class KeyValue(msgspec.Struct, frozen=True):
    """A key with the pieces of its value, between which any text matches."""

    key: str
    pieces: tuple[str, ...]

    @property
    def path(self) -> str:
        """The path of the field, empty if any value of this name matches."""
        folded = self.key.casefold()
        path = _ALSO.get(folded, folded)
        return path if path in _OWN else ""

    @property
    def is_whole(self) -> bool:
        """Whether the value contains no ``*``."""
        return len(self.pieces) == 1

    def ends(self) -> Expression:
        """The expression for the paths of this key."""
        if self.path:
            return re.compile(re.escape(self.path))
        pieces = (re.escape(piece) for piece in _STAR.split(self.key))
        return re.compile(rf"(?:.*\.)?{'.*'.join(pieces)}", re.IGNORECASE | re.DOTALL)


def parse_key_values(text: str) -> tuple[KeyValue, ...]:
    """All pairs of what was typed. Raises KeyValueError."""
    result: list[KeyValue] = []
    place = 0
    while place < len(text) or not result:
        found = _PAIR.match(text, place)
        if found is None:
            raise KeyValueError
        value = found["plain"] if found["quoted"] is None else found["quoted"]
        pieces = tuple(_WRITTEN.sub(r"\1", piece) for piece in _STAR.split(value))
        result.append(KeyValue(found["key"], pieces))
        place = found.end()
    return tuple(result)


def key_value_text(key: str, value: object) -> str:
    """The search for exactly this value of ``key``."""
    text = re.sub(r'([*"])', r"\\\1", str(value))
    return f'{key}="{text}"' if re.search(r"[\s=\\]", text) else f"{key}={text}"
