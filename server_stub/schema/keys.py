"""Rules of unique keys and of the names of all keys (wire §5)."""

from __future__ import annotations

from server_stub.foundation.errors import ApiError
from server_stub.schema.column_types import Family
from server_stub.schema.model import Auto, ForeignKey, Reference, Schema, Table, UniqueKey
from server_stub.schema.places import at_column, at_key

# What PostgreSQL's indexes hold.
_MOST_COLUMNS = 32


def check_keys(schema: Schema) -> None:
    """Raises ApiError attribute_expected or invalid_value."""
    for table in schema.tables:
        for key in table.unique_keys:
            _check_unique_key(table, key)
    _check_names(schema)


def _check_unique_key(table: Table, key: UniqueKey) -> None:
    where = at_key(table.name, key.name)
    if not key.columns:
        raise ApiError("attribute_expected", f"{where}: a unique key needs a column.")
    if len(key.columns) > _MOST_COLUMNS:
        raise ApiError("invalid_value", f"{where}: a key has room for {_MOST_COLUMNS} columns.")
    if len({reference.column for reference in key.columns}) < len(key.columns):
        raise ApiError("invalid_value", f"{where}: a column stands twice.")
    for reference in key.columns:
        _check_reference(table, reference, where)


def _check_reference(table: Table, reference: Reference, where: str) -> None:
    if reference.column is Auto.UPLINK and table.owner_id is None:
        raise ApiError("invalid_value", f"{where}: only a nested table has an uplink.")
    if reference.column is Auto.PARENT and not table.is_hierarchical:
        raise ApiError("invalid_value", f"{where}: only a hierarchical table has a parent.")
    column = None if isinstance(reference.column, Auto) else table.columns_by_id[reference.column]
    if reference.unique_true and (column is None or column.family is not Family.BOOLEAN):
        named = where if column is None else at_column(table.name, column.name)
        raise ApiError("invalid_value", f'{named}: "unique_true" needs a boolean column.')


def _check_names(schema: Schema) -> None:
    """Databases keep unique keys beside tables in one room of names, foreign keys with their table."""
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
            # SQLite does not tell capitals apart.
            name = unique_key.name.lower()
            taken = unique_names.setdefault(name, table.name)
            if taken != table.name or name in table_names or name in met:
                where = at_key(table.name, unique_key.name)
                raise ApiError("invalid_value", f'{where}: the table "{taken}" has taken this name.')
            met.add(name)
