"""Builds the graph of a document: a box for each top-level table, an edge for each link.

Texts are measured by the caller. Boxes that an edit did not change are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.hidden_characters import visible
from cdb_desktop.schema.diagram.model import Box, BoxRow, Edge, Mark, Measure, Role, SchemaGraph
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef
from cdb_desktop.schema.document.json_values import text_attribute
from cdb_desktop.schema.document.model import Column, Document, NestedTableEntry, ReverseLink, Table
from cdb_desktop.schema.document.names import column_name, table_name

PADDING = 14.0  # with space for signs of changes and problems
HEAD_PADDING = 6.0
ROW_PADDING = 3.0
GAP = 12.0  # between a name and the text to its right
MARK_GAP = 4.0
INDENT = 8.0  # of a nested table within its owner
# The least size of a table's box: that of one with a column, and so wide that most names fit when zoomed out.
_LEAST_WIDTH, _LEAST_HEIGHT = 180.0, 48.0

_TABLE_MARKS = (
    ("is_hierarchical", Mark.HIERARCHICAL),
    ("pool_link", Mark.IN_POOLS),
    ("has_tags", Mark.TAGS),
    ("acl_table", Mark.RIGHTS),
)

# What a box was made of: its tables, and the names of the tables that its links go to.
_BoxSource = tuple[tuple[Table, ...], tuple[str, ...]]
# The tables of each box by the key of the first one.
_Roots = Mapping[int, tuple[Table, ...]]


@dataclass(frozen=True, slots=True)
class _RowText:
    """A row before its height in the box is known."""

    ref: ElementRef
    name: str
    type: str
    marks: tuple[Mark, ...]


def build_box(document: Document, table: Table, measure: Measure) -> Box:
    """The box of a top-level table at 0, 0 with everything nested in it."""
    return _BoxBuilder(document, measure).box(table, 0.0, 0.0, frozenset())


@dataclass(frozen=True, slots=True)
class _BoxBuilder:
    document: Document
    measure: Measure

    def box(self, table: Table, x: float, y: float, above: frozenset[int]) -> Box:
        inside = above | {table.key}
        role = Role.NESTED_TABLE if above else Role.TABLE
        marks = tuple(mark for option, mark in _TABLE_MARKS if table.flag(option))
        head_width, head_height = self._size(visible(table.name), role, "", marks, HEAD_PADDING)
        width = head_width if above else max(_LEAST_WIDTH, head_width)  # nested boxes are widened
        below = y + head_height
        rows: list[BoxRow] = []
        nested: list[Box] = []
        for member in self._members(table, inside):
            if isinstance(member, Table):
                nested.append(self.box(member, x + INDENT, below + ROW_PADDING, inside))
                width = max(width, nested[-1].width + 2 * INDENT)
                below = nested[-1].bottom + ROW_PADDING
            else:
                name = visible(member.name)
                row_width, height = self._size(name, Role.NAME, member.type, member.marks, ROW_PADDING)
                rows.append(BoxRow(member.ref, below, height, name, member.type, member.marks))
                width = max(width, row_width)
                below += height
        height = max(below - y + ROW_PADDING, 0.0 if above else _LEAST_HEIGHT)
        box = Box(
            table.key,
            visible(table.name),
            marks,
            x,
            y,
            width,
            height,
            head_height,
            tuple(rows),
            tuple(nested),
        )
        return _widened(box, width)

    def _members(self, table: Table, inside: frozenset[int]) -> Iterator[_RowText | Table]:
        """Rows and nested tables in the order of the entries, then nested tables that no entry holds."""
        remaining = [key for key in self.document.nested.get(table.key, ()) if key not in inside]
        for entry in table.entries:
            if isinstance(entry, NestedTableEntry) and entry.table in remaining:
                remaining.remove(entry.table)
                yield self.document.by_key[entry.table]
            elif isinstance(entry, Column | ReverseLink):
                yield self._line(table, entry)
        yield from (self.document.by_key[key] for key in remaining)

    def _line(self, table: Table, entry: Column | ReverseLink) -> _RowText:
        ref = entry.ref(table.key)
        if isinstance(entry, ReverseLink):
            name = column_name(self.document, entry.table or 0, entry.column or 0)
            return _RowText(ref, name, "←", (Mark.REVERSE_EDIT,))
        if not entry.is_link:
            return _RowText(ref, entry.name, entry.type, _marks(table, entry))
        targets = (table_name(self.document, key.target) for key in table.links.get(entry.key, ()))
        return _RowText(ref, entry.name, f"→ {', '.join(targets)}", _marks(table, entry))

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
    """The box with this width and the boxes inside as wide as fits."""
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


@dataclass(frozen=True, slots=True)
class _Link:
    """An edge without the place of the linked table; ``y`` is that of its row."""

    ref: ColumnRef
    target: int
    y: float
    required: bool
    unique: bool
    on_delete: str


@dataclass(slots=True)
class _Built:
    """A box, what it was built from, and its links; an edit concerns few of them.

    ``around`` are the keys of its tables and of all that these refer to, ``heads`` where the heads of its
    tables are, and ``edges`` those of its links in the last graph.
    """

    source: _BoxSource
    around: frozenset[int]
    box: Box
    heads: tuple[tuple[int, float], ...]
    links: tuple[_Link, ...]
    edges: tuple[Edge, ...] = ()


@dataclass(slots=True)
class GraphBuilder:
    """Builds graphs with texts measured by ``measure``. Make a new one when the fonts change."""

    measure: Measure
    _texts: dict[tuple[str, Role], tuple[float, float]] = field(default_factory=dict)
    _boxes: dict[int, _Built] = field(default_factory=dict)
    _tables: Mapping[int, Table] = field(default_factory=dict)

    def copy(self) -> GraphBuilder:
        """Another builder that knows all texts and boxes of this one, for a diagram of its own."""
        return GraphBuilder(self.measure, self._texts, self._boxes, self._tables)

    def build(self, document: Document, base: Document | None = None) -> SchemaGraph:
        """All top-level tables as boxes, with the nested ones inside, and all links as edges.

        Tables that only ``base`` has become ghosts.
        """
        before, self._tables = self._tables, document.by_key
        changed = {key for key, table in document.by_key.items() if before.get(key) is not table}
        changed |= before.keys() - document.by_key.keys()
        boxes: dict[int, _Built] = {}
        for root, tables in _roots(document).items():
            built = self._boxes.get(root)
            if built is None or built.source[0] != tables or not changed.isdisjoint(built.around):
                built = self._built(document, tables, built)
            boxes[root] = built
        self._boxes = boxes
        there, edges = tuple(built.box for built in boxes.values()), tuple(_edges(boxes))
        return SchemaGraph(there, edges, tuple(self._ghosts(document, base)) if base else ())

    def _built(self, document: Document, tables: tuple[Table, ...], known: _Built | None) -> _Built:
        """A box of tables; the known one if it looks the same."""
        source = (tables, tuple(_linked_names(document, tables)))
        if known is not None and known.source == source:
            return known
        around = frozenset(table.key for table in tables).union(*(table.refers_to for table in tables))
        box = build_box(document, tables[0], self._measured)
        return _Built(source, around, box, tuple(_head_positions(box)), tuple(_links(tables, box)))

    def _ghosts(self, document: Document, base: Document) -> Iterator[Box]:
        for table in base.tables:
            if table.owner is None and table.key not in document.by_key:
                yield build_box(base, table, self._measured)

    def _measured(self, text: str, role: Role) -> tuple[float, float]:
        size = self._texts.get((text, role))
        if size is None:
            size = self._texts[(text, role)] = self.measure(text, role)
        return size


def _roots(document: Document) -> _Roots:
    """The top-level tables with all tables nested in them; every table is in one of them."""
    tops, nested = [table for table in document.tables if table.owner is None], document.nested
    found = {table.key: _with_nested(document, table) if table.key in nested else (table,) for table in tops}
    inside = {table.key for tables in found.values() for table in tables}
    for table in document.tables:
        if table.key not in inside:
            top = _cycle_start(document, table)
            found[top.key] = _with_nested(document, top)
            inside.update(member.key for member in found[top.key])
    return found


def _with_nested(document: Document, table: Table) -> tuple[Table, ...]:
    return (table, *(document.by_key[key] for key in document.nested_below(table.key)))


def _cycle_start(document: Document, table: Table) -> Table:
    """An owner of ``table`` in a cycle of owners, which becomes the top of a box."""
    seen: set[int] = set()
    while table.owner is not None and table.key not in seen:
        seen.add(table.key)
        table = document.by_key[table.owner]
    return table


def _linked_names(document: Document, tables: tuple[Table, ...]) -> Iterator[str]:
    """The names of other elements in the rows of a box."""
    for table in tables:
        yield from (table_name(document, key.target) for key in table.foreign_keys)
        for entry in table.entries:
            if isinstance(entry, ReverseLink):
                yield column_name(document, entry.table or 0, entry.column or 0)


def _links(tables: tuple[Table, ...], box: Box) -> Iterator[_Link]:
    """The links of the columns that have a row in a box."""
    rows = {row.ref: row.y + row.height / 2 for row in _all_rows(box)}
    for table in tables:
        for column_key, keys in table.links.items():
            ref = ColumnRef(table.key, column_key)
            target = keys[0].target
            if target is not None and ref in rows:
                yield _Link(
                    ref,
                    target,
                    rows[ref],
                    required=table.by_key[column_key].flag("not_null"),
                    unique=any(key.column_keys == (column_key,) for key in table.unique_keys),
                    on_delete=text_attribute(keys[0].raw, "on_delete"),
                )


def _edges(boxes: Mapping[int, _Built]) -> Iterator[Edge]:
    """All links as edges; those that are as in the last graph are the same objects."""
    ends = {key: (root, y) for root, built in boxes.items() for key, y in built.heads}
    for root, built in boxes.items():
        edges = built.edges
        if len(edges) != len(built.links) or any(
            (edge.target, edge.target_y) != ends[edge.linked] for edge in edges
        ):
            edges = built.edges = tuple(
                Edge(
                    link.ref,
                    link.target,
                    root,
                    link.y,
                    *ends[link.target],
                    link.required,
                    link.unique,
                    link.on_delete,
                )
                for link in built.links
            )
        yield from edges


def _head_positions(box: Box) -> Iterator[tuple[int, float]]:
    yield box.table, box.y + box.head_height / 2
    for nested in box.nested:
        yield from _head_positions(nested)


def _all_rows(box: Box) -> Iterator[BoxRow]:
    yield from box.rows
    for nested in box.nested:
        yield from _all_rows(nested)
