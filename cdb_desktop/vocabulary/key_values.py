"""Reads ``key=value key="other value"``: names of fields, or of what stands in info, with values. No I/O.

A value is compared as a whole, and ``*`` in it stands for any text. It goes on to the next key; one with an
equals sign of its own stands in quotes.
"""

from __future__ import annotations

import re
from typing import Protocol

import msgspec

SHORT = frozenset(  # what a short record has as well as a full one (wire §3)
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
_OWN = SHORT | {"pollable", "ipv4_address"}  # names of fields, which mean nothing else
_ALSO = {"user": "user._generated_displayname"}
_PAIR = re.compile(
    r'\s*(?P<key>[^\s="][^="]*?)\s*=\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>.*?))\s*(?=\Z|\s[^\s="]+\s*=)',
    re.DOTALL,
)
_STAR = re.compile(r"(?<!\\)\*")
_WRITTEN = re.compile(r'\\([*"])')


class KeyValueError(ValueError):
    """There is no key, or no equals sign."""


class Expression(Protocol):
    """What is compared with the path of a value."""

    def fullmatch(self, text: str, /) -> object: ...


class KeyValue(msgspec.Struct, frozen=True):
    """A key with the pieces of its value, between which any text may stand."""

    key: str
    pieces: tuple[str, ...]

    @property
    def path(self) -> str:
        """The path of the field that is meant, empty where it may be any value of this name."""
        folded = self.key.casefold()
        path = _ALSO.get(folded, folded)
        return path if path in _OWN else ""

    @property
    def is_whole(self) -> bool:
        """Whether the value is compared as it stands."""
        return len(self.pieces) == 1

    def ends(self) -> Expression:
        """What paths of this key are like."""
        if self.path:
            return re.compile(re.escape(self.path))
        pieces = (re.escape(piece) for piece in _STAR.split(self.key))
        return re.compile(rf"(?:.*\.)?{'.*'.join(pieces)}", re.IGNORECASE | re.DOTALL)


def parse_key_values(text: str) -> tuple[KeyValue, ...]:
    """All pairs of what was typed. Raises PairsError."""
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
    """A key with exactly this value, as it is typed."""
    text = re.sub(r'([*"])', r"\\\1", str(value))
    return f'{key}="{text}"' if re.search(r"[\s=\\]", text) else f"{key}={text}"
