"""Words in which the museum's datamodel is written, with German and English names; knows no JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

_LAST = 99


class Label(msgspec.Struct, frozen=True):
    """The name that people read."""

    german: str
    english: str


class Life(msgspec.Struct, frozen=True):
    """The versions of the schema in which a piece stands, both ends included."""

    first: int = 1
    last: int = _LAST

    def covers(self, version: int) -> bool:
        """Whether the piece stands in a version."""
        return self.first <= version <= self.last


ALWAYS = Life()


def since(version: int) -> Life:
    """From a version on."""
    return Life(first=version)


def until(version: int) -> Life:
    """Up to a version."""
    return Life(last=version)


@dataclass(frozen=True, slots=True)
class Field:
    """A column; `was` is the name that the same column had before, `target` the objecttype it links to."""

    name: str
    type: str
    label: Label
    life: Life = ALWAYS
    options: Mapping[str, object] = field(default_factory=dict)
    was: str | None = None
    target: str | None = None


class Reverse(msgspec.Struct, frozen=True):
    """The place in a table where the rows of another one that link to it are edited."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class Objecttype:
    """A table; a nested one stands among its owner's members and names only its own part of the name."""

    name: str
    label: Label
    members: tuple[Member, ...]
    life: Life = ALWAYS
    options: Mapping[str, object] = field(default_factory=dict)
    unique: tuple[tuple[str, ...], ...] = ()


Member = Field | Reverse | Objecttype


def column(name: str, type_: str, german: str, english: str, life: Life = ALWAYS, **options: object) -> Field:
    """A column that holds values; `options` are attributes of the document."""
    return Field(name, type_, Label(german, english), life, options)


def link(name: str, target: str, german: str, english: str, **options: object) -> Field:
    """A column that links to an objecttype."""
    return Field(name, "link", Label(german, english), ALWAYS, options, target=target)


def nested(
    name: str,
    german: str,
    english: str,
    *members: Member,
    life: Life = ALWAYS,
    unique: tuple[tuple[str, ...], ...] = (),
) -> Objecttype:
    """A table inside its owner; the key `unique` counts within one owner's row."""
    return Objecttype(name, Label(german, english), members, life, unique=unique)
