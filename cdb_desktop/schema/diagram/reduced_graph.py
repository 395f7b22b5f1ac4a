"""Reduces a graph to what an arrangement shows: collapsed groups as boxes, folded tables with few columns.

Both are applied to the graph after tables were filtered, and before anything is placed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.schema.diagram.groups import Group, Groups, group_of_box
from cdb_desktop.schema.diagram.model import (
    Arrangement,
    Box,
    BoxRow,
    Edge,
    Mark,
    Measure,
    Role,
    SchemaGraph,
)
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, table_key_of

_PADDING = 14.0  # beside the texts of a collapsed group
_ROW_PADDING = 3.0
_GAP = 12.0
_LEAST_WIDTH = 140.0
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
        texts.append((_more_ref(group), name, f"→ ×{number_text(count)}"))
    head_width, head_height = measure(group.name, Role.TABLE)
    below = head = head_height + 4 * _ROW_PADDING
    width = max(head_width + 2 * _PADDING, _LEAST_WIDTH)
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


def _more_ref(group: Group) -> ColumnRef:
    return hidden_columns(group.box)


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
