"""The lines of a box, heads and rows from top to bottom, with their rectangles; knows no Qt item."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cdb_desktop.schema.diagram.model import Box, BoxRow, Mark, Role
from cdb_desktop.schema.document.element_ref import ElementRef, TableRef


@dataclass(frozen=True, slots=True)
class Line:
    """A head or a row; lengths are relative to the corner of the whole box, ``depth`` counts nesting."""

    place: ElementRef
    role: Role
    left: float
    width: float
    top: float
    height: float
    name: str
    type: str
    marks: tuple[Mark, ...]
    depth: int

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height

    @property
    def middle(self) -> float:
        """Half of the height."""
        return self.top + self.height / 2


@dataclass(frozen=True, slots=True)
class Frame:
    """The outline of a nested box."""

    left: float
    top: float
    width: float
    height: float
    head_height: float
    depth: int


def lines_of(box: Box) -> tuple[Line, ...]:
    """All lines of a top-level box in the order in which they are seen."""
    return tuple(sorted(_lines(box, 0.0, 0.0, 0), key=lambda line: line.top))


def frames_of(box: Box) -> tuple[Frame, ...]:
    """The outlines of all boxes inside, outer ones first."""
    return tuple(_frames(box, 1))


def _lines(part: Box, left: float, top: float, depth: int) -> Iterator[Line]:
    role = Role.NESTED_TABLE if depth else Role.TABLE
    place, height = TableRef(part.table), part.head_height
    yield Line(place, role, left, part.width, top, height, part.name, "", part.marks, depth)
    for row in part.rows:
        yield _row(row, left, part.width, depth)
    for nested in part.nested:
        yield from _lines(nested, nested.x, nested.y, depth + 1)


def _row(row: BoxRow, left: float, width: float, depth: int) -> Line:
    return Line(row.ref, Role.NAME, left, width, row.y, row.height, row.name, row.type, row.marks, depth)


def _frames(box: Box, depth: int) -> Iterator[Frame]:
    for nested in box.nested:
        yield Frame(nested.x, nested.y, nested.width, nested.height, nested.head_height, depth)
        yield from _frames(nested, depth + 1)
