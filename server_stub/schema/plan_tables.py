"""What becomes of each table between two layouts: names on the way, and the order for links; knows no SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

import msgspec

from server_stub.schema.physical import PhysicalTable


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
