"""Rules of nested tables: their owner, their place in it, their name, what they may not have (wire §5)."""

from __future__ import annotations

from collections import Counter

from server_stub.foundation.errors import ApiError, UserError
from server_stub.schema.model import Schema, Table
from server_stub.schema.names import is_nested_name
from server_stub.schema.places import at_table

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


def check_nesting(schema: Schema) -> None:
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
