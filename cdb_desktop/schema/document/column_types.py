"""The types of columns in families, and which changes of type the service makes (wire §5)."""

from __future__ import annotations

import re
from enum import Enum

_CUSTOM = re.compile(r"custom:base\.[^.\s]+\.\S+")


class TypeFamily(Enum):
    """Types with the same kind of values in any spelling."""

    TEXT = "text"
    LOCALIZED = "localized text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    SERIAL = "serial number"
    BOOLEAN = "boolean"
    DATE = "date"
    DATE_TIME = "date and time"
    DATE_RANGE = "date range"
    FILE = "file"
    LINK = "link"
    CUSTOM = "custom"


# All spellings in the documentation and in exported files; the first one is used for new columns.
SPELLINGS = {
    TypeFamily.TEXT: ("text", "text_oneline", "string"),
    TypeFamily.LOCALIZED: ("text_l10n", "text_l10n_oneline"),
    TypeFamily.INTEGER: ("number", "integer"),
    TypeFamily.DECIMAL: ("integer.2", "decimal.2"),
    TypeFamily.SERIAL: ("serial",),
    TypeFamily.BOOLEAN: ("boolean",),
    TypeFamily.DATE: ("date",),
    TypeFamily.DATE_TIME: ("datetime", "date_time"),
    TypeFamily.DATE_RANGE: ("daterange", "date_range"),
    TypeFamily.FILE: ("eas", "assetsvc"),
    TypeFamily.LINK: ("link",),
}
TEXTS = frozenset({TypeFamily.TEXT, TypeFamily.LOCALIZED})
NUMBERS = frozenset({TypeFamily.INTEGER, TypeFamily.DECIMAL, TypeFamily.SERIAL})
DATES = frozenset({TypeFamily.DATE, TypeFamily.DATE_TIME, TypeFamily.DATE_RANGE})

_FAMILIES = {spelling: type_family for type_family, spellings in SPELLINGS.items() for spelling in spellings}

_VALUE_KEEPING = frozenset(
    {
        (TypeFamily.TEXT, TypeFamily.LOCALIZED),
        (TypeFamily.DATE, TypeFamily.TEXT),
        (TypeFamily.DATE, TypeFamily.LOCALIZED),
        (TypeFamily.DATE_RANGE, TypeFamily.TEXT),
        (TypeFamily.DATE_RANGE, TypeFamily.LOCALIZED),
        (TypeFamily.DATE_TIME, TypeFamily.TEXT),
        (TypeFamily.DATE_TIME, TypeFamily.LOCALIZED),
        (TypeFamily.DATE, TypeFamily.DATE_TIME),
        (TypeFamily.DATE, TypeFamily.DATE_RANGE),
        (TypeFamily.DATE_TIME, TypeFamily.DATE_RANGE),
        (TypeFamily.INTEGER, TypeFamily.TEXT),
        (TypeFamily.INTEGER, TypeFamily.LOCALIZED),
        (TypeFamily.DECIMAL, TypeFamily.TEXT),
        (TypeFamily.DECIMAL, TypeFamily.LOCALIZED),
        (TypeFamily.INTEGER, TypeFamily.DECIMAL),
    }
)
# Also allowed, but a value may lose its other languages, its time of day or its fraction.
_NARROWING = frozenset(
    {
        (TypeFamily.LOCALIZED, TypeFamily.TEXT),
        (TypeFamily.DATE_TIME, TypeFamily.DATE),
        (TypeFamily.DECIMAL, TypeFamily.INTEGER),
    }
)


def type_family(spelling: str) -> TypeFamily | None:
    """The family of a type, None for an unknown one."""
    found = _FAMILIES.get(spelling)
    if found is None and _CUSTOM.fullmatch(spelling):
        return TypeFamily.CUSTOM
    return found


def is_change_allowed(before: str, after: str) -> bool:
    """Whether the service changes a committed column from one type to the other."""
    return before == after or keeps_values(before, after) or _families_of(before, after) in _NARROWING


def keeps_values(before: str, after: str) -> bool:
    """Whether a change of type keeps every value as it is."""
    pair = _families_of(before, after)
    if pair[0] is pair[1] and pair[0] not in (None, TypeFamily.CUSTOM):
        return True
    return before == after or pair in _VALUE_KEEPING


def _families_of(before: str, after: str) -> tuple[TypeFamily | None, TypeFamily | None]:
    return type_family(before), type_family(after)
