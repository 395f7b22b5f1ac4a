"""What the rows of kept tables must fulfil before constraints are made; knows no SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from server_stub.schema.model import Column, Schema, Table
from server_stub.schema.physical import PhysicalTable, column_key
from server_stub.schema.steps import (
    RequireCheck,
    RequireNested,
    RequireTargets,
    RequireUnique,
    RequireValues,
    Step,
)


def requirements(
    current: Schema,
    head: Schema,
    middles: Mapping[int, PhysicalTable],
    new: Mapping[int, PhysicalTable],
) -> Iterator[Step]:
    """Steps that ask only for what is new; `middles` are the tables as they stand at that time."""
    for table in head.tables:
        before = current.tables_by_id.get(table.id)
        if before is not None:
            middle, after = middles[table.id], new[table.id]
            yield from _values(table, middle, after)
            yield from _targets(middle, after, new)
            yield from _checks(before, table, after)
            yield from _uniques(middle, after)
            yield from _nested(before, table, new)


def _values(table: Table, middle: PhysicalTable, after: PhysicalTable) -> Iterator[Step]:
    for column in after.columns:
        if not column.nullable and middle.column(column.key).nullable:
            named = _named(table, column.key)
            yield RequireValues(after.name, column.name, f"{table.name}.{named}")


def _named(table: Table, key: str) -> str:
    return next((column.name for column in table.columns if column_key(column.id) == key), key)


def _targets(middle: PhysicalTable, after: PhysicalTable, new: Mapping[int, PhysicalTable]) -> Iterator[Step]:
    for key in after.foreign_keys:
        if key not in middle.foreign_keys:
            column = after.column(key.column).name
            yield RequireTargets(after.name, column, new[key.target].name, key.title)


def _checks(before: Table, table: Table, after: PhysicalTable) -> Iterator[Step]:
    for column in table.columns:
        was = before.columns_by_id.get(column.id)
        if was is None or (was.check, was.family) != (column.check, column.family):
            name = after.column(column_key(column.id)).name
            if _asks_something(column):
                yield RequireCheck(after.name, name, table.name, column)


def _asks_something(column: Column) -> bool:
    check = column.check
    return check.kind is not None or check.length_min is not None or check.length_max is not None


def _uniques(middle: PhysicalTable, after: PhysicalTable) -> Iterator[Step]:
    for unique in after.uniques:
        if unique not in middle.uniques:
            columns = tuple(after.column(key).name for key in unique.columns)
            where = tuple(after.column(key).name for key in unique.where)
            yield RequireUnique(after.name, unique.name, columns, where)


def _nested(before: Table, table: Table, new: Mapping[int, PhysicalTable]) -> Iterator[Step]:
    for link in table.nested:
        if link.check == "not_empty" and link not in before.nested:
            yield RequireNested(new[table.id].name, new[link.table_id].name)
