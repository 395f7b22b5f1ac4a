"""Places groups: the regions around their tables, arranging them as clusters, collapsing and expanding.

Each group is arranged by Graphviz on its own, and the groups are then put into columns like boxes: the order
of clusters inside one large graph would be better for links between groups, but cannot be combined with
layers that give the whole the shape of a screen (`placement`), and takes Graphviz several times as long.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.graphviz_layout import Graphviz, layout_source, parse_source_layout, part_of
from cdb_desktop.schema.diagram.groups import Groups, box_key
from cdb_desktop.schema.diagram.model import Arrangement, Box, Edge, Point, SchemaGraph
from cdb_desktop.schema.diagram.placement import (
    SPACE,
    WINDOW_ASPECT,
    assign_layers,
    nearest_fitting,
    nearest_free,
    shifted_free,
    stack_layers,
)
from cdb_desktop.schema.document.element_ref import ColumnRef

PADDING, TITLE = 26.0, 80.0  # around the tables of a group, and above them for its name
_BETWEEN = (90.0, 60.0)  # groups, across and down
_SPARSE = 2.0  # times the area that boxes need together, above which they are scattered
_SWEEPS = 4  # over the columns, to put linked groups beside each other
_END = "stop"  # ends a graph in Graphviz's plain output


def regions_of(boxes: Iterable[Box], groups: Groups) -> dict[int, Box]:
    """The rectangles around expanded groups of which a table is among ``boxes``, by the key of the group."""
    inside: dict[int, list[Box]] = defaultdict(list)
    by_table = groups.by_table
    for box in boxes:
        group = by_table.get(box.table)
        if group is not None and not group.is_collapsed:
            inside[group.key].append(box)
    return {key: _around(key, members) for key, members in inside.items()}


async def arrange_groups(
    graph: SchemaGraph,
    groups: Groups,
    engine: Graphviz,
    *,
    downwards: bool = False,
    aspect: float = WINDOW_ASPECT,
) -> Arrangement:
    """A new arrangement of everything, with the tables of a group together. Raises GraphvizError.

    Within groups tables are left of those that they link to, or with ``downwards`` above them. ``aspect`` is
    the width of the window to its height.
    """
    clusters = await run_in_thread(_clusters, graph, groups)
    inner = await _arranged([cluster.graph for cluster in clusters], engine, downwards=downwards)
    return await run_in_thread(_assembled, graph, clusters, inner, aspect)


async def arrange_part(
    graph: SchemaGraph,
    arrangement: Arrangement,
    tables: Collection[int],
    engine: Graphviz,
    *,
    downwards: bool = False,
) -> Arrangement:
    """With some boxes arranged where they are; all of them have a position. Raises GraphvizError.

    Groups that are selected as a whole are arranged as in `arrange_groups`. If only some tables of a group
    are, each group is arranged for itself and keeps its other tables. No region covers another one or a
    table that is not in it: what is in the way of a region that has grown is moved right or down, a group
    with all its tables. Everything else stays.
    """
    part, groups = part_of(graph, tables), arrangement.groups
    chosen = {group.key for box in part.boxes if (group := groups.by_table.get(box.table))}
    shown = {box.table for box in graph.boxes}
    if all((groups.by_key[key].tables & shown).issubset(tables) for key in chosen):
        found = await arrange_groups(part, groups, engine, downwards=downwards)
        return await run_in_thread(_placed_together, graph, arrangement, part, found)
    clusters = _clusters(part, groups, is_one=True)
    inner = await _arranged([cluster.graph for cluster in clusters], engine, downwards=downwards)
    return await run_in_thread(_placed_apart, graph, arrangement, clusters, inner)


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
    units = _units(_visible(found, sizes), found, groups)
    inside = {table for key in chosen for table in groups.by_key[key].tables}
    fresh = [unit for unit in units if unit.boxes & inside]
    is_free = not any(_covers(one.frame, unit.frame) for one in fresh for unit in units if unit is not one)
    return found if is_free else expand(arrangement, chosen, graph, reduced)


def moved_group(arrangement: Arrangement, key: int, by: Point) -> Arrangement:
    """With all tables of a group moved."""
    tables = arrangement.groups.by_key[key].tables
    return arrangement.moved(
        {table: (x + by[0], y + by[1]) for table, (x, y) in arrangement.positions.items() if table in tables}
    )


def brought_to_group(
    arrangement: Arrangement,
    tables: Collection[int],
    key: int,
    graph: SchemaGraph,
) -> Arrangement:
    """With tables that have joined a group at or in its region, which covers nothing else with them.

    They stay where they are if that is so already. Otherwise they go to the nearest such place: together, or
    one by one if they are scattered or there is none.
    """
    space = _GroupSpace(arrangement, tables, key, graph)
    if not space.own or not space.new:
        return arrangement
    found = space.place(space.new) if _are_together(space.new) else None
    if found is not None:
        return arrangement.moved(found)
    waiting = [box.table for box in space.new]
    while waiting:
        table = waiting.pop(0)
        single = _GroupSpace(arrangement, (table,), key, graph, waiting)
        arrangement = arrangement.moved(single.place(single.new) or single.place_somewhere())
    return arrangement


def _are_together(boxes: Sequence[Box]) -> bool:
    """Whether there is little space between boxes."""
    bounds = _bounds(0, boxes)
    needed = sum((box.width + SPACE[0]) * (box.height + SPACE[1]) for box in boxes)
    return bounds.width * bounds.height <= _SPARSE * needed


class _GroupSpace:
    """Where tables can be that join a group: ``new`` are their boxes, ``own`` those of its other tables.

    Tables without a position begin at the lower left corner of the region.
    """

    def __init__(
        self,
        arrangement: Arrangement,
        tables: Collection[int],
        key: int,
        graph: SchemaGraph,
        leaving_out: Collection[int] = (),
    ) -> None:
        positions, groups = arrangement.positions, arrangement.groups
        there = [box for box in graph.boxes if box.table in positions and box.table not in leaving_out]
        members = groups.by_key[key].tables - set(tables)
        self.own = [box.at(positions[box.table]) for box in there if box.table in members]
        self._others = [box.at(positions[box.table]) for box in there if box.table not in tables]
        if not self.own:
            return
        self._region = region = _around(key, self.own)
        inside = {box.table for box in self.own} | set(tables)
        placed = SchemaGraph(tuple(there), ())
        self._foreign = [unit.frame for unit in _units(placed, arrangement, groups, inside)]
        self._below = (region.x + PADDING, region.bottom - PADDING + SPACE[1])
        self.new = [
            box.at(positions.get(box.table, self._below)) for box in graph.boxes if box.table in tables
        ]

    def fits(self, box: Box) -> bool:
        """Whether a box is at or in the region, which would cover nothing else with it."""
        # It is near if it is no farther than Graphviz would place it.
        around = _outline(0, box.x - SPACE[0], box.y - TITLE, box.right + SPACE[0], box.bottom + PADDING)
        if not _covers(self._region, around):
            return False
        grown = _bounds(0, (self._region, _around(0, (box,))))
        return not any(_covers(grown, other) for other in self._foreign)

    def place(self, boxes: Sequence[Box]) -> dict[int, Point] | None:
        """Where boxes go together: as near as possible to where they are, else at a side of the region."""
        block, region = _bounds(0, boxes), self._region
        top = region.y + TITLE
        for wanted in (
            (block.x, block.y),
            self._below,
            (region.right - PADDING + SPACE[0], top),
            (region.x + PADDING - SPACE[0] - block.width, top),
            (region.x + PADDING, top - SPACE[1] - block.height),
        ):
            at = nearest_fitting(block, wanted, self._others, self.fits)
            if at is not None:
                return {box.table: (box.x + at[0] - block.x, box.y + at[1] - block.y) for box in boxes}
        return None

    def place_somewhere(self) -> dict[int, Point]:
        """Where a single box goes if there is no place that fits."""
        return {box.table: nearest_free(box, self._below, self._others) for box in self.new}


def _placed_together(
    graph: SchemaGraph, arrangement: Arrangement, part: SchemaGraph, found: Arrangement
) -> Arrangement:
    """With newly arranged boxes as one block, as near as possible to where they were and over nothing."""
    groups, chosen = arrangement.groups, {box.table for box in part.boxes}
    were = _frame(part.boxes, arrangement.positions, groups)
    block = _frame(part.boxes, found.positions, groups)
    others = [unit.frame for unit in _units(graph, arrangement, groups, leaving_out=chosen)]
    x, y = nearest_free(block, (were.x, were.y), others)
    return arrangement.moved(
        {table: (at[0] + x - block.x, at[1] + y - block.y) for table, at in found.positions.items()}
    )


def _placed_apart(
    graph: SchemaGraph, arrangement: Arrangement, clusters: Sequence[_Cluster], inner: Sequence[Arrangement]
) -> Arrangement:
    """With each cluster at its former corner; what is in the way of a region that has grown is moved.

    Tables in no group get the free place that is nearest to where they were.
    """
    groups, found = arrangement.groups, arrangement
    touched, loose = set[int](), list[Box]()
    for cluster, arranged in zip(clusters, inner, strict=True):
        placed = [box.at(arranged.positions[box.table]) for box in cluster.graph.boxes]
        if cluster.group is None:
            loose += placed
            continue
        chosen = {box.table for box in placed}
        touched |= chosen
        kept = groups.by_key[cluster.group].tables - chosen
        beside = [box.at(found.positions[box.table]) for box in graph.boxes if box.table in kept]
        found = found.moved(shifted_free(placed, beside, _corner_of(cluster.graph.boxes, arrangement)))
    units = _units(graph, found, groups, leaving_out={box.table for box in loose})
    found = _moved_units(found, _made_space(units, touched))
    if not loose:
        return found
    others = [unit.frame for unit in _units(graph, found, groups, leaving_out={box.table for box in loose})]
    return found.moved(shifted_free(loose, others, _corner_of(loose, arrangement)))


def _corner_of(boxes: Sequence[Box], arrangement: Arrangement) -> Point:
    """The upper left corner of boxes where they are."""
    bounds = _bounds(0, [box.at(arrangement.positions[box.table]) for box in boxes])
    return bounds.x, bounds.y


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is moved together: its outline, the visible boxes, and all tables, also those not shown now."""

    frame: Box
    boxes: frozenset[int]
    tables: frozenset[int]


def _units(
    graph: SchemaGraph, arrangement: Arrangement, groups: Groups, leaving_out: Collection[int] = ()
) -> list[_Unit]:
    """A unit for each region and for each box in no group, without those of some boxes.

    All boxes of ``graph`` have a position.
    """
    members: dict[int, list[Box]] = defaultdict(list)
    found: list[_Unit] = []
    for box in graph.boxes:
        group = groups.by_table.get(box.table)
        if box.table in leaving_out:
            continue
        if group is not None:
            members[group.key].append(box)
        else:
            own = frozenset((box.table,))
            found.append(_Unit(box.at(arrangement.positions[box.table]), own, own))
    for key, boxes in members.items():
        inside = frozenset(box.table for box in boxes)
        outline = _frame(boxes, arrangement.positions, groups)
        found.append(_Unit(outline, inside, groups.by_key[key].tables))
    return found


def _moved_units(arrangement: Arrangement, moves: Iterable[tuple[_Unit, Point]]) -> Arrangement:
    """With each unit moved by its distance."""
    positions = arrangement.positions
    return arrangement.moved(
        {
            table: (positions[table][0] + x, positions[table][1] + y)
            for unit, (x, y) in moves
            for table in unit.tables & positions.keys()
        }
    )


def _frame(boxes: Sequence[Box], positions: Mapping[int, Point], groups: Groups) -> Box:
    """The outline of boxes and of the regions that they are in."""
    placed = [box.at(positions[box.table]) for box in boxes]
    return _bounds(boxes[0].table, [*regions_of(placed, groups).values(), *placed])


def _made_space(units: Sequence[_Unit], touched: Collection[int]) -> Iterator[tuple[_Unit, Point]]:
    """The units that are moved right or down, and how far, so that those with touched boxes cover nothing.

    Other units that covered each other before stay as they are.
    """
    order = sorted(units, key=lambda unit: (unit.boxes.isdisjoint(touched), unit.frame.y, unit.frame.x))
    waiting = [(unit, unit.frame) for unit in order]
    fixed: list[Box] = []
    while waiting:
        number = next(
            (
                number
                for number, (unit, frame) in enumerate(waiting)
                if not unit.boxes.isdisjoint(touched) or any(_covers(other, frame) for other in fixed)
            ),
            None,
        )
        if number is None:
            return
        unit, frame = waiting.pop(number)
        while covering := next((other for other in fixed if _covers(other, frame)), None):
            across, down = covering.right - frame.x, covering.bottom - frame.y
            # The shorter way, and after it never over the same one again.
            step = (across + _BETWEEN[0], 0.0) if across < down else (0.0, down + _BETWEEN[1])
            frame = frame.at((frame.x + step[0], frame.y + step[1]))
        fixed.append(frame)
        if frame is not unit.frame:
            yield unit, (frame.x - unit.frame.x, frame.y - unit.frame.y)


def _covers(one: Box, other: Box) -> bool:
    return one.x < other.right and other.x < one.right and one.y < other.bottom and other.y < one.bottom


@dataclass(frozen=True, slots=True)
class _Cluster:
    """What is arranged together; ``group`` is None for tables in no group and for a collapsed one."""

    graph: SchemaGraph
    group: int | None


def _clusters(graph: SchemaGraph, groups: Groups, *, is_one: bool = False) -> list[_Cluster]:
    """A cluster for each expanded group, for each collapsed one, and for the tables in none.

    ``is_one``: collapsed groups are arranged together with the tables in none.
    """
    members: dict[int | None, list[Box]] = defaultdict(list)
    by_table, alone = groups.by_table, {group.box for group in groups.collapsed if not is_one}
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


async def _arranged(graphs: Sequence[SchemaGraph], engine: Graphviz, *, downwards: bool) -> list[Arrangement]:
    """The arrangement of each graph by Graphviz. Raises GraphvizError."""
    sources = await run_in_thread(lambda: [layout_source(each, downwards=downwards) for each in graphs])
    plain = await engine.run(("-Tplain-ext",), "".join(sources))
    return _parsed(plain.decode(errors="replace"), graphs, downwards=downwards)


def _parsed(plain: str, graphs: Sequence[SchemaGraph], *, downwards: bool) -> list[Arrangement]:
    """The arrangements in the output for several graphs."""
    parts: list[list[str]] = [[]]
    for line in plain.splitlines():
        parts[-1].append(line)
        if line == _END:
            parts.append([])
    # What is missing is parsed as an empty text, which is no layout.
    return [
        parse_source_layout("\n".join(parts[at]) if at < len(parts) else "", graph, downwards=downwards)
        for at, graph in enumerate(graphs)
    ]


def _assembled(
    graph: SchemaGraph,
    clusters: Sequence[_Cluster],
    inner: Sequence[Arrangement],
    aspect: float = WINDOW_ASPECT,
) -> Arrangement:
    """Puts arranged clusters into columns."""
    placed = [
        [box.at(arrangement.positions[box.table]) for box in cluster.graph.boxes]
        for cluster, arrangement in zip(clusters, inner, strict=True)
    ]
    frames = [
        _around(number, boxes) if cluster.group is not None else _bounds(number, boxes)
        for number, (cluster, boxes) in enumerate(zip(clusters, placed, strict=True))
    ]
    owner = {box.table: number for number, boxes in enumerate(placed) for box in boxes}
    corners = _columns(SchemaGraph(tuple(frames), tuple(_links(graph.edges, owner))), aspect)
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


def _columns(frames: SchemaGraph, aspect: float) -> dict[int, Point]:
    """The corners of clusters in columns without space in between, linked ones near one another.

    Of all numbers of columns, the one that is largest in a window with this aspect is taken.
    """
    layers = assign_layers(frames)
    linked: dict[int, Counter[int]] = defaultdict(Counter)
    for edge in frames.edges:
        linked[edge.source][edge.target] += edge.count
        linked[edge.target][edge.source] += edge.count
    order = sorted(frames.boxes, key=lambda frame: (-layers[frame.table], frame.table))
    columns = min(
        (_filled(order, number) for number in range(1, len(order) + 1)),
        key=lambda columns: _size_in_window(columns, aspect),
        default=[],
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


def _size_in_window(columns: Sequence[Sequence[Box]], aspect: float) -> float:
    width = sum(max(frame.width for frame in column) + _BETWEEN[0] for column in columns)
    return max(width / aspect, *map(_height, columns))


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
    units = _units(_visible(rest, sizes), rest, groups)
    grown = next(unit for unit in units if unit.boxes & own.tables)
    others = [unit for unit in units if unit is not grown]
    if not any(_covers(grown.frame, unit.frame) for unit in others):
        return rest
    return _moved_units(rest, _shifted(others, sizes[own.box].at(at), grown.frame))


def _visible(arrangement: Arrangement, sizes: Mapping[int, Box]) -> SchemaGraph:
    """The placed boxes that are not inside a collapsed group."""
    by_table = arrangement.groups.by_table
    collapsed = {table for table, group in by_table.items() if group.is_collapsed}
    shown = (box for table, box in sizes.items() if table not in collapsed)
    return SchemaGraph(tuple(box for box in shown if box.table in arrangement.positions), ())


def _shifted(units: Iterable[_Unit], before: Box, after: Box) -> Iterator[tuple[_Unit, Point]]:
    """What is right of or below a box that has grown in these directions, and how far it is moved.

    All of it is moved, not only what is covered: so what was left of or above something stays there, and what
    did not overlap before does not overlap now.
    """
    across, down = after.right - before.right, after.bottom - before.bottom
    for unit in units:
        x = across if unit.frame.x >= before.right - 1 else 0.0
        y = down if unit.frame.y >= before.bottom - 1 else 0.0
        if (x, y) != (0.0, 0.0):
            yield unit, (x, y)


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
    return region.x, region.y


def _around(key: int, boxes: Sequence[Box]) -> Box:
    """The region of a group."""
    bounds = _bounds(key, boxes)
    return _outline(
        key, bounds.x - PADDING, bounds.y - TITLE, bounds.right + PADDING, bounds.bottom + PADDING
    )


def _bounds(key: int, boxes: Iterable[Box]) -> Box:
    sides = ((box.x, box.y, box.right, box.bottom) for box in boxes)
    lefts, tops, rights, bottoms = zip(*sides, strict=True)
    return _outline(key, min(lefts), min(tops), max(rights), max(bottoms))


def _outline(key: int, left: float, top: float, right: float, bottom: float) -> Box:
    return Box(key, "", (), left, top, right - left, bottom - top, 0.0, ())
