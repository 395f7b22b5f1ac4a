"""The plan of a commit: two schemas in, steps in order out (wire §5); pure, knows no database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from server_stub.schema.layout import lay_out
from server_stub.schema.model import Schema
from server_stub.schema.physical import PhysicalTable
from server_stub.schema.plan_columns import Moving, moving_columns
from server_stub.schema.plan_requirements import requirements
from server_stub.schema.plan_tables import TableNames, as_they_stand, by_links, moving_tables
from server_stub.schema.renames import ordered_renames
from server_stub.schema.steps import (
    AlterTable,
    CreateTable,
    CreateUnique,
    DropTable,
    DropUnique,
    Plan,
    RenameTable,
    Step,
)

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
