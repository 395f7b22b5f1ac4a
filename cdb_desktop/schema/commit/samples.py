"""Samples of rows before and after a rehearsed commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cdb_desktop.schema.document.model import Column, Document, Table

MOST_ROWS = 300  # of a table that are compared
_MOST_TABLES = 20
_SHOWN = 4  # rows of each table
_ID = "_id"

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SampledValue:
    """A value of a row; None where it is empty or the column does not exist. Names are empty in that case."""

    row: int
    old_name: str
    new_name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class TableSample:
    """Some rows of a table whose columns have changed; ``new_name`` is empty for a removed table.

    ``compared`` is the number of rows that were compared, ``changed`` of those with a value that differs.
    """

    old_name: str
    new_name: str
    values: tuple[SampledValue, ...]
    compared: int
    changed: int


def sampled_tables(current: Document, head: Document) -> tuple[Table, ...]:
    """The tables of CURRENT whose columns a commit adds, removes or converts, or that it removes."""
    changed = [table for table in current.tables if _is_changed(table, head.by_key.get(table.key))]
    return tuple(changed[:_MOST_TABLES])


def table_sample(table: Table, now: Table | None, before: Sequence[Row], after: Sequence[Row]) -> TableSample:
    """Rows of a table of CURRENT; first those with values that differ. ``now`` is the table in HEAD."""
    pairs = _columns(table, now)
    rows_now = {_id(row): row for row in after}
    found: list[tuple[bool, list[SampledValue]]] = []
    for row in before:
        values = [_value(row, rows_now.get(_id(row), {}), was, column) for was, column in pairs]
        differs = any(value.before != value.after for value in values)
        found.append((differs, [one for one in values if (one.before, one.after) != (None, None)]))
    chosen = sorted((one for one in found if one[1]), key=lambda one: not one[0])[:_SHOWN]
    return TableSample(
        table.name,
        "" if now is None else now.name,
        tuple(value for _, values in chosen for value in values),
        len(before),
        sum(differs for differs, _ in found),
    )


def _is_changed(table: Table, now: Table | None) -> bool:
    return now is None or bool(_columns(table, now))


def _columns(table: Table, now: Table | None) -> list[tuple[Column | None, Column | None]]:
    """The columns that differ, before and after; all of a removed table."""
    after = {} if now is None else dict(now.by_key)
    pairs: list[tuple[Column | None, Column | None]] = []
    for column in table.columns:
        same = after.pop(column.key, None)
        if same is None or (same.name, same.type) != (column.name, column.type):
            pairs.append((column, same))
    return [*pairs, *((None, column) for column in after.values())]


def _value(before: Row, after: Row, was: Column | None, now: Column | None) -> SampledValue:
    return SampledValue(
        _id(before),
        "" if was is None else was.name,
        "" if now is None else now.name,
        None if was is None else before.get(was.name),
        None if now is None else after.get(now.name),
    )


def _id(row: Row) -> int:
    found = row.get(_ID)
    return found if isinstance(found, int) else 0
