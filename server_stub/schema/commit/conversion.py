"""Converts values from one family of types to another (wire §5), and refuses what would lose something.

Values are as columns keep them: numbers, text, ISO dates and times, JSON for what has parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation

from sqlalchemy import Connection, column, select, table

from server_stub.database.ddl_support import write_column
from server_stub.schema.commit.requirements import inconvertible_value_error
from server_stub.schema.commit.step_types import ConvertValues
from server_stub.schema.commit.storage_layout import PRIMARY_KEY, main_language, to_json
from server_stub.schema.document.column_types import TEXT_LIKE, Family
from server_stub.schema.validation.value_checks import parse_json_object

_CENT = Decimal("0.01")
_LIMIT = Decimal(10) ** 13
_DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
_NO_TIME = re.compile(rf"{_DAY.pattern}([T ]00:00(:00(\.0+)?)?(Z|[+-]\d\d:?\d\d)?)?")
_MOMENT = re.compile(rf"({_DAY.pattern})[T ]\d{{2}}:\d{{2}}.*")


class InconvertibleError(ValueError):
    """The value has no counterpart in the other type."""


def convert_value(value: object, before: Family, after: Family, languages: tuple[str, ...]) -> int | str:
    """The value in the form of the other family; `languages` are the schema's, the main one first.

    Raises InconvertibleError if the value cannot be represented.
    """
    if after in TEXT_LIKE:
        text = _plain_text(value, before, languages)
        return text if after is Family.TEXT else to_json({main_language(languages): text})
    convert = _CONVERTERS.get((before, after))
    if convert is None:
        raise InconvertibleError(f"no way from {before} to {after}")
    return convert(value)


def can_lose_detail(before: Family, after: Family) -> bool:
    """Whether a conversion can lose detail: from date and time to date, the time of day."""
    return (before, after) == (Family.DATE_TIME, Family.DATE)


def loses_detail(value: object, before: Family, after: Family) -> bool:
    """Whether the conversion of this value loses detail."""
    return can_lose_detail(before, after) and _NO_TIME.fullmatch(str(value)) is None


def _plain_text(value: object, before: Family, languages: tuple[str, ...]) -> str:
    match before:
        case Family.LOCALIZED:
            return _only_text(value, languages)
        case Family.DATE_RANGE:
            return _interval(value)
        case Family.DECIMAL:
            return _decimal_text(value)
        case _:
            return str(value)


def _only_text(value: object, languages: tuple[str, ...]) -> str:
    """The text of the only filled language, or the same in all; a value that is not JSON is plain text."""
    texts = parse_json_object(value)
    if texts is None:
        return str(value)
    filled = {str(text) for text in texts.values() if text not in (None, "")}
    if len(filled) > 1:
        raise InconvertibleError(f"texts in {len(filled)} languages of {languages}")
    return filled.pop() if filled else ""


def _interval(value: object) -> str:
    """`from/to` as in ISO 8601; a range of one day becomes that day."""
    ends = parse_json_object(value)
    if ends is None:
        return str(value)
    start, end = str(ends.get("from") or ".."), str(ends.get("to") or "..")
    return start if start == end else f"{start}/{end}"


def _decimal_text(value: object) -> str:
    try:
        return str(Decimal(str(value)).quantize(_CENT))
    except InvalidOperation:
        return str(value)


def _number_to_decimal(value: object) -> int:
    number = _decimal(value)
    if number != int(number) or abs(number) >= _LIMIT:
        raise InconvertibleError("not a number of 13 digits")
    return int(number)


def _decimal_to_number(value: object) -> int:
    number = _decimal(value)
    if number != int(number):
        raise InconvertibleError("a fraction")
    return int(number)


def _decimal(value: object) -> Decimal:
    try:
        number = Decimal(str(value))
    except InvalidOperation as error:
        raise InconvertibleError("not a number") from error
    if not number.is_finite():
        raise InconvertibleError("not a finite number")
    return number


def _date_to_moment(value: object) -> str:
    return f"{_matching(_DAY, value)[0]}T00:00:00"


def _moment_to_date(value: object) -> str:
    """The day of a date and time."""
    text = str(value)
    return text if _DAY.fullmatch(text) else _matching(_MOMENT, value)[1]


def _date_to_range(value: object) -> str:
    day = _matching(_DAY, value)[0]
    return to_json({"from": day, "to": day})


def _moment_to_range(value: object) -> str:
    moment = _matching(_MOMENT, value)[0]
    return to_json({"from": moment, "to": moment})


def _matching(pattern: re.Pattern[str], value: object) -> re.Match[str]:
    found = pattern.fullmatch(str(value))
    if found is None:
        raise InconvertibleError("not a date as it must be")
    return found


_CONVERTERS: Mapping[tuple[Family, Family], Callable[[object], int | str]] = {
    (Family.NUMBER, Family.DECIMAL): _number_to_decimal,
    (Family.DECIMAL, Family.NUMBER): _decimal_to_number,
    (Family.DATE, Family.DATE_TIME): _date_to_moment,
    (Family.DATE_TIME, Family.DATE): _moment_to_date,
    (Family.DATE, Family.DATE_RANGE): _date_to_range,
    (Family.DATE_TIME, Family.DATE_RANGE): _moment_to_range,
}


_PAGE = 1000


def convert_values(connection: Connection, step: ConvertValues) -> None:
    """Converts the values of a column, in pages of rows.

    Raises UserError invalid_value with the column and the value if one cannot be converted.
    """
    rows = table(step.table, column(PRIMARY_KEY), column(step.source), column(step.target))
    key, source = rows.c[PRIMARY_KEY], rows.c[step.source]
    page = select(key, source).where(source.is_not(None)).order_by(key).limit(_PAGE)
    convert = _converter(step)
    found = connection.execute(page).all()
    while found:
        written = [(convert(value), row) for row, value in found]
        write_column(connection, step.table, PRIMARY_KEY, step.target, written)
        found = connection.execute(page.where(key > found[-1][0])).all()


def _converter(step: ConvertValues) -> Callable[[object], int | str]:
    before, after, languages = step.before.family, step.after.family, step.languages

    def convert(value: object) -> int | str:
        try:
            return convert_value(value, before, after, languages)
        except InconvertibleError as error:
            raise inconvertible_value_error(step, value) from error

    return convert
