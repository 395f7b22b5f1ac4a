"""The diagram as values that a scene can paint: boxes with rows, edges with paths.

Lengths are in the units in which the texts were measured; x grows to the right, y downwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import chain

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import NO_GROUPS, Groups, group_of_box
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef

Point = tuple[float, float]
Path = tuple[Point, ...]


class Role(Enum):
    """The role of a text, which decides its font."""

    TABLE = "table"
    NESTED_TABLE = "nested table"
    NAME = "name"
    TYPE = "type"
    MARK = "mark"


Measure = Callable[[str, Role], tuple[float, float]]


class Mark(Enum):
    """A symbol beside a name: of tables, then of columns."""

    HIERARCHICAL = "hierarchical"
    IN_POOLS = "pools"
    TAGS = "tags"
    RIGHTS = "rights"
    REQUIRED = "required"
    UNIQUE = "unique"
    CHECKED = "checked"
    REVERSE_EDIT = "reverse edit"


def mark_text(mark: Mark) -> str:
    """What a mark means, for tooltips and legends."""
    return {
        Mark.HIERARCHICAL: tr("hierarchical"),
        Mark.IN_POOLS: tr("in pools"),
        Mark.TAGS: tr("with tags"),
        Mark.RIGHTS: tr("with rights of its own"),
        Mark.REQUIRED: tr("must have a value"),
        Mark.UNIQUE: tr("unique"),
        Mark.CHECKED: tr("checked"),
        Mark.REVERSE_EDIT: tr("edited in the linked table"),
    }[mark]


@dataclass(frozen=True, slots=True)
class BoxRow:
    """A column or a reverse link; ``y`` is relative to the corner of the whole box."""

    ref: ElementRef
    y: float
    height: float
    name: str
    type: str
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Box:
    """A table with its rows, and the tables nested in it as boxes inside.

    Of a top-level table x and y are in the diagram; everything inside is relative to its corner.
    """

    table: int
    name: str
    marks: tuple[Mark, ...]
    x: float
    y: float
    width: float
    height: float
    head_height: float
    rows: tuple[BoxRow, ...]
    nested: tuple[Box, ...] = ()

    def at(self, position: Point) -> Box:
        """The box at another position."""
        # Called for every box of every diagram; `replace` takes three times as long.
        x, y = position
        return Box(
            self.table,
            self.name,
            self.marks,
            x,
            y,
            self.width,
            self.height,
            self.head_height,
            self.rows,
            self.nested,
        )

    @property
    def tables(self) -> Iterator[int]:
        """The table, and all nested ones in the box."""
        yield self.table
        for nested in self.nested:
            yield from nested.tables

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Edge:
    """A link without a path: from a row of one box to the head of a table in a box.

    ``source`` and ``target`` are the top-level tables of the two boxes, the heights are relative to their
    corners. Crow's feet: ``required`` and ``unique`` define how many rows may be at the ends. ``on_delete``
    is the rule for deleting the linked row, empty if there is none. ``count`` is how many links it stands for
    if an end is the box of a collapsed group; ``ref`` is the first of them.
    """

    ref: ColumnRef
    linked: int
    source: int
    source_y: float
    target: int
    target_y: float
    required: bool = False
    unique: bool = False
    on_delete: str = ""
    count: int = 1

    @property
    def has_source_sign(self) -> bool:
        """Whether the end at the source says how many rows may be there."""
        return self.count == 1 and group_of_box(self.source) is None

    @property
    def has_target_sign(self) -> bool:
        """Whether the end at the target says how many rows may be there."""
        return self.count == 1 and group_of_box(self.target) is None


@dataclass(frozen=True, slots=True)
class RoutedEdge:
    """An edge with its path: the corners of horizontal and vertical segments, from its row to the head.

    ``bundled`` is the number of links that share the end if this link shows it, else 0.
    """

    edge: Edge
    path: Path
    bundled: int = 0

    def changed(self, edge: Edge, bundled: int) -> RoutedEdge:
        """With another state of the edge and another number, itself if they are the same."""
        if (edge, bundled) == (self.edge, self.bundled):
            return self
        return RoutedEdge(edge, self.path, bundled)


@dataclass(frozen=True, slots=True)
class SchemaGraph:
    """What a diagram shows, before anything has a position: boxes at 0, 0 and the edges between them.

    ``ghosts`` are the boxes of tables that were removed.
    """

    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    ghosts: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The positions of boxes by table key, the groups, and which tables show only keys, links and changes.

    Tables in collapsed groups keep their positions; the box of such a group has one of its own.
    """

    positions: Mapping[int, Point] = field(default_factory=dict)
    groups: Groups = NO_GROUPS
    folded: frozenset[int] = frozenset()

    def moved(self, positions: Mapping[int, Point]) -> Arrangement:
        """With other positions for some boxes."""
        return replace(self, positions={**self.positions, **positions})

    def renumbered(self, tables: Mapping[int, int]) -> Arrangement:
        """With the ids of tables that saving assigned, by the keys before."""
        return Arrangement(
            {tables.get(key, key): position for key, position in self.positions.items()},
            self.groups.renumbered(tables),
            frozenset(tables.get(key, key) for key in self.folded),
        )

    def lasting(self) -> Arrangement:
        """Only what has ids of the service, which outlive the program."""
        groups = self.groups.lasting()
        kept = {
            key: position
            for key, position in self.positions.items()
            if key > 0 or group_of_box(key) in groups.by_key
        }
        return Arrangement(kept, groups, frozenset(key for key in self.folded if key > 0))


_ROUNDING = 7.0


def rounded(path: Path) -> Path:
    """A path of straight segments as cubic curves with round corners.

    The first point is followed by three for each curve.
    """
    points = [path[0]]
    for before, corner, after in zip(path, path[1:], path[2:], strict=False):
        start, end = _towards(corner, before), _towards(corner, after)
        points += [*_straight(points[-1], start), _between(start, corner), _between(end, corner), end]
    return (*points, *_straight(points[-1], path[-1]))


def _straight(start: Point, end: Point) -> tuple[Point, Point, Point]:
    """A straight curve; its control points are apart, so that the direction of its ends is known."""
    across, down = (end[0] - start[0]) / 3, (end[1] - start[1]) / 3
    return (start[0] + across, start[1] + down), (end[0] - across, end[1] - down), end


def _towards(corner: Point, other: Point) -> Point:
    """The point at which the rounding of a corner begins."""
    across, down = other[0] - corner[0], other[1] - corner[1]
    length = abs(across) + abs(down)
    part = min(_ROUNDING, length / 2) / length if length else 0.0
    return corner[0] + across * part, corner[1] + down * part


def _between(start: Point, corner: Point) -> Point:
    """The control point of an arc."""
    return start[0] + (corner[0] - start[0]) * 0.55, start[1] + (corner[1] - start[1]) * 0.55


@dataclass(frozen=True)
class Diagram:
    """Boxes with positions, edges with paths, and the arrangement of all of them."""

    boxes: tuple[Box, ...]
    links: tuple[RoutedEdge, ...]
    arrangement: Arrangement
    ghosts: tuple[Box, ...] = ()

    @cached_property
    def by_table(self) -> Mapping[int, Box]:
        """The boxes of top-level tables by their keys."""
        return {box.table: box for box in self.boxes}

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of all boxes and links; zeros without any."""
        boxes = (*self.boxes, *self.ghosts)
        corners = [corner for box in boxes for corner in ((box.x, box.y), (box.right, box.bottom))]
        points = [*corners, *chain.from_iterable(link.path for link in self.links)]
        if not points:
            return (0.0, 0.0, 0.0, 0.0)
        across, down = zip(*points, strict=True)
        return (min(across), min(down), max(across), max(down))
