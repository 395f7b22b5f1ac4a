"""The simpler layout of a schema: tables packed into columns, links below them; takes milliseconds.

It needs no other program, so that a picture exists even if Graphviz takes too long or fails. Coordinates
are whole units; a character is 6 units wide, as in a monospaced font of 10 units.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

from server_stub.schema.document.column_types import Family
from server_stub.schema.document.model import Column, NestedLink, ReverseLink, Schema, Table
from server_stub.schema.render.dot import FLAGS, is_unique

CHARACTER = 6
LINE = 16
INDENT = 8
_MARGIN = 24
_BETWEEN_COLUMNS = 64
_BETWEEN_TABLES = 20
# Between the name and the type in a line, in characters.
_GAP = 3
# Width by height, as of most screens.
_ASPECT = 1.6


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a box: the head of a table, which covers `lines` lines, or a column of it."""

    depth: int
    table: Table
    left: str
    right: str = ""
    column: Column | None = None
    lines: int = 0

    @property
    def is_head(self) -> bool:
        """Whether the line is the head of a table."""
        return self.lines > 0


@dataclass(frozen=True, slots=True)
class Box:
    """A top-level table with its nested ones; its lines follow one another from the top."""

    x: int
    y: int
    width: int
    lines: tuple[Line, ...]

    @property
    def height(self) -> int:
        """The height of all lines."""
        return len(self.lines) * LINE


@dataclass(frozen=True, slots=True)
class Link:
    """The links of a column to one table: first right, then up or down, then to the target."""

    column_id: int
    points: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class PackedLayout:
    """Where everything is."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]


def pack(schema: Schema) -> PackedLayout:
    """Arranges all tables of a schema in the order of the document, from top to bottom in each column."""
    contents = [
        (_width(lines), lines)
        for table in schema.tables
        if table.owner_id is None and (lines := tuple(_lines(schema, table, 0)))
    ]
    area = sum(
        (width + _BETWEEN_COLUMNS) * (len(lines) * LINE + _BETWEEN_TABLES) for width, lines in contents
    )
    limit = sqrt(area / _ASPECT)
    boxes: list[Box] = []
    x = y = _MARGIN
    widest = 0
    for width, lines in contents:
        if y > limit:
            x, y, widest = x + widest + _BETWEEN_COLUMNS, _MARGIN, 0
        boxes.append(Box(x, y, width, lines))
        y += len(lines) * LINE + _BETWEEN_TABLES
        widest = max(widest, width)
    right = max((box.x + box.width for box in boxes), default=0)
    bottom = max((box.y + box.height for box in boxes), default=0)
    links = tuple(_links(boxes))
    return PackedLayout(right + _BETWEEN_COLUMNS, bottom + _MARGIN, tuple(boxes), links)


def _width(lines: tuple[Line, ...]) -> int:
    longest = max(
        line.depth * 2 * INDENT + (len(line.left) + len(line.right) + _GAP) * CHARACTER for line in lines
    )
    return longest + 2 * INDENT


def _lines(schema: Schema, table: Table, depth: int) -> Iterator[Line]:
    inner = tuple(_content(schema, table, depth))
    caption = ", ".join(label for flag, label in FLAGS.items() if flag in table.flags)
    yield Line(depth, table, table.name, caption, lines=len(inner) + 1)
    yield from inner


def _content(schema: Schema, table: Table, depth: int) -> Iterator[Line]:
    if table.owner_id is None:
        yield Line(depth, table, "_id", "id")
    for member in table.members:
        match member:
            case Column():
                name = member.name + (" U" if is_unique(table, member) else "")
                yield Line(depth, table, name, _type(schema, table, member), member)
            case NestedLink():
                yield from _lines(schema, schema.tables_by_id[member.table_id], depth + 1)
            case ReverseLink():
                other = schema.tables_by_id[member.table_id]
                name = f"{other.name}.{other.columns_by_id[member.column_id].name}"
                yield Line(depth, table, name, "← edited here")


def _type(schema: Schema, table: Table, column: Column) -> str:
    if column.family is not Family.LINK:
        return column.type
    return "→ " + ", ".join(schema.tables_by_id[key.table_id].name for key in table.links_of(column))


def _links(boxes: list[Box]) -> Iterator[Link]:
    heads = {
        line.table.id: (box, box.y + place * LINE + LINE // 2)
        for box in boxes
        for place, line in enumerate(box.lines)
        if line.is_head
    }
    for box in boxes:
        for place, line in enumerate(box.lines):
            if line.column is None or line.column.family is not Family.LINK:
                continue
            start = (box.x + box.width, box.y + place * LINE + LINE // 2)
            # Neighbouring vertical lines are kept apart.
            turn = start[0] + 8 + line.column.id % 12 * 4
            for key in line.table.links_of(line.column):
                target, y = heads[key.table_id]
                end = target.x if target.x > start[0] else target.x + target.width
                yield Link(line.column.id, (start, (turn, start[1]), (turn, y), (end, y)))
