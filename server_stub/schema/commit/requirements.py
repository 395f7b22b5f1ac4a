"""What a plan requires of existing rows, and the errors with which rows refuse a commit (§7.5, wire §5)."""

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from time import thread_time

from sqlalchemy import Connection, column, exists, select, table

from server_stub.database.bulk import write_column
from server_stub.foundation.errors import UserError
from server_stub.schema.commit.plan import (
    ConvertValues,
    RequireCheck,
    RequireNested,
    RequireTargets,
    RequireUnique,
    RequireValues,
)
from server_stub.schema.commit.storage_layout import PRIMARY_KEY, UPLINK, main_language, to_json
from server_stub.schema.document.model import TEXT_LIKE, Family
from server_stub.schema.validation.value_checks import UndecidedError, broken_check, parse_json_object

_LOG = logging.getLogger(__name__)

_PAGE = 1000
# Seconds of processor time for one check: other writers wait for the commit.
_LONGEST = 8.0


def require_values(connection: Connection, step: RequireValues) -> None:
    """Raises UserError not_null_violation if a row has no value."""
    quote = connection.dialect.identifier_preparer.quote
    if _finds_row(connection, f"{quote(step.table)} WHERE {quote(step.name)} IS NULL"):
        raise missing_value_error(step)


def require_unique(connection: Connection, step: RequireUnique) -> None:
    """Raises UserError integrity_constraint_violation if two rows share the values of a unique key."""
    quote = connection.dialect.identifier_preparer.quote
    columns = [quote(name) for name in step.columns]
    conditions = [f"{name} IS NOT NULL" for name in columns]
    conditions += [f"{quote(name)} IS TRUE" for name in step.where]
    rows = f"{quote(step.table)} WHERE {' AND '.join(conditions)} GROUP BY {', '.join(columns)}"
    if _finds_row(connection, f"{rows} HAVING count(*) > 1"):
        raise duplicate_error(step)


def _finds_row(connection: Connection, rows: str) -> bool:
    """Whether there is a row; in plain SQL, since SQLAlchemy would compile a statement for every table."""
    return connection.exec_driver_sql(f"SELECT 1 FROM {rows} LIMIT 1").first() is not None  # noqa: S608


def require_targets(connection: Connection, step: RequireTargets) -> None:
    """Raises UserError foreign_key_constraint_violation if a link points to no row."""
    links = table(step.table, column(step.column)).alias("links")
    targets = table(step.target, column(PRIMARY_KEY)).alias("targets")
    link = links.c[step.column]
    found = exists().where(targets.c[PRIMARY_KEY] == link)
    lost = select(1).select_from(links).where(link.is_not(None), ~found).limit(1)
    if connection.execute(lost).first() is not None:
        raise missing_target_error(step)


def require_check(connection: Connection, step: RequireCheck) -> None:
    """Raises UserError check_constraint_violation if a value violates its column's check."""
    check = TimedCheck(step)
    for value in _stored_values(connection, step.table, step.name):
        refusal = check.refusal(value)
        if refusal is not None:
            raise refusal


def require_nested(connection: Connection, step: RequireNested) -> None:
    """Raises UserError check_constraint_violation if a row of the owner has none in the nested table."""
    owners = table(step.owner, column(PRIMARY_KEY)).alias("owners")
    nested = table(step.nested, column(UPLINK)).alias("nested")
    found = exists().where(nested.c[UPLINK] == owners.c[PRIMARY_KEY])
    if connection.execute(select(1).select_from(owners).where(~found).limit(1)).first() is not None:
        raise missing_nested_row_error(step)


def _stored_values(connection: Connection, table_name: str, name: str) -> Iterator[object]:
    source = table(table_name, column(PRIMARY_KEY), column(name))
    key, value = source.c[PRIMARY_KEY], source.c[name]
    page = select(key, value).where(value.is_not(None)).order_by(key).limit(_PAGE)
    rows = connection.execute(page).all()
    while rows:
        yield from (row[1] for row in rows)
        rows = connection.execute(page.where(key > rows[-1][0])).all()


class TimedCheck:
    """A column's check with a limit on the time for all its values."""

    def __init__(self, step: RequireCheck) -> None:
        self._step = step
        self._end = thread_time() + _LONGEST

    def refusal(self, value: object) -> UserError | None:
        """The error if a value violates the check or cannot be decided in time, else None."""
        if thread_time() > self._end:
            return _undecided_check_error(self._step)
        try:
            broken = broken_check(self._step.column, value)
        except UndecidedError:
            return _undecided_check_error(self._step)
        return None if broken is None else _broken_check_error(self._step, broken)


def missing_value_error(step: RequireValues) -> UserError:
    """A row has no value in a required column."""
    return UserError("not_null_violation", column=step.column)


def duplicate_error(step: RequireUnique) -> UserError:
    """Two rows share the values of a unique key."""
    return UserError("integrity_constraint_violation", constraint=step.name)


def missing_target_error(step: RequireTargets) -> UserError:
    """A link points to no row."""
    return UserError("foreign_key_constraint_violation", constraint=step.name)


def _broken_check_error(step: RequireCheck, broken: str) -> UserError:
    """A value violates a check of its column; `broken` names the check."""
    name = f"{step.table_name}__{step.column.name}_{broken}"
    return UserError("check_constraint_violation", constraint=name)


def _undecided_check_error(step: RequireCheck) -> UserError:
    """The values are too long or too many to check in time, which counts as a violation."""
    refusal = _broken_check_error(step, step.column.check.kind or "length")
    _LOG.warning("%s takes too long to decide", refusal.parameters["constraint"])
    return refusal


def missing_nested_row_error(step: RequireNested) -> UserError:
    """A row of the owner has none in the nested table."""
    return UserError("check_constraint_violation", constraint=f"{step.nested}_not_empty")


def inconvertible_value_error(step: ConvertValues, value: object) -> UserError:
    """A value has no counterpart in the new type."""
    return UserError(
        "invalid_value",
        attribute=f"{step.table}.{step.after.name}",
        value=value,
        expected_format=step.after.type,
    )


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
