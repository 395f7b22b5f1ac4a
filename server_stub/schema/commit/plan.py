"""The plan of a commit: two schemas in, steps in order out (wire §5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import chain

import msgspec

from server_stub.schema.commit.layout import (
    PhysicalColumn,
    PhysicalTable,
    PhysicalUnique,
    column_key,
    lay_out,
)
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
from server_stub.schema.document.column_types import is_plain_cast
from server_stub.schema.document.model import Column, Schema, Table

_NOTHING = Schema(version=0, tables=())


def make_plan(current: Schema | None, head: Schema, *, link_ahead: bool = False) -> Plan:
    """The steps that lead from CURRENT (None: no version yet) to HEAD.

    `link_ahead`: the database takes links to tables that come later, in whatever order they come and go.

    First what frees names, then new tables and columns with their values, then what must hold of the rows,
    then constraints and what goes.
    """
    before = current or _NOTHING
    old, new = lay_out(before), lay_out(head)
    tables = moving_tables(old, new)
    movings = [
        moving_columns(table, new[key], before.tables_by_id[key], head.tables_by_id[key])
        for key, table in tables.kept.items()
    ]
    order = as_they_stand if link_ahead else by_links
    created, lessened = order(replace(table, uniques=()) for key, table in new.items() if key not in old)
    middles = {moving.new.id: moving.middle for moving in movings} | lessened
    steps = chain(
        _free_names(movings, old, tables),
        (CreateTable(lessened.get(table.id, table)) for table in created),
        chain.from_iterable(moving.steps(head.languages) for moving in movings),
        requirements(before, head, middles, new),
        _alterations(middles, new),
        _drops(*order(tables.dropped.values())),
        _new_uniques(middles, new),
    )
    names = {key: table.name for key, table in (dict(tables.dropped) | new).items()}
    return Plan(tuple(steps), names)


def _free_names(
    movings: Iterable[Moving], old: dict[int, PhysicalTable], tables: TableNames
) -> Iterator[Step]:
    for moving in movings:
        for unique in moving.old.uniques:
            if unique not in moving.middle.uniques:
                yield DropUnique(old[moving.old.id].name, unique.name)
    for table in tables.dropped.values():
        for unique in old[table.id].uniques:
            yield DropUnique(old[table.id].name, unique.name)
    for before, after in ordered_renames(tables.wanted):
        yield RenameTable(before, after)


def _alterations(middles: dict[int, PhysicalTable], new: dict[int, PhysicalTable]) -> Iterator[Step]:
    for key, middle in middles.items():
        if _shape(middle) != _shape(new[key]):
            yield AlterTable(middle, new[key])


def _shape(table: PhysicalTable) -> tuple[object, ...]:
    return frozenset(table.columns), frozenset(table.foreign_keys)


def _drops(order: list[PhysicalTable], lessened: dict[int, PhysicalTable]) -> Iterator[Step]:
    """Linking tables before those that they link to; links in a circle go first."""
    by_id = {table.id: table for table in order}
    for key, table in lessened.items():
        yield AlterTable(by_id[key], table)
    for table in reversed(order):
        yield DropTable(table.name)


def _new_uniques(middles: dict[int, PhysicalTable], new: dict[int, PhysicalTable]) -> Iterator[Step]:
    for key, table in new.items():
        standing = middles[key].uniques if key in middles else ()
        for unique in table.uniques:
            if unique not in standing:
                columns = tuple(table.column(column).name for column in unique.columns)
                where = tuple(table.column(column).name for column in unique.where)
                yield CreateUnique(table.name, unique.name, columns, where)


class TableNames(msgspec.Struct, frozen=True):
    """The old tables under the names that they have while a plan runs."""

    kept: Mapping[int, PhysicalTable]
    dropped: Mapping[int, PhysicalTable]
    wanted: Mapping[str, tuple[str, str]]


def moving_tables(old: Mapping[int, PhysicalTable], new: Mapping[int, PhysicalTable]) -> TableNames:
    """Kept tables take their new names; a dropped one steps aside when another table wants its name."""
    new_names = {table.name for table in new.values()}
    moved = {}
    for table in old.values():
        aside = f"_dropped_t{table.id}" if table.name in new_names else table.name
        name = new[table.id].name if table.id in new else aside
        moved[table.id] = replace(table, name=name)
    return TableNames(
        kept={key: table for key, table in moved.items() if key in new},
        # Unique keys of what goes give their names free at the beginning.
        dropped={key: replace(table, uniques=()) for key, table in moved.items() if key not in new},
        wanted={f"t{key}": (old[key].name, table.name) for key, table in moved.items()},
    )


def as_they_stand(
    tables: Iterable[PhysicalTable],
) -> tuple[list[PhysicalTable], dict[int, PhysicalTable]]:
    """Tables in their order, with all their links: for databases that do not ask where links go."""
    return list(tables), {}


def by_links(tables: Iterable[PhysicalTable]) -> tuple[list[PhysicalTable], dict[int, PhysicalTable]]:
    """Tables after those that they link to, and which of them must do without some links for that.

    Links in a circle cannot all be there from the beginning; the second answer maps the id of a table to
    the table without the links that close a circle.
    """
    by_id = {table.id: table for table in tables}
    lessened: dict[int, PhysicalTable] = {}
    while True:
        graph = {table.id: _linked(table, by_id) for table in (by_id | lessened).values()}
        try:
            order = list(TopologicalSorter(graph).static_order())
        except CycleError as error:
            # The circle reads from target to linking table: each entry is linked to by the one after it.
            target, source = error.args[1][0], error.args[1][1]
            lessened[source] = _without(lessened.get(source, by_id[source]), target)
            continue
        return [by_id[key] for key in order], lessened


def _linked(table: PhysicalTable, among: Mapping[int, PhysicalTable]) -> set[int]:
    return {key.target for key in table.foreign_keys if key.target in among and key.target != table.id}


def _without(table: PhysicalTable, target: int) -> PhysicalTable:
    keys = tuple(key for key in table.foreign_keys if key.target != target)
    return replace(table, foreign_keys=keys)


def ordered_renames(
    wanted: Mapping[str, tuple[str, str]], taken: Iterable[str] = ()
) -> list[tuple[str, str]]:
    """Pairs (old, new) in order, with a detour over `_moved_<key>` for each circle.

    `wanted` maps a key to its old and new name; `taken` are names that keep their place and are not wanted.
    """
    pending = {key: names for key, names in wanted.items() if names[0] != names[1]}
    occupied = {old for old, _ in wanted.values()} | set(taken)
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
        made.append((old, new))
    return made


class Conversion(msgspec.Struct, frozen=True):
    """A column whose values change their form; `moved` when they need a column of another kind."""

    before: Column
    after: Column
    moved: bool

    @property
    def key(self) -> str:
        """The key of the column before and after."""
        return column_key(self.after.id)

    @property
    def old_key(self) -> str:
        """The key of the column that holds the old values."""
        return f"{self.key}~old" if self.moved else self.key


class Moving(msgspec.Struct, frozen=True):
    """One kept table: as it was, as it will be, and between, when all columns of both stand in it."""

    old: PhysicalTable
    middle: PhysicalTable
    new: PhysicalTable
    conversions: tuple[Conversion, ...]

    def steps(self, languages: tuple[str, ...]) -> Iterator[Step]:
        """From `old` to `middle`, under the new name of the table."""
        standing = {column.key: column for column in self.middle.columns}
        moved = {conversion.key: conversion.old_key for conversion in self.conversions}
        names = {
            column.key: (column.name, standing[moved.get(column.key, column.key)].name)
            for column in self.old.columns
        }
        shape = replace(self.old, name=self.new.name, uniques=self.middle.uniques)
        for before, after in ordered_renames(names):
            yield RenameColumn(self.new.name, before, after, shape)
            shape = shape.renamed(before, after)
        stood = {moved.get(column.key, column.key) for column in self.old.columns}
        for column in self.middle.columns:
            if column.key not in stood:
                yield AddColumn(self.new.name, column)
        for conversion in self.conversions:
            source, target = standing[conversion.old_key].name, standing[conversion.key].name
            yield ConvertValues(self.new.name, source, target, conversion.before, conversion.after, languages)


def moving_columns(old: PhysicalTable, new: PhysicalTable, before: Table, after: Table) -> Moving:
    """How one kept table gets from one layout to the other; `old` stands under its new name already."""
    conversions = tuple(_conversions(old, new, before, after))
    moved = {conversion.key: conversion for conversion in conversions if conversion.moved}
    new_names = {column.name for column in new.columns}
    standing = [_standing_column(column, new, moved, new_names) for column in old.columns]
    known = {column.key for column in standing}
    added = [_added_column(column, moved) for column in new.columns if column.key not in known]
    uniques = _lasting_uniques(old, new, {conversion.key for conversion in conversions} | _cast(old, new))
    middle = replace(old, columns=(*standing, *added), uniques=uniques)
    return Moving(old, middle, new, conversions)


def _lasting_uniques(
    old: PhysicalTable, new: PhysicalTable, converted: set[str]
) -> tuple[PhysicalUnique, ...]:
    """Unique keys that stay; those of converted columns are made anew, when all values are there."""
    lasting = (unique for unique in old.uniques if unique in new.uniques)
    return tuple(unique for unique in lasting if converted.isdisjoint((*unique.columns, *unique.where)))


def _cast(old: PhysicalTable, new: PhysicalTable) -> set[str]:
    """Columns whose values the database itself brings into another form when it alters the table."""
    kept = ((column, new.find(column.key)) for column in old.columns)
    return {column.key for column, after in kept if after is not None and after.storage is not column.storage}


def _conversions(old: PhysicalTable, new: PhysicalTable, before: Table, after: Table) -> Iterator[Conversion]:
    for column in after.columns:
        was = before.columns_by_id.get(column.id)
        if was is None or was.family is column.family or is_plain_cast(was.family, column.family):
            continue
        key = column_key(column.id)
        yield Conversion(was, column, moved=old.column(key).storage is not new.column(key).storage)


def _standing_column(
    column: PhysicalColumn, new: PhysicalTable, moved: dict[str, Conversion], new_names: set[str]
) -> PhysicalColumn:
    if column.key in moved:
        return replace(column, key=moved[column.key].old_key, name=f"_old_{column.key}")
    kept = new.find(column.key)
    if kept is not None:
        return replace(column, name=kept.name)
    return replace(column, name=f"_dropped_{column.key}") if column.name in new_names else column


def _added_column(column: PhysicalColumn, moved: dict[str, Conversion]) -> PhysicalColumn:
    """What rows must have is asked once they have it; converted columns start empty."""
    if column.key in moved:
        return replace(column, nullable=True, default=None)
    return replace(column, nullable=True)


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
            yield from _required_values(table, middle, after)
            yield from _required_targets(middle, after, new)
            yield from _required_checks(before, table, after)
            yield from _required_uniques(middle, after)
            yield from _required_nested(before, table, new)


def _required_values(table: Table, middle: PhysicalTable, after: PhysicalTable) -> Iterator[Step]:
    for column in after.columns:
        if not column.nullable and middle.column(column.key).nullable:
            named = _named(table, column.key)
            yield RequireValues(after.name, column.name, f"{table.name}.{named}")


def _named(table: Table, key: str) -> str:
    return next((column.name for column in table.columns if column_key(column.id) == key), key)


def _required_targets(
    middle: PhysicalTable, after: PhysicalTable, new: Mapping[int, PhysicalTable]
) -> Iterator[Step]:
    for key in after.foreign_keys:
        if key not in middle.foreign_keys:
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


def _required_uniques(middle: PhysicalTable, after: PhysicalTable) -> Iterator[Step]:
    for unique in after.uniques:
        if unique not in middle.uniques:
            columns = tuple(after.column(key).name for key in unique.columns)
            where = tuple(after.column(key).name for key in unique.where)
            yield RequireUnique(after.name, unique.name, columns, where)


def _required_nested(before: Table, table: Table, new: Mapping[int, PhysicalTable]) -> Iterator[Step]:
    for link in table.nested:
        if link.check == "not_empty" and link not in before.nested:
            yield RequireNested(new[table.id].name, new[link.table_id].name)
