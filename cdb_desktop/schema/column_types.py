"""The types of columns in families, and which changes of type the service makes (wire §5)."""

from __future__ import annotations

import re
from enum import Enum


class Family(Enum):
    """Types that hold the same kind of value, whatever their spelling."""

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


# What documentation and real files hold; the first spelling of each family is the one for new columns.
SPELLINGS = {
    Family.TEXT: ("text", "text_oneline", "string"),
    Family.LOCALIZED: ("text_l10n", "text_l10n_oneline"),
    Family.INTEGER: ("number", "integer"),
    Family.DECIMAL: ("integer.2", "decimal.2"),
    Family.SERIAL: ("serial",),
    Family.BOOLEAN: ("boolean",),
    Family.DATE: ("date",),
    Family.DATE_TIME: ("datetime", "date_time"),
    Family.DATE_RANGE: ("daterange", "date_range"),
    Family.FILE: ("eas", "assetsvc"),
    Family.LINK: ("link",),
}
TEXTS = frozenset({Family.TEXT, Family.LOCALIZED})
NUMBERS = frozenset({Family.INTEGER, Family.DECIMAL, Family.SERIAL})
DATES = frozenset({Family.DATE, Family.DATE_TIME, Family.DATE_RANGE})

_FAMILIES = {spelling: family for family, spellings in SPELLINGS.items() for spelling in spellings}
_CUSTOM = re.compile(r"custom:base\.[^.\s]+\.\S+")

_KEEPING = frozenset(
    {
        (Family.TEXT, Family.LOCALIZED),
        (Family.DATE, Family.TEXT),
        (Family.DATE, Family.LOCALIZED),
        (Family.DATE_RANGE, Family.TEXT),
        (Family.DATE_RANGE, Family.LOCALIZED),
        (Family.DATE_TIME, Family.TEXT),
        (Family.DATE_TIME, Family.LOCALIZED),
        (Family.DATE, Family.DATE_TIME),
        (Family.DATE, Family.DATE_RANGE),
        (Family.DATE_TIME, Family.DATE_RANGE),
        (Family.INTEGER, Family.TEXT),
        (Family.INTEGER, Family.LOCALIZED),
        (Family.DECIMAL, Family.TEXT),
        (Family.DECIMAL, Family.LOCALIZED),
        (Family.INTEGER, Family.DECIMAL),
    }
)
# Allowed as well, but a value may lose its other languages, its time of day or its fraction.
_NARROWING = frozenset(
    {
        (Family.LOCALIZED, Family.TEXT),
        (Family.DATE_TIME, Family.DATE),
        (Family.DECIMAL, Family.INTEGER),
    }
)


def family(spelling: str) -> Family | None:
    """The family of a type as it is spelt, None for one that nobody has seen."""
    found = _FAMILIES.get(spelling)
    if found is None and _CUSTOM.fullmatch(spelling):
        return Family.CUSTOM
    return found


def may_change(before: str, after: str) -> bool:
    """Whether the service changes a committed column from one type to the other."""
    return before == after or is_keeping(before, after) or _pair(before, after) in _NARROWING


def is_keeping(before: str, after: str) -> bool:
    """Whether a change of type keeps every value as it is."""
    pair = _pair(before, after)
    if pair[0] is pair[1] and pair[0] not in (None, Family.CUSTOM):
        return True
    return before == after or pair in _KEEPING


def _pair(before: str, after: str) -> tuple[Family | None, Family | None]:
    return family(before), family(after)
