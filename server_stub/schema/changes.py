"""Which changes of committed tables and columns HEAD may make, judged against CURRENT (wire §5)."""

from __future__ import annotations

from server_stub.foundation.errors import ApiError
from server_stub.schema.column_types import may_change
from server_stub.schema.model import Schema, Table
from server_stub.schema.places import at_column, at_table


def check_changes(current: Schema, head: Schema) -> None:
    """Raises ApiError invalid_value for a type that data cannot follow or a table that changes its owner."""
    for table in head.tables:
        committed = current.tables_by_id.get(table.id)
        if committed is not None:
            _check_table(committed, table)


def _check_table(committed: Table, table: Table) -> None:
    if committed.owner_id != table.owner_id:
        raise ApiError("invalid_value", f"{at_table(table.name)}: a committed table keeps its owner.")
    for column in table.columns:
        before = committed.columns_by_id.get(column.id)
        if before is not None and not may_change(before.type, column.type):
            where = at_column(table.name, column.name)
            change = f'from "{before.type}" to "{column.type}"'
            raise ApiError("invalid_value", f"{where}: the type of existing data cannot change {change}.")
