"""The types of columns in families, and which changes of type the service makes (wire §5)."""

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

_IN_TEXTS = (TypeFamily.TEXT, TypeFamily.LOCALIZED)
# The families to which values can be changed as they are.
_VALUE_KEEPING: dict[TypeFamily | None, tuple[TypeFamily, ...]] = {
    TypeFamily.TEXT: (TypeFamily.LOCALIZED,),
    TypeFamily.DATE: (*_IN_TEXTS, TypeFamily.DATE_TIME, TypeFamily.DATE_RANGE),
    TypeFamily.DATE_RANGE: _IN_TEXTS,
    TypeFamily.DATE_TIME: (*_IN_TEXTS, TypeFamily.DATE_RANGE),
    TypeFamily.INTEGER: (*_IN_TEXTS, TypeFamily.DECIMAL),
    TypeFamily.DECIMAL: _IN_TEXTS,
}
# Also allowed, but a value may lose its other languages, its time of day or its fraction.
_NARROWING = (
    (TypeFamily.LOCALIZED, TypeFamily.TEXT),
    (TypeFamily.DATE_TIME, TypeFamily.DATE),
    (TypeFamily.DECIMAL, TypeFamily.INTEGER),
)


def type_family(spelling: str) -> TypeFamily | None:
    """The family of a type, None for an unknown one."""
    found = _FAMILIES.get(spelling)
    if found is None and _CUSTOM.fullmatch(spelling):
        return TypeFamily.CUSTOM
    return found


def is_change_allowed(before: str, after: str) -> bool:
    """Whether the service changes a committed column from one type to the other."""
    return keeps_values(before, after) or (type_family(before), type_family(after)) in _NARROWING


def keeps_values(before: str, after: str) -> bool:
    """Whether a change of type keeps every value as it is."""
    was, now = type_family(before), type_family(after)
    if was is now and was not in (None, TypeFamily.CUSTOM):
        return True
    return before == after or now in _VALUE_KEEPING.get(was, ())
