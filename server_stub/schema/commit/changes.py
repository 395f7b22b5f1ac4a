"""The changes of a plan in terms of the document: one for each changed element, in the order of the commit.

Temporary names and rebuilt tables are details of the database and left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from server_stub.schema.commit.step_types import (
    AddColumn,
    AlterTable,
    CommitPlan,
    ConvertValues,
    CreateTable,
    CreateUnique,
    DropTable,
    DropUnique,
    RenameColumn,
    RenameTable,
    RequireCheck,
    RequireNested,
    RequireTargets,
    RequireUnique,
    RequireValues,
    Step,
)
from server_stub.schema.commit.storage_layout import PhysicalTable, column_key
from server_stub.schema.document.model import Column, Schema, Table


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a table, or of the column with the physical key `key`; `more` has further attributes."""

    action: str
    table_id: int
    step: Step
    key: str | None = None
    more: Mapping[str, str] = field(default_factory=dict)


class PlanSummary(msgspec.Struct, frozen=True):
    """Summarises a plan between two schemas with the layouts `old` and `new`."""

    current: Schema
    head: Schema
    old: Mapping[int, PhysicalTable]
    new: Mapping[int, PhysicalTable]
    plan: CommitPlan

    def changes(self) -> Iterator[Change]:
        """All changes, in the order of the commit."""
        tables = {name: id_ for id_, name in self.plan.names.items()}
        for step in self.plan.steps:
            match step:
                case RenameTable():
                    yield from self._renamed_table(step, tables.get(step.new))
                case CreateTable():
                    yield Change("create_table", step.table.id, step)
                case AlterTable():
                    yield from self._altered(step)
                case DropTable():
                    yield Change("drop_table", tables[step.table], step)
                case RequireNested():
                    nested = self.head.tables_by_id[tables[step.nested]].name
                    yield Change("require_nested", tables[step.owner], step, more={"nested": nested})
                case DropUnique() | CreateUnique() | RequireUnique():
                    yield from self._unique(step, tables)
                case _:
                    yield from self._column(step, tables[step.table])

    def named(self, change: Change) -> dict[str, object]:
        """Ids and names of the table and column of a change; names as in HEAD, or in CURRENT if dropped."""
        described: dict[str, object] = {
            "table_id": change.table_id,
            "table": self._table(change.table_id).name,
        }
        if change.key is not None:
            column = self._document_column(change.table_id, change.key)
            described |= (
                {"column": change.key} if column is None else {"column_id": column.id, "column": column.name}
            )
        return described

    def _table(self, table_id: int) -> Table:
        return self.head.tables_by_id.get(table_id) or self.current.tables_by_id[table_id]

    def _document_column(self, table_id: int, key: str) -> Column | None:
        schemas = (self.head, self.current)
        found = (schema.tables_by_id.get(table_id) for schema in schemas)
        columns = (column for table in found if table for column in table.columns)
        return next((column for column in columns if column_key(column.id) == key), None)

    def _renamed_table(self, step: RenameTable, table_id: int | None) -> Iterator[Change]:
        if table_id is not None and table_id in self.new:
            names = self.current.tables_by_id[table_id].name, self.head.tables_by_id[table_id].name
            yield Change("rename_table", table_id, step, more=_from_to(*names))

    def _unique(
        self, step: DropUnique | CreateUnique | RequireUnique, tables: Mapping[str, int]
    ) -> Iterator[Change]:
        key = {"key": step.name}
        match step:
            case DropUnique():
                # The step comes before the renames, so it has the old name of the table.
                table_id = next(table.id for table in self.old.values() if table.name == step.table)
                if table_id in self.new:
                    yield Change("drop_unique_key", table_id, step, more=key)
            case CreateUnique():
                yield Change("add_unique_key", tables[step.table], step, more=key)
            case RequireUnique():
                yield Change("require_unique", tables[step.table], step, more=key)

    def _column(
        self,
        step: RenameColumn | AddColumn | ConvertValues | RequireValues | RequireTargets | RequireCheck,
        table_id: int,
    ) -> Iterator[Change]:
        match step:
            case RenameColumn():
                yield from self._renamed_column(step, table_id)
            case AddColumn():
                if self.old[table_id].find(step.column.key) is None:
                    column = self._document_column(table_id, step.column.key)
                    more = {"type": column.type} if column else {}
                    yield Change("add_column", table_id, step, step.column.key, more)
            case ConvertValues():
                yield from _converted(step, table_id)
            case RequireValues():
                yield Change("require_not_null", table_id, step, self._key(table_id, step.name))
            case RequireTargets():
                key = self._key(table_id, step.column)
                if self.old[table_id].find(key) is not None:
                    yield Change("require_link", table_id, step, key, {"key": step.name})
            case RequireCheck():
                more = {"check": step.column.check.kind or "length"}
                yield Change("require_check", table_id, step, column_key(step.column.id), more)

    def _renamed_column(self, step: RenameColumn, table_id: int) -> Iterator[Change]:
        key = next((column.key for column in self.new[table_id].columns if column.name == step.new), None)
        before = self.current.tables_by_id[table_id].columns
        old_name = next((column.name for column in before if column_key(column.id) == key), None)
        after = key and self._document_column(table_id, key)
        if key and after and old_name is not None:
            yield Change("rename_column", table_id, step, key, _from_to(old_name, after.name))

    def _key(self, table_id: int, name: str) -> str:
        return next(column.key for column in self.new[table_id].columns if column.name == name)

    def _altered(self, step: AlterTable) -> Iterator[Change]:
        """Changes of a remaining table; a created or dropped table is only altered for cyclic links."""
        table_id = step.after.id
        if table_id not in self.old or table_id not in self.new:
            return
        for key in step.before.foreign_keys:
            if key not in step.after.foreign_keys:
                yield Change("drop_foreign_key", table_id, step, key.column, {"key": key.title})
        for column in self.old[table_id].columns:
            wanted = self.new[table_id].find(column.key)
            if wanted is None:
                yield Change("drop_column", table_id, step, column.key)
                continue
            existing = step.before.column(column.key)
            if existing.storage is not wanted.storage:
                yield self._cast(step, table_id, column.key)
            if (wanted.nullable, wanted.default) != (column.nullable, column.default):
                yield Change("change_column", table_id, step, column.key)
        for key in step.after.foreign_keys:
            if key not in step.before.foreign_keys:
                yield Change("add_foreign_key", table_id, step, key.column, {"key": key.title})

    def _cast(self, step: AlterTable, table_id: int, key: str) -> Change:
        old, new = (
            next(
                column.type
                for column in schema.tables_by_id[table_id].columns
                if column_key(column.id) == key
            )
            for schema in (self.current, self.head)
        )
        return Change("convert_column", table_id, step, key, _from_to(old, new))


def _converted(step: ConvertValues, table_id: int) -> Iterator[Change]:
    key = column_key(step.after.id)
    if step.source != step.target and step.before.name != step.after.name:
        names = _from_to(step.before.name, step.after.name)
        yield Change("rename_column", table_id, step, key, names)
    yield Change("convert_column", table_id, step, key, _from_to(step.before.type, step.after.type))


def _from_to(old: str, new: str) -> dict[str, str]:
    return {"from": old, "to": new}
