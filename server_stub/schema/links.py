"""Rules of links to other tables and of their reverse side (wire §5)."""

from __future__ import annotations

from server_stub.foundation.errors import ApiError
from server_stub.schema.column_types import Family
from server_stub.schema.model import Auto, Column, ForeignKey, Reference, Schema, Table
from server_stub.schema.places import at_column, at_key, at_table

_ACTIONS = ("cascade", "restrict", "set null", "set default")


def check_links(schema: Schema) -> None:
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
    if key.referenced != (Reference(Auto.PRIMARY_KEY),):
        raise ApiError("invalid_value", f'{where}: a link can only reference "{Auto.PRIMARY_KEY}".')
    if column.not_null and "set null" in (key.on_delete, key.on_update):
        where = at_column(table.name, column.name)
        raise ApiError("invalid_value", f'{where}: it is "not_null", so its link cannot "set null".')


def _only_column(table: Table, key: ForeignKey) -> Column | None:
    if len(key.columns) != 1 or isinstance(key.columns[0].column, Auto):
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
