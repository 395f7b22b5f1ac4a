"""Places groups: the regions around their tables, arranging them as clusters, collapsing and expanding.

Each group is arranged by Graphviz on its own, and the groups are then put into columns like boxes: the order
of clusters inside one large graph would be better for links between groups, but cannot be combined with
layers that give the whole the shape of a screen (`placement`), and takes Graphviz several times as long.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.graphviz_layout import layout_source, parse_source_layout
from cdb_desktop.schema.diagram.graphviz_process import Graphviz
from cdb_desktop.schema.diagram.groups import Groups, box_key
from cdb_desktop.schema.diagram.model import Arrangement, Box, Edge, Point, SchemaGraph
from cdb_desktop.schema.diagram.placement import SPACE, assign_layers, nearest_free, stack_layers
from cdb_desktop.schema.document.element_ref import ColumnRef

PADDING, TITLE = 26.0, 80.0  # around the tables of a group, and above them for its name
_BETWEEN = (90.0, 60.0)  # groups, across and down
_ASPECT = 1.6  # width to height of the whole
_SWEEPS = 4  # over the columns, to put linked groups beside each other
_END = "stop"  # ends a graph in Graphviz's plain output


@dataclass(frozen=True, slots=True)
class Region:
    """The rectangle around the tables of an expanded group."""

    group: int
    left: float
    top: float
    right: float
    bottom: float


def regions_of(boxes: Iterable[Box], groups: Groups) -> dict[int, Region]:
    """The regions of expanded groups of which a table is among ``boxes``, by the key of the group."""
    inside: dict[int, list[Box]] = defaultdict(list)
    by_table = groups.by_table
    for box in boxes:
        group = by_table.get(box.table)
        if group is not None and not group.is_collapsed:
            inside[group.key].append(box)
    return {key: _around(key, members) for key, members in inside.items()}


async def arrange_groups(
    graph: SchemaGraph, groups: Groups, engine: Graphviz, *, downwards: bool = False
) -> Arrangement:
    """A new arrangement of everything, with the tables of a group together. Raises GraphvizError.

    Within groups tables are left of those that they link to, or with ``downwards`` above them.
    """
    clusters = await run_in_thread(_clusters, graph, groups)
    inner = [cluster.graph for cluster in clusters]
    sources = await run_in_thread(lambda: [layout_source(each, downwards=downwards) for each in inner])
    plain = await engine.run(("-Tplain-ext",), "".join(sources))
    return await run_in_thread(
        _assembled, graph, clusters, _parsed(plain.decode(), inner, downwards=downwards)
    )


def stack_groups(graph: SchemaGraph, groups: Groups) -> Arrangement:
    """The same without Graphviz."""
    clusters = _clusters(graph, groups)
    return _assembled(graph, clusters, [stack_layers(cluster.graph) for cluster in clusters])


def collapse(arrangement: Arrangement, keys: Iterable[int], graph: SchemaGraph) -> Arrangement:
    """With some groups collapsed to boxes at the corners of their regions; ``graph`` has all tables."""
    groups = arrangement.groups
    chosen = [key for key in keys if key in groups.by_key and not groups.by_key[key].is_collapsed]
    corners = {box_key(key): corner for key in chosen if (corner := _corner(arrangement, key, graph))}
    return replace(arrangement.moved(corners), groups=groups.with_collapsed(chosen, on=True))


def expand(
    arrangement: Arrangement, keys: Iterable[int], graph: SchemaGraph, reduced: SchemaGraph
) -> Arrangement:
    """With some groups expanded: their tables are where they were.

    If the box of a group was moved, its tables are moved as far. What would be in their way is moved to the
    right or down. ``graph`` has all tables, ``reduced`` the boxes of collapsed groups.
    """
    sizes = {box.table: box for box in (*graph.boxes, *reduced.boxes)}
    for key in keys:
        group = arrangement.groups.by_key.get(key)
        if group is not None and group.is_collapsed:
            arrangement = _expanded(arrangement, key, graph, sizes)
    return arrangement


def expand_all(
    arrangement: Arrangement, keys: Iterable[int], graph: SchemaGraph, reduced: SchemaGraph
) -> Arrangement:
    """With groups expanded: their tables are where they were even if the boxes were moved.

    Where something else is there now, they are expanded like single ones.
    """
    chosen = [key for key in keys if key in arrangement.groups.by_key]
    groups = arrangement.groups.with_collapsed(chosen, on=False)
    boxes = {box_key(key) for key in chosen}
    left = {table: at for table, at in arrangement.positions.items() if table not in boxes}
    found = Arrangement(left, groups, arrangement.folded)
    sizes = {box.table: box for box in (*graph.boxes, *reduced.boxes)}
    shown = _others(found, None, sizes)
    fresh = [region for region, _ in shown if region.group in chosen]
    is_free = not any(
        _overlaps(region, other) for region in fresh for other, _ in shown if other is not region
    )
    return found if is_free else expand(arrangement, chosen, graph, reduced)


def moved_group(arrangement: Arrangement, key: int, by: Point) -> Arrangement:
    """With all tables of a group moved."""
    tables = arrangement.groups.by_key[key].tables
    return arrangement.moved(
        {table: (x + by[0], y + by[1]) for table, (x, y) in arrangement.positions.items() if table in tables}
    )


def brought_to_group(
    arrangement: Arrangement, tables: Sequence[int], key: int, graph: SchemaGraph
) -> Arrangement:
    """With tables that have joined a group at the free positions that are nearest to the others of it."""
    boxes = {box.table: box for box in graph.boxes}
    positions = arrangement.positions
    there = [box.at(positions[table]) for table, box in boxes.items() if table in positions]
    inside = arrangement.groups.by_key[key].tables - set(tables)
    found: dict[int, Point] = {}
    for table in tables:
        own = [box for box in there if box.table in inside or box.table in found]
        if table not in boxes or not own:
            continue
        region, others = _around(key, own), [box for box in there if box.table != table]
        wanted = (region.left + PADDING, region.bottom - PADDING + SPACE[1])
        found[table] = nearest_free(boxes[table], wanted, others)
        there = [*others, boxes[table].at(found[table])]
    return arrangement.moved(found)


@dataclass(frozen=True, slots=True)
class _Cluster:
    """What is arranged together; ``group`` is None for tables in no group and for a collapsed one."""

    graph: SchemaGraph
    group: int | None


def _clusters(graph: SchemaGraph, groups: Groups) -> list[_Cluster]:
    """A cluster for each expanded group, for each collapsed one, and for the tables in none."""
    members: dict[int | None, list[Box]] = defaultdict(list)
    by_table, alone = groups.by_table, {group.box for group in groups.collapsed}
    single: list[Box] = []
    for box in graph.boxes:
        group = by_table.get(box.table)
        if box.table in alone:
            single.append(box)
        else:
            members[group.key if group else None].append(box)
    owner = {box.table: key for key, boxes in members.items() for box in boxes}
    edges: dict[int | None, list[Edge]] = defaultdict(list)
    for edge in graph.edges:
        if edge.source in owner and edge.target in owner and owner[edge.source] == owner[edge.target]:
            edges[owner[edge.source]].append(edge)
    found = [_Cluster(SchemaGraph(tuple(boxes), tuple(edges[key])), key) for key, boxes in members.items()]
    return [*found, *(_Cluster(SchemaGraph((box,), ()), None) for box in single)]


def _parsed(plain: str, graphs: Sequence[SchemaGraph], *, downwards: bool) -> list[Arrangement]:
    """The arrangements in the output for several graphs."""
    parts: list[list[str]] = [[]]
    for line in plain.splitlines():
        parts[-1].append(line)
        if line == _END:
            parts.append([])
    return [
        parse_source_layout("\n".join(part), graph, downwards=downwards)
        for part, graph in zip(parts, graphs, strict=False)
    ]


def _assembled(graph: SchemaGraph, clusters: Sequence[_Cluster], inner: Sequence[Arrangement]) -> Arrangement:
    """Puts arranged clusters into columns."""
    placed = [
        [box.at(arrangement.positions[box.table]) for box in cluster.graph.boxes]
        for cluster, arrangement in zip(clusters, inner, strict=True)
    ]
    frames: list[Box] = []
    for number, (cluster, boxes) in enumerate(zip(clusters, placed, strict=True)):
        region = _around(number, boxes) if cluster.group is not None else _bounds(number, boxes)
        size = (region.right - region.left, region.bottom - region.top)
        frames.append(Box(number, "", (), region.left, region.top, *size, 0.0, ()))
    owner = {box.table: number for number, boxes in enumerate(placed) for box in boxes}
    corners = _columns(SchemaGraph(tuple(frames), tuple(_links(graph.edges, owner))))
    positions: dict[int, Point] = {}
    for frame, boxes in zip(frames, placed, strict=True):
        x, y = corners[frame.table]
        positions |= {box.table: (box.x - frame.x + x, box.y - frame.y + y) for box in boxes}
    return Arrangement(positions)


def _links(edges: Iterable[Edge], owner: Mapping[int, int]) -> Iterable[Edge]:
    """An edge between two clusters for their links, in the direction of most of them."""
    counts: Counter[tuple[int, int]] = Counter()
    for edge in edges:
        one, other = owner[edge.source], owner[edge.target]
        if one != other:
            counts[one, other] += edge.count
    for (one, other), count in counts.items():
        if (count, one) >= (counts.get((other, one), 0), other):
            yield Edge(ColumnRef(one, other), other, one, 0.0, other, 0.0, count=count)


def _columns(frames: SchemaGraph) -> dict[int, Point]:
    """The corners of clusters in columns without space in between, linked ones near one another.

    Of all numbers of columns, the one that is largest on a screen is taken.
    """
    layers = assign_layers(frames)
    linked: dict[int, Counter[int]] = defaultdict(Counter)
    for edge in frames.edges:
        linked[edge.source][edge.target] += edge.count
        linked[edge.target][edge.source] += edge.count
    order = sorted(frames.boxes, key=lambda frame: (-layers[frame.table], frame.table))
    columns = min(
        (_filled(order, number) for number in range(1, len(order) + 1)), key=_size_on_screen, default=[]
    )
    corners: dict[int, Point] = {}
    for _ in range(_SWEEPS):
        x = 0.0
        for number, each in enumerate(columns):
            column = sorted(each, key=lambda frame: (_wanted(frame, linked, corners), frame.table))
            columns[number] = column
            y = -_height(column) / 2
            for frame in column:
                corners[frame.table] = (x, y)
                y += frame.height + _BETWEEN[1]
            x += max(frame.width for frame in column) + _BETWEEN[0]
    return corners


def _filled(order: Sequence[Box], number: int) -> list[list[Box]]:
    """Clusters in about so many columns of similar heights."""
    limit = _height(order) / number
    columns: list[list[Box]] = [[]]
    for frame in order:
        if columns[-1] and _height([*columns[-1], frame]) > limit + frame.height / 2:
            columns.append([])
        columns[-1].append(frame)
    return columns


def _height(column: Sequence[Box]) -> float:
    return sum(frame.height for frame in column) + _BETWEEN[1] * (len(column) - 1)


def _size_on_screen(columns: Sequence[Sequence[Box]]) -> float:
    width = sum(max(frame.width for frame in column) + _BETWEEN[0] for column in columns)
    return max(width / _ASPECT, *map(_height, columns))


def _wanted(frame: Box, linked: Mapping[int, Counter[int]], corners: Mapping[int, Point]) -> float:
    """The mean height of the clusters that one is linked with."""
    near = {other: count for other, count in linked.get(frame.table, {}).items() if other in corners}
    whole = sum(near.values())
    return sum(corners[other][1] * count for other, count in near.items()) / whole if whole else 0.0


def _expanded(
    arrangement: Arrangement, key: int, graph: SchemaGraph, sizes: Mapping[int, Box]
) -> Arrangement:
    own, positions = arrangement.groups.by_key[key], arrangement.positions
    groups = arrangement.groups.with_collapsed((key,), on=False)
    corner, at = _corner(arrangement, key, graph), positions.get(own.box)
    left = {table: position for table, position in positions.items() if table != own.box}
    rest = Arrangement(left, groups, arrangement.folded)
    if corner is None or at is None or own.box not in sizes:
        return rest
    rest = moved_group(rest, key, (at[0] - corner[0], at[1] - corner[1]))
    tables = _placed(rest, own.tables, sizes)
    region = _around(key, [sizes[table].at(rest.positions[table]) for table in tables])
    others = _others(rest, key, sizes)
    if not any(_overlaps(region, other) for other, _ in others):
        return rest
    box = sizes[own.box]
    right, bottom = at[0] + box.width, at[1] + box.height
    across, down = region.right - right, region.bottom - bottom
    moved: dict[int, Point] = {}
    for other, inside in others:
        by = (across if other.left >= right - 1 else 0.0, down if other.top >= bottom - 1 else 0.0)
        if by != (0.0, 0.0):
            for table in inside:
                x, y = rest.positions[table]
                moved[table] = (x + by[0], y + by[1])
    return rest.moved(moved)


def _others(
    arrangement: Arrangement, but: int | None, sizes: Mapping[int, Box]
) -> list[tuple[Region, list[int]]]:
    """What is visible besides a group: regions, boxes of collapsed groups and tables in no group."""
    by_table, positions = arrangement.groups.by_table, arrangement.positions
    together: dict[int, list[int]] = defaultdict(list)
    found: list[tuple[Region, list[int]]] = []
    for table in _placed(arrangement, positions, sizes):
        group = by_table.get(table)
        if group is None:
            found.append((_bounds(0, [sizes[table].at(positions[table])]), [table]))
        elif group.key != but and not group.is_collapsed:
            together[group.key].append(table)
    for key, tables in together.items():
        found.append((_around(key, [sizes[table].at(positions[table]) for table in tables]), tables))
    return found


def _placed(arrangement: Arrangement, tables: Iterable[int], sizes: Mapping[int, Box]) -> list[int]:
    return [table for table in tables if table in sizes and table in arrangement.positions]


def _corner(arrangement: Arrangement, key: int, graph: SchemaGraph) -> Point | None:
    """The corner of the region that a group has or had; None if none of its tables has a position."""
    tables = arrangement.groups.by_key[key].tables
    boxes = [
        box.at(arrangement.positions[box.table])
        for box in graph.boxes
        if box.table in tables and box.table in arrangement.positions
    ]
    if not boxes:
        return None
    region = _around(key, boxes)
    return region.left, region.top


def _around(key: int, boxes: Sequence[Box]) -> Region:
    bounds = _bounds(key, boxes)
    return Region(
        key, bounds.left - PADDING, bounds.top - TITLE, bounds.right + PADDING, bounds.bottom + PADDING
    )


def _bounds(key: int, boxes: Sequence[Box]) -> Region:
    return Region(
        key,
        min(box.x for box in boxes),
        min(box.y for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )


def _overlaps(one: Region, other: Region) -> bool:
    across = one.left < other.right and other.left < one.right
    return across and one.top < other.bottom and other.top < one.bottom
