"""The types of columns, in families, and which changes of type preserve the data (wire §5)."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache


class Family(StrEnum):
    """Types that hold the same kind of value, independent of their spelling."""

    TEXT = "text"
    LOCALIZED = "localized text"
    NUMBER = "number"
    SERIAL = "serial number"
    DECIMAL = "decimal number"
    BOOLEAN = "boolean"
    DATE = "date"
    DATE_TIME = "date and time"
    DATE_RANGE = "date range"
    FILE = "file"
    LINK = "link"
    CUSTOM = "custom data"


_FAMILIES = {
    "text": Family.TEXT,
    "text_oneline": Family.TEXT,
    "string": Family.TEXT,
    "text_l10n": Family.LOCALIZED,
    "text_l10n_oneline": Family.LOCALIZED,
    "number": Family.NUMBER,
    "integer": Family.NUMBER,
    "serial": Family.SERIAL,
    "integer.2": Family.DECIMAL,
    "decimal.2": Family.DECIMAL,
    "boolean": Family.BOOLEAN,
    "date": Family.DATE,
    "date_time": Family.DATE_TIME,
    "datetime": Family.DATE_TIME,
    "date_range": Family.DATE_RANGE,
    "daterange": Family.DATE_RANGE,
    "eas": Family.FILE,
    "assetsvc": Family.FILE,
    "link": Family.LINK,
}
_CUSTOM = re.compile(r"custom:base(\.[A-Za-z0-9_-]+){2,}")

TEXT_LIKE = frozenset({Family.TEXT, Family.LOCALIZED})
NUMBERS = frozenset({Family.NUMBER, Family.SERIAL, Family.DECIMAL})
DATES = frozenset({Family.DATE, Family.DATE_TIME, Family.DATE_RANGE})

_CHANGES = {
    Family.TEXT: TEXT_LIKE,
    Family.LOCALIZED: TEXT_LIKE,
    Family.DATE: TEXT_LIKE | {Family.DATE_TIME, Family.DATE_RANGE},
    Family.DATE_TIME: TEXT_LIKE | {Family.DATE, Family.DATE_RANGE},
    Family.DATE_RANGE: TEXT_LIKE,
    Family.NUMBER: TEXT_LIKE | {Family.DECIMAL},
    Family.DECIMAL: TEXT_LIKE | {Family.NUMBER},
}


@lru_cache(maxsize=256)
def family(type_name: str) -> Family | None:
    """The family of a type as a document spells it, None when there is no such type."""
    if _CUSTOM.fullmatch(type_name):
        return Family.CUSTOM
    return _FAMILIES.get(type_name)


def is_plain_cast(before: Family, after: Family) -> bool:
    """Whether every database's own CAST converts any value as we would, so that no row need be read."""
    return (before, after) == (Family.NUMBER, Family.TEXT)


def may_change(old: str, new: str) -> bool:
    """Whether an existing column of type `old` may become one of type `new`."""
    before, after = family(old), family(new)
    if before is None or after is None:
        return False
    if before is after:
        return before is not Family.CUSTOM or old == new
    return after in _CHANGES.get(before, frozenset())
