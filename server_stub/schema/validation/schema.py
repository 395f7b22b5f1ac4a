"""Rules of columns and of a schema, and which changes of committed tables HEAD may make (wire §5)."""

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from math import inf

from server_stub.foundation.errors import ApiError, UserError
from server_stub.schema.document.model import (
    DATES,
    NUMBERS,
    TEXT_LIKE,
    AutoColumn,
    Bound,
    Check,
    Column,
    Family,
    ForeignKey,
    Reference,
    Schema,
    Table,
    UniqueKey,
    at_column,
    at_key,
    at_table,
    family,
    may_change,
)
from server_stub.schema.document.names import is_nested_name
from server_stub.schema.validation.value_checks import PatternError, compiled_pattern


def validate(schema: Schema) -> None:
    """Raises ApiError or UserError for the first broken rule, naming table and column."""
    repeated = [language for language, count in Counter(schema.languages).items() if count > 1]
    if repeated:
        text = f'The schema document: "l10n_languages" has {repeated[0]} twice.'
        raise ApiError("invalid_value", text)
    for table in schema.tables:
        for column in table.columns:
            check_column(table, column)
    _check_nesting(schema)
    _check_links(schema)
    _check_keys(schema)


class TypeChangeError(ApiError):
    """Values of a committed column cannot be converted to its new type."""

    def __init__(self, table: Table, column: Column, before: str) -> None:
        where = at_column(table.name, column.name)
        change = f'from "{before}" to "{column.type}"'
        super().__init__("invalid_value", f"{where}: the type of existing data cannot change {change}.")
        self.column, self.before, self.after = f"{table.name}.{column.name}", before, column.type


def check_changes(current: Schema, head: Schema) -> None:
    """Raises TypeChangeError for a type to which data cannot be converted, ApiError for a changed owner."""
    for table in head.tables:
        committed = current.tables_by_id.get(table.id)
        if committed is not None:
            if committed.owner_id != table.owner_id:
                raise ApiError("invalid_value", f"{at_table(table.name)}: a committed table keeps its owner.")
            for column in table.columns:
                before = committed.columns_by_id.get(column.id)
                if before is not None and not may_change(before.type, column.type):
                    raise TypeChangeError(table, column, before.type)


_TOP_LEVEL_ONLY = frozenset(
    {
        "is_hierarchical",
        "pool_link",
        "acl_table",
        "has_tags",
        "in_main_search",
        "in_facets",
        "require_comment",
    }
)


def _check_nesting(schema: Schema) -> None:
    """Raises UserError invalid_table_name, ApiError attribute_not_accepted or invalid_value."""
    for table in schema.tables:
        if table.owner_id is not None:
            _check_nested(table, schema.tables_by_id[table.owner_id])
        _check_places(table, schema)


def _check_nested(table: Table, owner: Table) -> None:
    if not is_nested_name(table.name, owner.name):
        raise UserError("invalid_table_name", name=table.name)
    unfit = sorted(table.flags & _TOP_LEVEL_ONLY)
    if unfit:
        raise ApiError(
            "attribute_not_accepted", f'{at_table(table.name)}: a nested table cannot have "{unfit[0]}".'
        )
    places = sum(link.table_id == table.id for link in owner.nested)
    if places != 1:
        raise ApiError(
            "invalid_value",
            f'{at_table(table.name)}: its owner "{owner.name}" must have exactly one column of kind "link" '
            f"for it, not {places}.",
        )


def _check_places(table: Table, schema: Schema) -> None:
    for link in table.nested:
        nested = schema.tables_by_id[link.table_id]
        if nested.owner_id != table.id:
            raise ApiError(
                "invalid_value",
                f'{at_table(table.name)}: the column of kind "link" for "{nested.name}" needs a table that '
                f'says in "owned_by" that "{table.name}" owns it.',
            )
        if link.check not in (None, "not_empty"):
            raise ApiError("invalid_value", f'{at_table(nested.name)}: its check can only be "not_empty".')
    repeated = Counter((link.table_id, link.column_id) for link in table.reverse_links).most_common(1)
    if repeated and repeated[0][1] > 1:
        raise ApiError("invalid_value", f"{at_table(table.name)}: a reverse link stands twice.")


_ACTIONS = ("cascade", "restrict", "set null", "set default")


def _check_links(schema: Schema) -> None:
    """Raises ApiError invalid_value."""
    for table in schema.tables:
        for key in table.foreign_keys:
            _check_foreign_key(table, key)
        for column in table.columns:
            if column.family is Family.LINK:
                _check_link(table, column, schema)
            elif column.reverse_edit:
                where = at_column(table.name, column.name)
                raise ApiError("invalid_value", f'{where}: only a link can have "reverse_edit".')
        _check_reverse_links(table, schema)


def _check_foreign_key(table: Table, key: ForeignKey) -> None:
    where = at_key(table.name, key.name)
    for action in (key.on_delete, key.on_update):
        if action not in _ACTIONS:
            raise ApiError("invalid_value", f'{where}: the action "{action}" is none of {_ACTIONS}.')
    column = _only_column(table, key)
    if column is None or column.family is not Family.LINK:
        raise ApiError("invalid_value", f'{where}: it must name exactly one column of the type "link".')
    if key.referenced != (Reference(AutoColumn.PRIMARY_KEY),):
        raise ApiError("invalid_value", f'{where}: a link can only reference "{AutoColumn.PRIMARY_KEY}".')
    if column.not_null and "set null" in (key.on_delete, key.on_update):
        where = at_column(table.name, column.name)
        raise ApiError("invalid_value", f'{where}: it is "not_null", so its link cannot "set null".')


def _only_column(table: Table, key: ForeignKey) -> Column | None:
    if len(key.columns) != 1 or isinstance(key.columns[0].column, AutoColumn):
        return None
    return table.columns_by_id.get(key.columns[0].column)


def _check_link(table: Table, column: Column, schema: Schema) -> None:
    where = at_column(table.name, column.name)
    keys = table.links_of(column)
    if len(keys) != 1:
        raise ApiError("invalid_value", f"{where}: a link needs exactly one foreign key, not {len(keys)}.")
    target = schema.tables_by_id[keys[0].table_id]
    if target.owner_id is not None:
        raise ApiError("invalid_value", f'{where}: "{target.name}" is a nested table and no objecttype.')
    reverse = any((link.table_id, link.column_id) == (table.id, column.id) for link in target.reverse_links)
    if column.reverse_edit and not reverse:
        raise ApiError(
            "invalid_value",
            f'{where}: "reverse_edit" needs a column of kind "reverse_link" in the table "{target.name}".',
        )


def _check_reverse_links(table: Table, schema: Schema) -> None:
    for link in table.reverse_links:
        other = schema.tables_by_id[link.table_id]
        column = other.columns_by_id[link.column_id]
        where = f'{at_table(table.name)}, reverse link to "{other.name}.{column.name}"'
        if not column.reverse_edit:
            raise ApiError("invalid_value", f'{where}: that column must have "reverse_edit".')
        if not any(key.table_id == table.id for key in other.links_of(column)):
            raise ApiError("invalid_value", f"{where}: that column does not link to this table.")


# The limit of PostgreSQL's indexes.
_MOST_COLUMNS = 32


def _check_keys(schema: Schema) -> None:
    """Raises ApiError attribute_expected or invalid_value."""
    for table in schema.tables:
        for key in table.unique_keys:
            where = at_key(table.name, key.name)
            if not key.columns:
                raise ApiError("attribute_expected", f"{where}: a unique key needs a column.")
            if len(key.columns) > _MOST_COLUMNS:
                raise ApiError("invalid_value", f"{where}: a key has room for {_MOST_COLUMNS} columns.")
            if len({reference.column for reference in key.columns}) < len(key.columns):
                raise ApiError("invalid_value", f"{where}: a column stands twice.")
            for reference in key.columns:
                _check_key_reference(table, reference, where)
    _check_key_names(schema)


def _check_key_reference(table: Table, reference: Reference, where: str) -> None:
    if reference.column is AutoColumn.UPLINK and table.owner_id is None:
        raise ApiError("invalid_value", f"{where}: only a nested table has an uplink.")
    if reference.column is AutoColumn.PARENT and not table.is_hierarchical:
        raise ApiError("invalid_value", f"{where}: only a hierarchical table has a parent.")
    column = None if isinstance(reference.column, AutoColumn) else table.columns_by_id[reference.column]
    if reference.unique_true and (column is None or column.family is not Family.BOOLEAN):
        named = where if column is None else at_column(table.name, column.name)
        raise ApiError("invalid_value", f'{named}: "unique_true" needs a boolean column.')


def _check_key_names(schema: Schema) -> None:
    """Databases have one namespace for tables and unique keys, and one per table for foreign keys."""
    unique_names = {table.name: table.name for table in schema.tables}
    table_names = frozenset(unique_names)
    for table in schema.tables:
        own: set[str] = set()
        met: set[str] = set()
        keys: tuple[ForeignKey | UniqueKey, ...] = (*table.foreign_keys, *table.unique_keys)
        for key in keys:
            if not key.name or key.name.startswith("_") or not key.name.isprintable():
                raise ApiError("invalid_value", f"{at_key(table.name, key.name)}: this is no name for a key.")
            if key.name in own:
                raise ApiError("invalid_value", f"{at_key(table.name, key.name)}: this name stands twice.")
            own.add(key.name)
        for unique_key in table.unique_keys:
            # Names are case-insensitive in SQLite.
            name = unique_key.name.lower()
            taken = unique_names.setdefault(name, table.name)
            if taken != table.name or name in table_names or name in met:
                where = at_key(table.name, unique_key.name)
                raise ApiError("invalid_value", f'{where}: the table "{taken}" has taken this name.')
            met.add(name)


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
    lengths = [length for length in (column.check.length_min, column.check.length_max) if length is not None]
    if lengths and found not in TEXT_LIKE:
        raise ApiError("attribute_not_accepted", f"{where}: only a text has a least or greatest length.")
    if any(length < 0 for length in lengths) or lengths != sorted(lengths):
        raise ApiError("invalid_value", f'{where}: no text has these "length_min" and "length_max".')


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
        if check.flags not in ("", "i"):
            raise ApiError("invalid_value", f'{where}: "check_regexp_flags" may only be "i".')
        try:
            compiled_pattern(check.regexp, check.flags)
        except PatternError as error:
            raise ApiError("invalid_value", f'{where}: "check_regexp" does not compile: {error}.') from error
    if check.kind == "range":
        _check_range(check, found, where)


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
