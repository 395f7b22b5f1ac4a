"""A plan as its reader needs it: one entry for each change of a document's element, in order; knows no SQL.

Detours over names in between, and tables that are rebuilt, are the database's business and left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from server_stub.schema.commit.layout import PhysicalTable, column_key
from server_stub.schema.commit.steps import (
    AddColumn,
    AlterTable,
    ConvertValues,
    CreateTable,
    CreateUnique,
    DropTable,
    DropUnique,
    Plan,
    RenameColumn,
    RenameTable,
    RequireCheck,
    RequireNested,
    RequireTargets,
    RequireUnique,
    RequireValues,
    Step,
)
from server_stub.schema.document.model import Column, Schema, Table


@dataclass(frozen=True, slots=True)
class Entry:
    """One change; `key` is the physical key of the column concerned, `more` what stands beside the names."""

    action: str
    table_id: int
    step: Step
    key: str | None = None
    more: Mapping[str, str] = field(default_factory=dict)


class Outline(msgspec.Struct, frozen=True):
    """Reads a plan between two schemas, of which `old` and `new` are the layouts."""

    current: Schema
    head: Schema
    old: Mapping[int, PhysicalTable]
    new: Mapping[int, PhysicalTable]
    plan: Plan

    def entries(self) -> Iterator[Entry]:
        """All entries, in the order of the commit."""
        tables = {name: id_ for id_, name in self.plan.names.items()}
        for step in self.plan.steps:
            match step:
                case RenameTable():
                    yield from self._renamed_table(step, tables.get(step.new))
                case CreateTable():
                    yield Entry("create_table", step.table.id, step)
                case AlterTable():
                    yield from self._altered(step)
                case DropTable():
                    yield Entry("drop_table", tables[step.table], step)
                case RequireNested():
                    nested = self.head.tables_by_id[tables[step.nested]].name
                    yield Entry("require_nested", tables[step.owner], step, more={"nested": nested})
                case DropUnique() | CreateUnique() | RequireUnique():
                    yield from self._unique(step, tables)
                case _:
                    yield from self._column(step, tables[step.table])

    def named(self, entry: Entry) -> dict[str, object]:
        """The table and column of an entry: ids, and names as HEAD has them, or CURRENT where they go."""
        told: dict[str, object] = {"table_id": entry.table_id, "table": self._table(entry.table_id).name}
        if entry.key is not None:
            column = self._document_column(entry.table_id, entry.key)
            told |= (
                {"column": entry.key} if column is None else {"column_id": column.id, "column": column.name}
            )
        return told

    def _table(self, table_id: int) -> Table:
        return self.head.tables_by_id.get(table_id) or self.current.tables_by_id[table_id]

    def _document_column(self, table_id: int, key: str) -> Column | None:
        schemas = (self.head, self.current)
        found = (schema.tables_by_id.get(table_id) for schema in schemas)
        columns = (column for table in found if table for column in table.columns)
        return next((column for column in columns if column_key(column.id) == key), None)

    def _renamed_table(self, step: RenameTable, table_id: int | None) -> Iterator[Entry]:
        if table_id is not None and table_id in self.new:
            names = self.current.tables_by_id[table_id].name, self.head.tables_by_id[table_id].name
            yield Entry("rename_table", table_id, step, more=_from_to(*names))

    def _unique(
        self, step: DropUnique | CreateUnique | RequireUnique, tables: Mapping[str, int]
    ) -> Iterator[Entry]:
        key = {"key": step.name}
        match step:
            case DropUnique():
                # It stands before the renames, so it means the table by its old name.
                table_id = next(table.id for table in self.old.values() if table.name == step.table)
                if table_id in self.new:
                    yield Entry("drop_unique_key", table_id, step, more=key)
            case CreateUnique():
                yield Entry("add_unique_key", tables[step.table], step, more=key)
            case RequireUnique():
                yield Entry("require_unique", tables[step.table], step, more=key)

    def _column(
        self,
        step: RenameColumn | AddColumn | ConvertValues | RequireValues | RequireTargets | RequireCheck,
        table_id: int,
    ) -> Iterator[Entry]:
        match step:
            case RenameColumn():
                yield from self._renamed_column(step, table_id)
            case AddColumn():
                if self.old[table_id].find(step.column.key) is None:
                    column = self._document_column(table_id, step.column.key)
                    more = {"type": column.type} if column else {}
                    yield Entry("add_column", table_id, step, step.column.key, more)
            case ConvertValues():
                yield from _converted(step, table_id)
            case RequireValues():
                yield Entry("require_not_null", table_id, step, self._key(table_id, step.name))
            case RequireTargets():
                key = self._key(table_id, step.column)
                if self.old[table_id].find(key) is not None:
                    yield Entry("require_link", table_id, step, key, {"key": step.name})
            case RequireCheck():
                more = {"check": step.column.check.kind or "length"}
                yield Entry("require_check", table_id, step, column_key(step.column.id), more)

    def _renamed_column(self, step: RenameColumn, table_id: int) -> Iterator[Entry]:
        key = next((column.key for column in self.new[table_id].columns if column.name == step.new), None)
        before = self.current.tables_by_id[table_id].columns
        old_name = next((column.name for column in before if column_key(column.id) == key), None)
        after = key and self._document_column(table_id, key)
        if key and after and old_name is not None:
            yield Entry("rename_column", table_id, step, key, _from_to(old_name, after.name))

    def _key(self, table_id: int, name: str) -> str:
        return next(column.key for column in self.new[table_id].columns if column.name == name)

    def _altered(self, step: AlterTable) -> Iterator[Entry]:
        """Nothing of a table that comes or goes as a whole: its links only wait for other tables."""
        table_id = step.after.id
        if table_id not in self.old or table_id not in self.new:
            return
        for key in step.before.foreign_keys:
            if key not in step.after.foreign_keys:
                yield Entry("drop_foreign_key", table_id, step, key.column, {"key": key.title})
        for column in self.old[table_id].columns:
            wanted = self.new[table_id].find(column.key)
            if wanted is None:
                yield Entry("drop_column", table_id, step, column.key)
                continue
            standing = step.before.column(column.key)
            if standing.storage is not wanted.storage:
                yield self._cast(step, table_id, column.key)
            if (wanted.nullable, wanted.default) != (column.nullable, column.default):
                yield Entry("change_column", table_id, step, column.key)
        for key in step.after.foreign_keys:
            if key not in step.before.foreign_keys:
                yield Entry("add_foreign_key", table_id, step, key.column, {"key": key.title})

    def _cast(self, step: AlterTable, table_id: int, key: str) -> Entry:
        old, new = (
            next(
                column.type
                for column in schema.tables_by_id[table_id].columns
                if column_key(column.id) == key
            )
            for schema in (self.current, self.head)
        )
        return Entry("convert_column", table_id, step, key, _from_to(old, new))


def _converted(step: ConvertValues, table_id: int) -> Iterator[Entry]:
    key = column_key(step.after.id)
    if step.source != step.target and step.before.name != step.after.name:
        names = _from_to(step.before.name, step.after.name)
        yield Entry("rename_column", table_id, step, key, names)
    yield Entry("convert_column", table_id, step, key, _from_to(step.before.type, step.after.type))


def _from_to(old: str, new: str) -> dict[str, str]:
    return {"from": old, "to": new}
