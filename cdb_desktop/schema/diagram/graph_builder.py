"""Builds the graph of a document: a box for each top-level table, an edge for each link.

Texts are measured by the caller. Boxes that an edit did not change are kept. A graph is then reduced to what
an arrangement shows, after tables were filtered and before anything is placed: collapsed groups as boxes,
folded tables with few columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.i18n import number_text, tr, visible
from cdb_desktop.schema.diagram.groups import Group, Groups, group_of_box
from cdb_desktop.schema.diagram.model import Arrangement, Box, BoxRow, Edge, Mark, Measure, Role, SchemaGraph
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, table_key_of
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
        return widened(box, width)

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


def widened(box: Box, width: float) -> Box:
    """The box with this width and the boxes inside as wide as fits."""
    inner = width - 2 * INDENT
    return replace(box, width=width, nested=tuple(widened(nested, inner) for nested in box.nested))


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


_PADDING = 14.0  # beside the texts of a collapsed group
_ROW_PADDING = 3.0
_GAP = 12.0
_LEAST_GROUP_WIDTH = 140.0
_MOST = 12  # rows for links of a collapsed group
# Keys of new columns are not below this (`new_key`).
_HIDDEN = -(1 << 62) - 1


def hidden_columns(table: int) -> ColumnRef:
    """The reference of the row of a table that stands for its hidden columns; the document has none such."""
    return ColumnRef(table, _HIDDEN)


def is_hidden_columns(ref: ElementRef) -> bool:
    """Whether a reference is one of `hidden_columns`."""
    return isinstance(ref, ColumnRef) and ref.column == _HIDDEN


def is_stand_in(ref: ElementRef) -> bool:
    """Whether a reference is that of a box or row which stands for others, and is not in the document."""
    table = table_key_of(ref)
    return is_hidden_columns(ref) or (table is not None and group_of_box(table) is not None)


def can_fold(box: Box, changed: Collection[ElementRef] = ()) -> bool:
    """Whether folding would hide rows of a box."""
    return len(list(_hidden(box, changed))) > 1 or any(can_fold(inner, changed) for inner in box.nested)


def reduced_graph(
    graph: SchemaGraph, arrangement: Arrangement, measure: Measure, changed: Collection[ElementRef] = ()
) -> SchemaGraph:
    """What an arrangement shows of a graph. ``changed`` are columns that folded tables show as well."""
    return _with_collapsed(_with_folded(graph, arrangement.folded, changed), arrangement.groups, measure)


def _with_folded(graph: SchemaGraph, folded: Collection[int], changed: Collection[ElementRef]) -> SchemaGraph:
    """With fewer rows in some boxes, and the ends of links at the rows that are left."""
    if not folded:
        return graph
    boxes = tuple(_folded(box, changed) if box.table in folded else box for box in graph.boxes)
    rows: dict[ElementRef, float] = {}
    for before, box in zip(graph.boxes, boxes, strict=True):
        if before is not box:
            rows.update(_middles(box))
    edges = (
        _with_ends(edge, rows.get(edge.ref, edge.source_y), rows.get(TableRef(edge.linked), edge.target_y))
        if edge.source in folded or edge.target in folded
        else edge
        for edge in graph.edges
    )
    return replace(graph, boxes=boxes, edges=tuple(edges))


def _with_ends(edge: Edge, source_y: float, target_y: float) -> Edge:
    """The edge with its ends at these heights, itself if they are there: most are."""
    if (source_y, target_y) == (edge.source_y, edge.target_y):
        return edge
    return replace(edge, source_y=source_y, target_y=target_y)


def _folded(box: Box, changed: Collection[ElementRef]) -> Box:
    """A box without rows that are neither keys nor links nor changed; one row says how many these are."""
    hidden = list(_hidden(box, changed))
    gone = {row.ref for row in hidden} if len(hidden) > 1 else set()
    members: list[BoxRow | Box] = sorted([*box.rows, *box.nested], key=lambda member: member.y)
    rows: list[BoxRow] = []
    nested: list[Box] = []
    below = before = box.y + box.head_height
    for member in members:
        gap = member.y - before
        before = member.y + member.height
        if isinstance(member, Box):
            inner = _folded(_lifted(member, below + gap - member.y), changed)
            nested.append(inner)
            below = inner.bottom
        elif member.ref not in gone:
            rows.append(
                BoxRow(member.ref, below + gap, member.height, member.name, member.type, member.marks)
            )
            below += gap + member.height
    last = box.bottom - before
    if gone:
        name = tr("{count:one more column|{count} more columns}", count=len(gone))
        height = hidden[0].height
        rows.append(BoxRow(hidden_columns(box.table), below, height, name, ""))
        below += height
    return replace(box, height=below + last - box.y, rows=tuple(rows), nested=tuple(nested))


def _lifted(box: Box, by: float) -> Box:
    """A nested box with all that is in it, moved down."""
    rows = tuple(replace(row, y=row.y + by) for row in box.rows)
    return replace(box, y=box.y + by, rows=rows, nested=tuple(_lifted(inner, by) for inner in box.nested))


def _hidden(box: Box, changed: Collection[ElementRef]) -> Iterator[BoxRow]:
    for row in box.rows:
        if Mark.UNIQUE not in row.marks and not row.type.startswith(("→", "←")) and row.ref not in changed:
            yield row


def _middles(box: Box) -> Iterator[tuple[ElementRef, float]]:
    """The middle of each head and row of a top-level box."""
    yield TableRef(box.table), box.y + box.head_height / 2
    for row in box.rows:
        yield row.ref, row.y + row.height / 2
    for inner in box.nested:
        yield from _middles(inner)


def _with_collapsed(graph: SchemaGraph, groups: Groups, measure: Measure) -> SchemaGraph:
    """With a box instead of each collapsed group, and one edge for all links between two boxes."""
    owner = {table: group for group in groups.collapsed for table in group.tables}
    if not owner:
        return graph
    members: dict[int, list[Box]] = defaultdict(list)
    for box in graph.boxes:
        if box.table in owner:
            members[owner[box.table].key].append(box)
    names = {box.table: box.name for box in graph.boxes}
    names |= {groups.by_key[key].box: groups.by_key[key].name for key in members}
    counted = list(_counted(graph.edges, owner))
    leaving: dict[int, list[Edge]] = defaultdict(list)
    for edge in counted:
        leaving[edge.source].append(edge)
    boxes: dict[int, Box] = {}
    for box in graph.boxes:
        group = owner.get(box.table)
        if group is None:
            boxes[box.table] = box
        elif group.box not in boxes:
            links = sorted(leaving[group.box], key=lambda edge: (-edge.count, names[edge.target]))
            boxes[group.box] = _group_box(group, len(members[group.key]), links, names, measure)
    ghosts = tuple(ghost for ghost in graph.ghosts if ghost.table not in owner)
    edges = tuple(_placed(edge, boxes) for edge in counted)
    return SchemaGraph(tuple(boxes.values()), edges, ghosts)


def _group_box(
    group: Group, tables: int, links: Sequence[Edge], names: Mapping[int, str], measure: Measure
) -> Box:
    """The box of a group: its number of tables, and a row for each table or group that it links to."""
    texts: list[tuple[ElementRef, str, str]] = [
        (TableRef(group.box), tr("{count:one table|{count} tables}", count=tables), "")
    ]
    texts += [(_row_ref(edge), names[edge.target], f"→ ×{number_text(edge.count)}") for edge in links[:_MOST]]
    if len(links) > _MOST:
        count = sum(edge.count for edge in links[_MOST:])
        name = tr("{count:one more|{count} more}", count=len(links) - _MOST)
        texts.append((hidden_columns(group.box), name, f"→ ×{number_text(count)}"))
    head_width, head_height = measure(group.name, Role.TABLE)
    below = head = head_height + 4 * _ROW_PADDING
    width = max(head_width + 2 * _PADDING, _LEAST_GROUP_WIDTH)
    rows: list[BoxRow] = []
    for ref, name, type_ in texts:
        (name_width, name_height), (type_width, type_height) = (
            measure(name, Role.NAME),
            measure(type_, Role.TYPE),
        )
        height = max(name_height, type_height) + 2 * _ROW_PADDING
        rows.append(BoxRow(ref, below, height, name, type_))
        width = max(width, name_width + type_width + _GAP + 2 * _PADDING)
        below += height
    return Box(group.box, group.name, (), 0.0, 0.0, width, below + _ROW_PADDING, head, tuple(rows))


def _row_ref(edge: Edge) -> ColumnRef:
    """The reference of the row of a group that stands for some links."""
    return ColumnRef(edge.source, edge.ref.column)


def _counted(edges: Iterable[Edge], owner: Mapping[int, Group]) -> Iterator[Edge]:
    """One edge for all links between two boxes of which one is a group; others as they are."""
    together: dict[tuple[int, int], list[Edge]] = defaultdict(list)
    for edge in edges:
        source, target = owner.get(edge.source), owner.get(edge.target)
        if source is None and target is None:
            yield edge
        elif source is not target:
            ends = (source.box if source else edge.source, target.box if target else edge.target)
            together[ends].append(edge)
    for (one, other), several in together.items():
        first, count = several[0], len(several)
        if count > 1 or other != first.target:
            # What is required of one link says nothing about the others; so all are bundled.
            first = replace(first, required=False, unique=first.unique and count == 1)
        if other != first.target or count > 1:
            first = replace(first, linked=other)
        yield replace(first, source=one, target=other, count=count)


def _placed(edge: Edge, boxes: Mapping[int, Box]) -> Edge:
    """An edge with its ends at the rows and heads of the boxes that are shown."""
    source, target = boxes[edge.source], boxes[edge.target]
    source_y, target_y = edge.source_y, edge.target_y
    if group_of_box(edge.source) is not None:
        rows = {row.ref: row for row in source.rows}
        row = rows.get(_row_ref(edge)) or source.rows[-1]
        source_y = row.y + row.height / 2
    elif edge.count > 1:
        source_y = source.head_height / 2
    if edge.linked == edge.target:
        target_y = target.head_height / 2
    return _with_ends(edge, source_y, target_y)
