"""The plan of a commit: two schemas in, steps in order out (wire §5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from typing import TypeVar

import msgspec

from server_stub.schema.commit.storage_layout import (
    PhysicalColumn,
    PhysicalTable,
    PhysicalUnique,
    column_key,
    lay_out,
)
from server_stub.schema.document.model import Column, Schema, Table, is_plain_cast

_NOTHING = Schema(version=0, tables=())


def make_plan(current: Schema | None, head: Schema, *, link_ahead: bool = False) -> CommitPlan:
    """The steps that lead from CURRENT (None: no version yet) to HEAD.

    `link_ahead` means that the database accepts foreign keys to tables that do not exist yet.

    The order: drop unique keys and rename, to free names; create tables; add, convert and rename columns;
    check the rows; alter constraints and drop columns; drop tables; create unique keys.
    """
    before = current or _NOTHING
    old, new = lay_out(before), lay_out(head)
    tables = _name_tables(old, new)
    migrations = [
        _migrate_table(table, new[key], before.tables_by_id[key], head.tables_by_id[key])
        for key, table in tables.remaining.items()
    ]
    order = _in_given_order if link_ahead else _in_link_order
    created, unlinked = order(replace(table, uniques=()) for key, table in new.items() if key not in old)
    interim_tables = {migration.new.id: migration.interim for migration in migrations} | unlinked
    steps = chain(
        _free_names(migrations, old, tables),
        (CreateTable(unlinked.get(table.id, table)) for table in created),
        chain.from_iterable(migration.steps(head.languages) for migration in migrations),
        _requirements(before, head, interim_tables, new),
        _alterations(interim_tables, new),
        _drops(*order(tables.dropped.values())),
        _new_uniques(interim_tables, new),
    )
    names = {key: table.name for key, table in (dict(tables.dropped) | new).items()}
    lasting = {migration.old.id: migration.interim.uniques for migration in migrations}
    renamed_from = {key: replace(table, uniques=lasting.get(key, ())) for key, table in old.items()}
    return CommitPlan(tuple(steps), names, renamed_from)


def _free_names(
    migrations: Iterable[TableMigration], old: dict[int, PhysicalTable], tables: NamedTables
) -> Iterator[Step]:
    for migration in migrations:
        for unique in migration.old.uniques:
            if unique not in migration.interim.uniques:
                yield DropUnique(old[migration.old.id].name, unique.name)
    for table in tables.dropped.values():
        for unique in old[table.id].uniques:
            yield DropUnique(old[table.id].name, unique.name)
    for key, before, after in _order_renames(tables.wanted):
        yield RenameTable(key, before, after)


def _alterations(interim_tables: dict[int, PhysicalTable], new: dict[int, PhysicalTable]) -> Iterator[Step]:
    for key, interim in interim_tables.items():
        if _shape(interim) != _shape(new[key]):
            yield AlterTable(interim, new[key])


def _shape(table: PhysicalTable) -> tuple[object, ...]:
    return frozenset(table.columns), frozenset(table.foreign_keys)


def _drops(order: list[PhysicalTable], unlinked: dict[int, PhysicalTable]) -> Iterator[Step]:
    """Drops linking tables before their targets, after dropping foreign keys that form a cycle."""
    by_id = {table.id: table for table in order}
    for key, table in unlinked.items():
        yield AlterTable(by_id[key], table)
    for table in reversed(order):
        yield DropTable(table.name)


def _new_uniques(interim_tables: dict[int, PhysicalTable], new: dict[int, PhysicalTable]) -> Iterator[Step]:
    for key, table in new.items():
        existing = interim_tables[key].uniques if key in interim_tables else ()
        for unique in table.uniques:
            if unique not in existing:
                columns = tuple(table.column(column).name for column in unique.columns)
                where = tuple(table.column(column).name for column in unique.where)
                yield CreateUnique(table.name, unique.name, columns, where)


class NamedTables(msgspec.Struct, frozen=True):
    """The old tables by id under their names during the commit; `wanted` has (old, new) names by id."""

    remaining: Mapping[int, PhysicalTable]
    dropped: Mapping[int, PhysicalTable]
    wanted: Mapping[int, tuple[str, str]]


def _name_tables(old: Mapping[int, PhysicalTable], new: Mapping[int, PhysicalTable]) -> NamedTables:
    """Gives remaining tables their new names, and dropped ones another name if a new table needs theirs."""
    new_names = {table.name for table in new.values()}
    moved = {}
    for table in old.values():
        aside = f"_dropped_t{table.id}" if table.name in new_names else table.name
        name = new[table.id].name if table.id in new else aside
        moved[table.id] = replace(table, name=name)
    return NamedTables(
        remaining={key: table for key, table in moved.items() if key in new},
        # Unique keys of dropped tables are dropped first, to free their names.
        dropped={key: replace(table, uniques=()) for key, table in moved.items() if key not in new},
        wanted={key: (old[key].name, table.name) for key, table in moved.items()},
    )


def _in_given_order(
    tables: Iterable[PhysicalTable],
) -> tuple[list[PhysicalTable], dict[int, PhysicalTable]]:
    """Tables in the given order with all links, for databases that do not check the targets of links."""
    return list(tables), {}


def _in_link_order(tables: Iterable[PhysicalTable]) -> tuple[list[PhysicalTable], dict[int, PhysicalTable]]:
    """Tables sorted after their link targets, and by id those that must first be created without some links.

    Links that form a cycle cannot all exist from the beginning; the tables in the second result lack those
    that close a cycle.
    """
    by_id = {table.id: table for table in tables}
    unlinked: dict[int, PhysicalTable] = {}
    while True:
        graph = {table.id: _linked(table, by_id) for table in (by_id | unlinked).values()}
        try:
            order = list(TopologicalSorter(graph).static_order())
        except CycleError as error:
            # The cycle runs from target to linking table: each entry is the target of the next one.
            target, source = error.args[1][0], error.args[1][1]
            unlinked[source] = _without(unlinked.get(source, by_id[source]), target)
            continue
        return [by_id[key] for key in order], unlinked


def _linked(table: PhysicalTable, among: Mapping[int, PhysicalTable]) -> set[int]:
    return {key.target for key in table.foreign_keys if key.target in among and key.target != table.id}


def _without(table: PhysicalTable, target: int) -> PhysicalTable:
    keys = tuple(key for key in table.foreign_keys if key.target != target)
    return replace(table, foreign_keys=keys)


_Key = TypeVar("_Key", int, str)


def _order_renames(wanted: Mapping[_Key, tuple[str, str]]) -> list[tuple[_Key, str, str]]:
    """Renames (key, old, new) ordered so that no name is taken twice, using `_moved_<key>` to break cycles.

    `wanted` maps a key to its old and new name.
    """
    pending = {key: names for key, names in wanted.items() if names[0] != names[1]}
    occupied = {old for old, _ in wanted.values()}
    made = []
    while pending:
        key = next((key for key, (_, new) in pending.items() if new not in occupied), None)
        if key is None:
            key = next(iter(pending))
            old, final = pending[key]
            pending[key] = (f"_moved_{key}", final)
            new = f"_moved_{key}"
        else:
            old, new = pending.pop(key)
        occupied.remove(old)
        occupied.add(new)
        made.append((key, old, new))
    return made


class ColumnConversion(msgspec.Struct, frozen=True):
    """A column whose values must be converted; `moved` if they need a column of another storage type."""

    before: Column
    after: Column
    moved: bool

    @property
    def key(self) -> str:
        """The key of the column."""
        return column_key(self.after.id)

    @property
    def old_key(self) -> str:
        """The key of the column with the old values."""
        return f"{self.key}~old" if self.moved else self.key


class TableMigration(msgspec.Struct, frozen=True):
    """The layouts of a remaining table: old, new, and an interim one with the columns of both."""

    old: PhysicalTable
    interim: PhysicalTable
    new: PhysicalTable
    conversions: tuple[ColumnConversion, ...]

    def steps(self, languages: tuple[str, ...]) -> Iterator[Step]:
        """The steps from `old` to `interim`, under the new name of the table."""
        existing = {column.key: column for column in self.interim.columns}
        moved = {conversion.key: conversion.old_key for conversion in self.conversions}
        names = {
            column.key: (column.name, existing[moved.get(column.key, column.key)].name)
            for column in self.old.columns
        }
        shape = replace(self.old, name=self.new.name, uniques=self.interim.uniques)
        for _, before, after in _order_renames(names):
            yield RenameColumn(self.new.name, before, after, shape)
            shape = shape.renamed(before, after)
        stood = {moved.get(column.key, column.key) for column in self.old.columns}
        for column in self.interim.columns:
            if column.key not in stood:
                yield AddColumn(self.new.name, column, shape)
                shape = replace(shape, columns=(*shape.columns, column))
        for conversion in self.conversions:
            source, target = existing[conversion.old_key].name, existing[conversion.key].name
            yield ConvertValues(self.new.name, source, target, conversion.before, conversion.after, languages)


def _migrate_table(old: PhysicalTable, new: PhysicalTable, before: Table, after: Table) -> TableMigration:
    """Plans how a remaining table gets from one layout to the other; `old` has its new name already."""
    conversions = tuple(_conversions(old, new, before, after))
    moved = {conversion.key: conversion for conversion in conversions if conversion.moved}
    new_names = {column.name for column in new.columns}
    existing = [_existing_column(column, new, moved, new_names) for column in old.columns]
    known = {column.key for column in existing}
    added = [_added_column(column, moved) for column in new.columns if column.key not in known]
    uniques = _lasting_uniques(old, new, {conversion.key for conversion in conversions} | _cast(old, new))
    interim = replace(old, columns=(*existing, *added), uniques=uniques)
    return TableMigration(old, interim, new, conversions)


def _lasting_uniques(
    old: PhysicalTable, new: PhysicalTable, convert_value: set[str]
) -> tuple[PhysicalUnique, ...]:
    """Unique keys that remain; those of converted columns are created again after the conversion."""
    lasting = (unique for unique in old.uniques if unique in new.uniques)
    return tuple(unique for unique in lasting if convert_value.isdisjoint((*unique.columns, *unique.where)))


def _cast(old: PhysicalTable, new: PhysicalTable) -> set[str]:
    """Columns whose values the database itself converts when it alters the table."""
    pairs = ((column, new.find(column.key)) for column in old.columns)
    return {
        column.key for column, after in pairs if after is not None and after.storage is not column.storage
    }


def _conversions(
    old: PhysicalTable, new: PhysicalTable, before: Table, after: Table
) -> Iterator[ColumnConversion]:
    for column in after.columns:
        was = before.columns_by_id.get(column.id)
        if was is None or was.family is column.family or is_plain_cast(was.family, column.family):
            continue
        key = column_key(column.id)
        yield ColumnConversion(was, column, moved=old.column(key).storage is not new.column(key).storage)


def _existing_column(
    column: PhysicalColumn, new: PhysicalTable, moved: dict[str, ColumnConversion], new_names: set[str]
) -> PhysicalColumn:
    if column.key in moved:
        return replace(column, key=moved[column.key].old_key, name=f"_old_{column.key}")
    renamed = new.find(column.key)
    if renamed is not None:
        return replace(column, name=renamed.name)
    return replace(column, name=f"_dropped_{column.key}") if column.name in new_names else column


def _added_column(column: PhysicalColumn, moved: dict[str, ColumnConversion]) -> PhysicalColumn:
    """A new column is nullable until the values of the rows have been checked; converted ones start empty."""
    if column.key in moved:
        return replace(column, nullable=True, default=None)
    return replace(column, nullable=True)


def _requirements(
    current: Schema,
    head: Schema,
    interim_tables: Mapping[int, PhysicalTable],
    new: Mapping[int, PhysicalTable],
) -> Iterator[Step]:
    """The checks of rows that new constraints need; `interim_tables` are the tables at that time."""
    for table in head.tables:
        before = current.tables_by_id.get(table.id)
        if before is not None:
            interim, after = interim_tables[table.id], new[table.id]
            yield from _required_values(table, interim, after)
            yield from _required_targets(interim, after, new)
            yield from _required_checks(before, table, after)
            yield from _required_uniques(interim, after)
            yield from _required_nested(before, table, new)


def _required_values(table: Table, interim: PhysicalTable, after: PhysicalTable) -> Iterator[Step]:
    for column in after.columns:
        if not column.nullable and interim.column(column.key).nullable:
            named = _named(table, column.key)
            yield RequireValues(after.name, column.name, f"{table.name}.{named}")


def _named(table: Table, key: str) -> str:
    return next((column.name for column in table.columns if column_key(column.id) == key), key)


def _required_targets(
    interim: PhysicalTable, after: PhysicalTable, new: Mapping[int, PhysicalTable]
) -> Iterator[Step]:
    for key in after.foreign_keys:
        if key not in interim.foreign_keys:
            column = after.column(key.column).name
            yield RequireTargets(after.name, column, new[key.target].name, key.title)


def _required_checks(before: Table, table: Table, after: PhysicalTable) -> Iterator[Step]:
    for column in table.columns:
        was = before.columns_by_id.get(column.id)
        if was is None or (was.check, was.family) != (column.check, column.family):
            name = after.column(column_key(column.id)).name
            if _asks_something(column):
                yield RequireCheck(after.name, name, table.name, column)


def _asks_something(column: Column) -> bool:
    check = column.check
    return check.kind is not None or check.length_min is not None or check.length_max is not None


def _required_uniques(interim: PhysicalTable, after: PhysicalTable) -> Iterator[Step]:
    for unique in after.uniques:
        if unique not in interim.uniques:
            columns = tuple(after.column(key).name for key in unique.columns)
            where = tuple(after.column(key).name for key in unique.where)
            yield RequireUnique(after.name, unique.name, columns, where)


def _required_nested(before: Table, table: Table, new: Mapping[int, PhysicalTable]) -> Iterator[Step]:
    for link in table.nested:
        if link.check == "not_empty" and link not in before.nested:
            yield RequireNested(new[table.id].name, new[link.table_id].name)


class RenameTable(msgspec.Struct, frozen=True):
    """Renames a table."""

    table_id: int
    old: str
    new: str


class RenameColumn(msgspec.Struct, frozen=True):
    """Renames a column; `shape` is the table before."""

    table: str
    old: str
    new: str
    shape: PhysicalTable


class CreateTable(msgspec.Struct, frozen=True):
    """Creates a table with its columns and foreign keys; unique keys are steps of their own."""

    table: PhysicalTable


class AddColumn(msgspec.Struct, frozen=True):
    """Adds a column to a table of the given shape; existing rows get its default, or null."""

    table: str
    column: PhysicalColumn
    shape: PhysicalTable


class ConvertValues(msgspec.Struct, frozen=True):
    """Writes each value of column `source`, converted, to column `target`, which may be the same."""

    table: str
    source: str
    target: str
    before: Column
    after: Column
    languages: tuple[str, ...]


class RequireValues(msgspec.Struct, frozen=True):
    """Requires a value in every row; `column` is the name for the error."""

    table: str
    name: str
    column: str


class RequireUnique(msgspec.Struct, frozen=True):
    """Requires that no two rows share the values of a unique key."""

    table: str
    name: str
    columns: tuple[str, ...]
    where: tuple[str, ...]


class RequireTargets(msgspec.Struct, frozen=True):
    """Requires that every link points to an existing row."""

    table: str
    column: str
    target: str
    name: str


class RequireCheck(msgspec.Struct, frozen=True):
    """Requires that every value fulfils its column's check; `table_name` is the name for the error."""

    table: str
    name: str
    table_name: str
    column: Column


class RequireNested(msgspec.Struct, frozen=True):
    """Requires that every row of an owner has a row in the nested table."""

    owner: str
    nested: str


class AlterTable(msgspec.Struct, frozen=True):
    """Changes foreign keys, nullability and defaults, and drops columns."""

    before: PhysicalTable
    after: PhysicalTable


class DropTable(msgspec.Struct, frozen=True):
    """Drops a table with all rows."""

    table: str


class DropUnique(msgspec.Struct, frozen=True):
    """Drops a unique key."""

    table: str
    name: str


class CreateUnique(msgspec.Struct, frozen=True):
    """Adds a unique key; `columns` and `where` are names."""

    table: str
    name: str
    columns: tuple[str, ...]
    where: tuple[str, ...]


Step = (
    RenameTable
    | RenameColumn
    | CreateTable
    | AddColumn
    | ConvertValues
    | RequireValues
    | RequireUnique
    | RequireTargets
    | RequireCheck
    | RequireNested
    | AlterTable
    | DropTable
    | DropUnique
    | CreateUnique
)


class CommitPlan(msgspec.Struct, frozen=True):
    """The steps of a commit in order.

    `names` are the names, by id, of the tables that foreign keys reference; `renamed_from` are the tables of
    CURRENT, by id, as they are when the first table is renamed.
    """

    steps: tuple[Step, ...]
    names: dict[int, str]
    renamed_from: dict[int, PhysicalTable]
