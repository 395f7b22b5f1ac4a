"""Makes boxes of tables: rows, marks and sizes, from texts that the caller measures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cdb_desktop.schema.describing import column_name, table_name
from cdb_desktop.schema.diagram import Box, Mark, Measure, Role, Row
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import Column, NestedLink, ReverseLink
from cdb_desktop.schema.places import Place

PADDING = 8.0
HEAD_PADDING = 6.0
ROW_PADDING = 3.0
GAP = 12.0  # between a name and what stands to its right
MARK_GAP = 4.0
INDENT = 8.0  # of a nested table within its owner
LEAST_WIDTH = 80.0

_TABLE_MARKS = (
    ("is_hierarchical", Mark.HIERARCHICAL),
    ("pool_link", Mark.IN_POOLS),
    ("has_tags", Mark.TAGS),
    ("acl_table", Mark.RIGHTS),
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A row before its height in the box is known."""

    place: Place
    name: str
    type: str
    marks: tuple[Mark, ...]


def box_of(document: Document, table: Table, measure: Measure) -> Box:
    """The box of a top-level table at 0, 0 with everything nested in it."""
    return _Boxes(document, measure).box(table, 0.0, 0.0, frozenset())


@dataclass(frozen=True, slots=True)
class _Boxes:
    document: Document
    measure: Measure

    def box(self, table: Table, x: float, y: float, above: frozenset[int]) -> Box:
        inside = above | {table.key}
        role = Role.NESTED_TABLE if above else Role.TABLE
        marks = tuple(mark for option, mark in _TABLE_MARKS if table.flag(option))
        head_width, head_height = self._size(table.name, role, "", marks, HEAD_PADDING)
        width = max(LEAST_WIDTH, head_width)
        below = y + head_height
        rows: list[Row] = []
        nested: list[Box] = []
        for member in self._members(table, inside):
            if isinstance(member, Table):
                nested.append(self.box(member, x + INDENT, below + ROW_PADDING, inside))
                width = max(width, nested[-1].width + 2 * INDENT)
                below = nested[-1].bottom + ROW_PADDING
            else:
                row_width, height = self._size(member.name, Role.NAME, member.type, member.marks, ROW_PADDING)
                rows.append(Row(member.place, below, height, member.name, member.type, member.marks))
                width = max(width, row_width)
                below += height
        height = below - y + ROW_PADDING
        box = Box(table.key, table.name, marks, x, y, width, height, head_height, tuple(rows), tuple(nested))
        return _widened(box, width)

    def _members(self, table: Table, inside: frozenset[int]) -> Iterator[_Line | Table]:
        """Rows and nested tables in the order of the entries, then nested tables that no entry holds."""
        waiting = [key for key in self.document.nested.get(table.key, ()) if key not in inside]
        for entry in table.entries:
            if isinstance(entry, NestedLink) and entry.table in waiting:
                waiting.remove(entry.table)
                yield self.document.by_key[entry.table]
            elif isinstance(entry, Column | ReverseLink):
                yield self._line(table, entry)
        yield from (self.document.by_key[key] for key in waiting)

    def _line(self, table: Table, entry: Column | ReverseLink) -> _Line:
        place = entry.place(table.key)
        if isinstance(entry, ReverseLink):
            name = column_name(self.document, entry.table or 0, entry.column or 0)
            return _Line(place, name, "←", (Mark.REVERSE_EDIT,))
        if not entry.is_link:
            return _Line(place, entry.name, entry.type, _marks(table, entry))
        targets = (table_name(self.document, key.target) for key in table.links.get(entry.key, ()))
        return _Line(place, entry.name, f"→ {', '.join(targets)}", _marks(table, entry))

    def _size(
        self, name: str, role: Role, type_: str, marks: tuple[Mark, ...], padding: float
    ) -> tuple[float, float]:
        name_width, name_height = self.measure(name, role)
        type_width, type_height = self.measure(type_, Role.TYPE) if type_ else (0.0, 0.0)
        mark_widths = sum(self.measure(mark.value, Role.MARK)[0] + MARK_GAP for mark in marks)
        gap = GAP if type_ else 0.0
        width = name_width + mark_widths + gap + type_width + 2 * PADDING
        return width, max(name_height, type_height) + 2 * padding


def _widened(box: Box, width: float) -> Box:
    """The box with the boxes inside as wide as it leaves room for."""
    inner = width - 2 * INDENT
    return replace(box, width=width, nested=tuple(_widened(nested, inner) for nested in box.nested))


def _marks(table: Table, column: Column) -> tuple[Mark, ...]:
    marks = []
    if column.flag("not_null"):
        marks.append(Mark.REQUIRED)
    if any(column.key in key.column_keys for key in table.unique_keys):
        marks.append(Mark.UNIQUE)
    if column.raw.get("check"):
        marks.append(Mark.CHECKED)
    if column.flag("reverse_edit"):
        marks.append(Mark.REVERSE_EDIT)
    return tuple(marks)
