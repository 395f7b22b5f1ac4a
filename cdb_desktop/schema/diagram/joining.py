"""Decides which groups new tables join, and where they go then.

A new table joins the first of these groups that there is:

1. the one in whose region it was placed with the pointer. Outside all regions is a choice as well: such a
   table joins none;
2. that of the table of which it is a copy;
3. the one that is selected;
4. the one whose tables all begin with the same words as its name, as groups by prefix do. The name that is
   typed for a new table counts as if it had had it from the beginning;
5. if nearly all tables are in groups, that of the first table that it links to, or that links to it, unless
   the names of that group have a prefix of their own. So does a table when it gets its first link, if its
   group can include it where it is;
6. the one in whose region it appears, since it would look like one of its tables.

Tables that are dragged join the group in whose region they are dropped. Outside all regions, and in that of
their own group, they stay in theirs: the group may be meant to become larger.

A collapsed group takes no table, since a new one has to be visible. Tables that are added in large numbers,
as by an import, join none: they are placed below the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cdb_desktop.schema.diagram.group_layout import Region, brought_to_group, is_free_for, regions_of
from cdb_desktop.schema.diagram.grouping import has_prefix, prefix_group
from cdb_desktop.schema.diagram.groups import Group, Groups
from cdb_desktop.schema.diagram.model import Arrangement, Box, Point, SchemaGraph

MOST = 12  # new tables at once that join groups
_COVERED = 0.9  # of the other tables, which have to be in groups for links to matter


@dataclass(frozen=True, slots=True)
class NewTables:
    """What is known of the tables that the next edit adds, by their keys.

    ``chosen`` are points at which the user has placed tables with the pointer, ``originals`` the tables of
    which they are copies. ``group`` is the group that is selected.
    """

    chosen: Mapping[int, Point] = field(default_factory=dict)
    originals: Mapping[int, int] = field(default_factory=dict)
    group: int | None = None

    def is_decided(self, table: int) -> bool:
        """Whether the user has decided about the group of a table, so that its name does not."""
        return table in self.chosen or table in self.originals or self.group is not None


def join_groups(
    arrangement: Arrangement, graph: SchemaGraph, whole: SchemaGraph, tables: Sequence[int], new: NewTables
) -> Arrangement:
    """With new tables, which have positions, in the groups that they join.

    ``graph`` are the tables that are shown, ``whole`` all of them. Tables come to their group unless they
    are beside it already. Returns the same object if none joins one.
    """
    joining: dict[int, list[int]] = defaultdict(list)
    for table in tables:
        group = _group_of(arrangement, graph, whole, table, tables, new)
        if group is not None:
            joining[group.key].append(table)
    waiting = {table for joined in joining.values() for table in joined}
    for key, joined in joining.items():
        waiting -= set(joined)
        arrangement = _joined(arrangement, graph, joined, key, waiting)
    return arrangement


def join_by_name(arrangement: Arrangement, graph: SchemaGraph, whole: SchemaGraph, table: int) -> Arrangement:
    """With a new table, for which a name was typed, in the group with its prefix."""
    group = _by_name(arrangement, whole, table, (table,))
    own = arrangement.groups.by_table.get(table)
    if group is None or (own is not None and own.key == group.key):
        return arrangement
    return _joined(arrangement, graph, (table,), group.key)


def join_by_link(arrangement: Arrangement, graph: SchemaGraph, whole: SchemaGraph, table: int) -> Arrangement:
    """With a table in the group that it links to, if it can stay where it is."""
    group = _by_links(arrangement, whole, table, (table,))
    if group is None or not is_free_for(arrangement, table, group.key, graph):
        return arrangement
    return replace(arrangement, groups=arrangement.groups.assigned((table,), group.key))


def join_by_drag(arrangement: Arrangement, graph: SchemaGraph, tables: Collection[int]) -> Arrangement:
    """With tables that have been dragged in the groups in whose regions they are now.

    Returns the same object if none joins one.
    """
    groups, regions = arrangement.groups, _regions(arrangement, graph, tables)
    for box in graph.boxes:
        if box.table in tables:
            middle = _middle(box.at(arrangement.positions[box.table]))
            own = arrangement.groups.by_table.get(box.table)
            own_region = [region for region in regions if own is not None and region.group == own.key]
            group = _at(middle, own_region, groups) or _at(middle, regions, groups)
            if group is not None and (own is None or own.key != group.key):
                groups = groups.assigned((box.table,), group.key)
    return arrangement if groups is arrangement.groups else replace(arrangement, groups=groups)


def _joined(
    arrangement: Arrangement,
    graph: SchemaGraph,
    tables: Collection[int],
    key: int,
    waiting: Collection[int] = (),
) -> Arrangement:
    joined = replace(arrangement, groups=arrangement.groups.assigned(tables, key))
    return brought_to_group(joined, tables, key, graph, waiting)


def _group_of(
    arrangement: Arrangement,
    graph: SchemaGraph,
    whole: SchemaGraph,
    table: int,
    tables: Collection[int],
    new: NewTables,
) -> Group | None:
    groups = arrangement.groups
    if table in new.chosen:
        return _at(new.chosen[table], _regions(arrangement, graph, tables), groups)
    if table in new.originals:
        return _expanded(groups.by_table.get(new.originals[table]))
    if new.group is not None:
        return _expanded(groups.by_key.get(new.group))
    box = next((each for each in graph.boxes if each.table == table), None)
    found = _by_name(arrangement, whole, table, tables) or _by_links(arrangement, whole, table, tables)
    if found is not None or box is None:
        return found
    middle = _middle(box.at(arrangement.positions[table]))
    return _at(middle, _regions(arrangement, graph, tables), groups)


def _expanded(group: Group | None) -> Group | None:
    return None if group is None or group.is_collapsed else group


def _regions(
    arrangement: Arrangement, graph: SchemaGraph, leaving_out: Collection[int]
) -> Collection[Region]:
    """The regions without some tables."""
    boxes = [
        box.at(arrangement.positions[box.table])
        for box in graph.boxes
        if box.table not in leaving_out and box.table in arrangement.positions
    ]
    return regions_of(boxes, arrangement.groups).values()


def _at(point: Point, regions: Iterable[Region], groups: Groups) -> Group | None:
    """The group in whose region a point is; the smallest one if regions overlap."""
    there = [
        region
        for region in regions
        if region.left <= point[0] <= region.right and region.top <= point[1] <= region.bottom
    ]
    smallest = min(there, key=lambda each: (each.right - each.left) * (each.bottom - each.top), default=None)
    return None if smallest is None else groups.by_key[smallest.group]


def _middle(box: Box) -> Point:
    return box.x + box.width / 2, box.y + box.height / 2


def _by_name(
    arrangement: Arrangement, whole: SchemaGraph, table: int, leaving_out: Collection[int]
) -> Group | None:
    names = {box.table: box.name for box in whole.boxes}
    others = {key: name for key, name in names.items() if key not in leaving_out}
    return _expanded(prefix_group(names.get(table, ""), arrangement.groups, others))


def _by_links(
    arrangement: Arrangement, whole: SchemaGraph, table: int, leaving_out: Collection[int]
) -> Group | None:
    groups = arrangement.groups
    others = {box.table: box.name for box in whole.boxes if box.table not in leaving_out}
    if sum(key in groups.by_table for key in others) < _COVERED * len(others):
        return None
    ends = [edge.target for edge in whole.edges if edge.source == table]
    ends += [edge.source for edge in whole.edges if edge.target == table]
    for other in ends:
        group = _expanded(groups.by_table.get(other))
        if other != table and group is not None and not has_prefix(group, others):
            return group
    return None
