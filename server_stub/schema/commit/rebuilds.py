"""Changes of tables that SQLite makes slowly: they are collected, and each table is rebuilt once (wire §5).

A column that is renamed or added waits until something needs it in the database. Usually that is the change
of constraints at the end, which is done by the same rebuild; rows are checked under the old names until then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import msgspec
from sqlalchemy import Connection

from server_stub.database.ddl_support import SlowTables, rebuild_table
from server_stub.schema.commit.sql_tables import sql_table
from server_stub.schema.commit.step_types import (
    AddColumn,
    AlterTable,
    CommitPlan,
    RenameColumn,
    RenameTable,
    RequireCheck,
    RequireTargets,
    RequireUnique,
    RequireValues,
)
from server_stub.schema.commit.storage_layout import PhysicalTable

_RowCheck = TypeVar("_RowCheck", RequireValues, RequireUnique, RequireTargets, RequireCheck)


class _PendingRebuild(msgspec.Struct, frozen=True):
    """A table as it is in the database, and as it is after the collected steps."""

    existing: PhysicalTable
    wanted: PhysicalTable


class Rebuilds:
    """The rebuilds of one commit; `finish` must be called at its end."""

    def __init__(self, connection: Connection, plan: CommitPlan) -> None:
        self._connection = connection
        self._names: Mapping[int, str] = plan.names
        self._renamed_from: Mapping[int, PhysicalTable] = plan.renamed_from
        self._slow_tables = SlowTables(connection)
        self._is_slow: dict[str, bool] = {}
        self._pending: dict[str, _PendingRebuild] = {}

    def take(self, step: RenameColumn | AddColumn | AlterTable) -> bool:
        """Collects or makes a change; returns False if the database itself makes it faster."""
        shape = step.before if isinstance(step, AlterTable) else step.shape
        if not self._rebuilds(shape.name):
            return False
        pending = self._pending.pop(shape.name, None)
        existing = shape if pending is None else pending.existing
        match step:
            case RenameColumn():
                self._pending[shape.name] = _PendingRebuild(existing, shape.renamed(step.old, step.new))
            case AddColumn():
                columns = (*shape.columns, step.column)
                self._pending[shape.name] = _PendingRebuild(existing, replace(shape, columns=columns))
            case AlterTable():
                self._rebuild(existing, step.after)
        return True

    def rename_tables(self, steps: Sequence[RenameTable], alter: Callable[[RenameTable], None]) -> None:
        """Renames tables by copying them, or by `alter` where the database itself is faster.

        Must come before any other change of these tables. The tables that link to a copied table are rebuilt
        too, since their foreign keys contain its name.
        """
        before = {step.table_id: step.old for step in reversed(steps)}
        linking = self._linking_tables(before)
        copied = {
            key
            for key, name in before.items()
            if self._rebuilds(name) and all(self._rebuilds(self._name(each, before)) for each in linking[key])
        }
        if len(copied) < len(before) and not {step.new for step in steps}.isdisjoint(before.values()):
            # SQLite changes foreign keys by their text, so they must not contain a name that is still to
            # be given away.
            copied.clear()
        for step in steps:
            if step.table_id not in copied:
                alter(step)
        for step in steps:
            if step.table_id in copied:
                self._rebuild(replace(self._renamed_from[step.table_id], name=step.old), name=step.new)
        for key in {each for target in copied for each in linking[target]} - copied:
            self._rebuild(replace(self._renamed_from[key], name=self._names[key]))
        self._is_slow.clear()

    def _linking_tables(self, targets: Container[int]) -> Mapping[int, set[int]]:
        """The ids of other tables with foreign keys to each of these tables."""
        linking: dict[int, set[int]] = defaultdict(set)
        for table in self._renamed_from.values():
            for key in table.foreign_keys:
                if key.target in targets and key.target != table.id:
                    linking[key.target].add(table.id)
        return linking

    def _name(self, table_id: int, before: Mapping[int, str]) -> str:
        return before.get(table_id, self._names[table_id])

    def with_existing_names(self, check: _RowCheck) -> _RowCheck:
        """A check of rows under the names in the database; makes the changes that it needs."""
        pending = self._pending.get(check.table)
        if pending is None:
            return check
        keys = {column.name: column.key for column in pending.wanted.columns}
        names = {column.key: column.name for column in pending.existing.columns}
        if all(keys[name] in names for name in _columns(check)):
            return _renamed(check, {name: names[keys[name]] for name in _columns(check)})
        self.flush(check.table)
        return check

    def has_default(self, check: RequireValues) -> bool:
        """Whether all rows get a value because the column is only added now."""
        pending = self._pending.get(check.table)
        if pending is None:
            return False
        column = next(column for column in pending.wanted.columns if column.name == check.name)
        return pending.existing.find(column.key) is None and column.default is not None

    def flush(self, table_name: str) -> None:
        """Makes the pending changes of a table."""
        pending = self._pending.pop(table_name, None)
        if pending is not None:
            self._rebuild(pending.existing, pending.wanted)

    def finish(self) -> None:
        """Makes all changes that still wait."""
        for name in tuple(self._pending):
            self.flush(name)

    def _rebuilds(self, table_name: str) -> bool:
        if table_name not in self._is_slow:
            self._is_slow[table_name] = table_name in self._slow_tables
        return self._is_slow[table_name]

    def _rebuild(
        self, before: PhysicalTable, after: PhysicalTable | None = None, *, name: str | None = None
    ) -> None:
        """Rebuilds a table with other columns and foreign keys, or under another name."""
        after = after or before
        # Unique keys are left unchanged: they have steps of their own.
        wanted = replace(after, name=name or before.name, uniques=before.uniques)
        existing = {column.key: column for column in before.columns}
        pairs = [(column, existing[column.key]) for column in after.columns if column.key in existing]
        sources = {column.name: source.name for column, source in pairs}
        casts = {column.name for column, source in pairs if column.storage is not source.storage}
        rebuild_table(self._connection, before.name, sql_table(wanted, self._names), sources, casts)


def _columns(check: _RowCheck) -> tuple[str, ...]:
    match check:
        case RequireUnique():
            return (*check.columns, *check.where)
        case RequireTargets():
            return (check.column,)
        case _:
            return (check.name,)


def _renamed(check: _RowCheck, names: Mapping[str, str]) -> _RowCheck:
    match check:
        case RequireUnique():
            columns = tuple(names[name] for name in check.columns)
            where = tuple(names[name] for name in check.where)
            return msgspec.structs.replace(check, columns=columns, where=where)
        case RequireTargets():
            return msgspec.structs.replace(check, column=names[check.column])
        case _:
            return msgspec.structs.replace(check, name=names[check.name])
