"""Rules of one column: its type, its default, its check (wire §5)."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from decimal import Decimal
from math import inf

from server_stub.foundation.errors import ApiError
from server_stub.schema.document.column_types import DATES, NUMBERS, TEXT_LIKE, Family, family
from server_stub.schema.document.locations import at_column
from server_stub.schema.document.model import Bound, Check, Column, Table
from server_stub.schema.validation.patterns import PatternError, compiled_pattern

_CHECKS = ("not_empty", "email", "regexp", "range")
_DEFAULTS: Mapping[Family, type | tuple[type, ...]] = {
    Family.BOOLEAN: bool,
    Family.NUMBER: int,
    Family.DECIMAL: (int, float),
    Family.TEXT: str,
    Family.LOCALIZED: (str, dict),
    Family.DATE: str,
    Family.DATE_TIME: str,
    Family.DATE_RANGE: dict,
}

# The limits of BIGINT and NUMERIC(15,2).
_GREATEST = {Family.NUMBER: 2**63, Family.DECIMAL: 10**13}


def check_column(table: Table, column: Column) -> None:
    """Raises ApiError attribute_expected, type_mismatch or invalid_value."""
    where = at_column(table.name, column.name)
    found = family(column.type)
    if found is None:
        raise ApiError("invalid_value", f'{where}: there is no column type "{column.type}".')
    _check_default(column.default, found, where)
    _check_check(column.check, found, where)
    _check_lengths(column.check, found, where)


def _check_default(default: object, found: Family, where: str) -> None:
    if default is None:
        return
    accepted = _DEFAULTS.get(found)
    if accepted is None:
        raise ApiError("attribute_not_accepted", f'{where}: a {found} column takes no "default".')
    if not isinstance(default, accepted) or (found is not Family.BOOLEAN and isinstance(default, bool)):
        raise ApiError("type_mismatch", f'{where}: "default" must be a {found}.')
    if isinstance(default, int | float) and abs(default) >= _GREATEST.get(found, inf):
        raise ApiError("invalid_value", f'{where}: "default" is too large.')
    if found is Family.DECIMAL and Decimal(str(default)).normalize().as_tuple().exponent < -2:  # type: ignore[operator]
        raise ApiError("invalid_value", f'{where}: "default" has more than two decimal places.')
    if isinstance(default, str) and "\0" in default:
        raise ApiError("invalid_value", f'{where}: "default" holds a character that no database takes.')
    if found in DATES and not all(_is_iso_date(text) for text in _dates_of_default(default)):
        raise ApiError("invalid_value", f'{where}: "default" is no {found} as ISO 8601 writes it.')


def _dates_of_default(default: object) -> list[object]:
    """The date of a date column, or the ends of a range, one of which may be missing."""
    if not isinstance(default, dict):
        return [default]
    return [default[end] for end in ("from", "to") if default.get(end) is not None] or [None]


def _check_check(check: Check, found: Family, where: str) -> None:
    if check.kind is not None and check.kind not in _CHECKS:
        raise ApiError("invalid_value", f'{where}: the check "{check.kind}" is none of {_CHECKS}.')
    if check.kind in ("email", "regexp") and found not in TEXT_LIKE:
        raise ApiError("invalid_value", f'{where}: the check "{check.kind}" needs a text.')
    if check.kind == "regexp" and check.regexp is None:
        raise ApiError("attribute_expected", f'{where}: the check "regexp" needs "check_regexp".')
    if check.regexp is not None:
        _check_regexp(check.regexp, check.flags, where)
    if check.kind == "range":
        _check_range(check, found, where)


def _check_regexp(pattern: str, flags: str, where: str) -> None:
    if flags not in ("", "i"):
        raise ApiError("invalid_value", f'{where}: "check_regexp_flags" may only be "i".')
    try:
        compiled_pattern(pattern, flags)
    except PatternError as error:
        raise ApiError("invalid_value", f'{where}: "check_regexp" does not compile: {error}.') from error


def _check_range(check: Check, found: Family, where: str) -> None:
    if found not in NUMBERS | DATES:
        raise ApiError("invalid_value", f'{where}: the check "range" needs a number or a date.')
    if check.lower is None and check.upper is None:
        raise ApiError("attribute_expected", f'{where}: the check "range" needs a lower or an upper bound.')
    wanted: type | tuple[type, ...] = (int, float) if found in NUMBERS else str
    for bound in (check.lower, check.upper):
        if bound is not None and not isinstance(bound.value, wanted):
            raise ApiError("type_mismatch", f"{where}: the bounds of its range must be a {found}.")
        if bound is not None and found in DATES and not _is_iso_date(bound.value):
            raise ApiError("invalid_value", f'{where}: "{bound.value}" is no date as ISO 8601 writes it.')
    if check.lower is not None and check.upper is not None and not _in_order(check.lower, check.upper):
        raise ApiError("invalid_value", f"{where}: no value lies in its range.")


def _in_order(lower: Bound, upper: Bound) -> bool:
    if isinstance(lower.value, str) or isinstance(upper.value, str):
        first, last = str(lower.value), str(upper.value)
        return first < last or (first == last and not (lower.is_open or upper.is_open))
    return lower.value < upper.value or (lower.value == upper.value and not (lower.is_open or upper.is_open))


def _check_lengths(check: Check, found: Family, where: str) -> None:
    lengths = [length for length in (check.length_min, check.length_max) if length is not None]
    if lengths and found not in TEXT_LIKE:
        raise ApiError("attribute_not_accepted", f"{where}: only a text has a least or greatest length.")
    if any(length < 0 for length in lengths) or lengths != sorted(lengths):
        raise ApiError("invalid_value", f'{where}: no text has these "length_min" and "length_max".')


_DAY = r"(?P<year>[+-]?\d{4,6})(-(?P<month>0[1-9]|1[0-2])(-(?P<day>0[1-9]|[12]\d|3[01]))?)?"
_TIME = r"([01]\d|2[0-4]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"
# The calendar repeats after so many years; monthrange() accepts years of four digits only.
_CYCLE = 400
_ISO_DATE = re.compile(rf"{_DAY}([T ]{_TIME})?", re.ASCII)


def _is_iso_date(value: object) -> bool:
    """Whether a value is an existing date in ISO 8601: a year, a month, a day, or a day with a time."""
    match = _ISO_DATE.fullmatch(value) if isinstance(value, str) else None
    if match is None or match["day"] is None:
        return match is not None
    _, days = monthrange(int(match["year"]) % _CYCLE + _CYCLE, int(match["month"]))
    return int(match["day"]) <= days
