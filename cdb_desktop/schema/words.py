"""Sentences that can be translated: a text with named gaps and what fills them. Knows only English."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Words(msgspec.Struct, frozen=True):
    """A text such as ``Rename table {old} to {new}`` and its parameters; ``str()`` fills them in English."""

    text: str
    parameters: Mapping[str, str | int] = msgspec.field(default_factory=dict)

    def __str__(self) -> str:
        return self.text.format_map(self.parameters)


def words(text: str, /, **parameters: str | int) -> Words:
    """The words of ``text`` filled with ``parameters``."""
    return Words(text, parameters)


def counted(count: int, one: str, many: str, **parameters: str) -> Words:
    """``one`` for a count of 1, else ``many``; both may hold ``{count}`` and the other parameters."""
    return words(one if count == 1 else many, count=count, **parameters)


def shown_value(value: object) -> str:
    """A value of an attribute as a person reads it: texts as they are, anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
