"""Makes the sheet of a document, boxes and wires, and makes again only what an edit has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cdb_desktop.schema.describing import column_name, table_name
from cdb_desktop.schema.diagram import Box, Measure, Role, Row, Sheet, Wire
from cdb_desktop.schema.diagram_boxes import box_of
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import ReverseLink
from cdb_desktop.schema.places import ColumnPlace

# What a box was made of: its tables, and the names of the tables that its links go to.
_Made = tuple[tuple[Table, ...], tuple[str, ...]]

# The tables of each box by the key of the first one.
Roots = Mapping[int, tuple[Table, ...]]


@dataclass(slots=True)
class SheetMaker:
    """Makes sheets with one way of measuring texts; forget it when the fonts change."""

    measure: Measure
    _texts: dict[tuple[str, Role], tuple[float, float]] = field(default_factory=dict)
    _boxes: dict[int, tuple[_Made, Box]] = field(default_factory=dict)

    def sheet(self, document: Document, base: Document | None = None) -> Sheet:
        """All top-level tables as boxes, with the nested ones inside, and all links.

        Those that ``base`` has and ``document`` has no longer are ghosts.
        """
        roots = _roots(document)
        boxes: dict[int, tuple[_Made, Box]] = {}
        for root, tables in roots.items():
            made = (tables, tuple(_linked_names(document, tables)))
            kept = self._boxes.get(root)
            box = kept[1] if kept and _is_same(kept[0], made) else box_of(document, tables[0], self._measured)
            boxes[root] = (made, box)
        self._boxes = boxes
        there, wires = tuple(box for _, box in boxes.values()), tuple(_wires(roots, boxes))
        return Sheet(there, wires, tuple(self._ghosts(document, base)) if base else ())

    def _ghosts(self, document: Document, base: Document) -> Iterator[Box]:
        for table in base.tables:
            if table.owner is None and table.key not in document.by_key:
                yield box_of(base, table, self._measured)

    def _measured(self, text: str, role: Role) -> tuple[float, float]:
        size = self._texts.get((text, role))
        if size is None:
            size = self._texts[(text, role)] = self.measure(text, role)
        return size


def _roots(document: Document) -> Roots:
    """The top-level tables with all that is nested in them; every table stands in one of them."""
    tops = [table for table in document.tables if table.owner is None]
    found = {table.key: _with_nested(document, table) for table in tops}
    inside = {table.key for tables in found.values() for table in tables}
    for table in document.tables:
        if table.key not in inside:
            top = _in_circle(document, table)
            found[top.key] = _with_nested(document, top)
            inside.update(member.key for member in found[top.key])
    return found


def _with_nested(document: Document, table: Table) -> tuple[Table, ...]:
    return (table, *(document.by_key[key] for key in document.nested_below(table.key)))


def _in_circle(document: Document, table: Table) -> Table:
    """A table above one that no top-level table owns: it owns itself, so somebody must be the first."""
    seen: set[int] = set()
    while table.owner is not None and table.key not in seen:
        seen.add(table.key)
        table = document.by_key[table.owner]
    return table


def _linked_names(document: Document, tables: tuple[Table, ...]) -> Iterator[str]:
    """The names of other elements that stand in a box's rows."""
    for table in tables:
        yield from (table_name(document, key.target) for key in table.foreign_keys)
        for entry in table.entries:
            if isinstance(entry, ReverseLink):
                yield column_name(document, entry.table or 0, entry.column or 0)


def _is_same(kept: _Made, made: _Made) -> bool:
    same_tables = len(kept[0]) == len(made[0]) and all(a is b for a, b in zip(kept[0], made[0], strict=True))
    return same_tables and kept[1] == made[1]


def _wires(roots: Roots, boxes: Mapping[int, tuple[_Made, Box]]) -> Iterator[Wire]:
    homes = {table.key: root for root, tables in roots.items() for table in tables}
    heads = {key: y for _, box in boxes.values() for key, y in _heads(box)}
    for root, tables in roots.items():
        rows = {row.place: row.y + row.height / 2 for row in _rows(boxes[root][1])}
        for table in tables:
            for column_key, keys in table.links.items():
                place = ColumnPlace(table.key, column_key)
                target = keys[0].target
                if target is not None and place in rows:
                    yield Wire(
                        place,
                        target,
                        root,
                        rows[place],
                        homes[target],
                        heads[target],
                        required=table.by_key[column_key].flag("not_null"),
                        unique=any(key.column_keys == (column_key,) for key in table.unique_keys),
                    )


def _heads(box: Box) -> Iterator[tuple[int, float]]:
    yield box.table, box.y + box.head_height / 2
    for nested in box.nested:
        yield from _heads(nested)


def _rows(box: Box) -> Iterator[Row]:
    yield from box.rows
    for nested in box.nested:
        yield from _rows(nested)
