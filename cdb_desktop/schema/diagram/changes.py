"""Makes one picture of two documents: the new one with everything that was removed at its old place.

Elements are the same if their keys are; what only the old document has is a ghost.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.graph_builder import widened
from cdb_desktop.schema.diagram.model import Box, BoxRow, Measure, Point, Role
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.document.model import (
    Column,
    Document,
    NestedTableEntry,
    ReverseLink,
    Table,
    TableEntry,
    UnknownEntry,
)
from cdb_desktop.schema.document.names import own_table_name, table_name

_Part = TypeVar("_Part")
_SPACE = 28.0  # between boxes that would cover one another
_STRIP = 240.0  # width of the strips in which boxes are looked up
_MARGIN = 16.0  # boxes closer than this, across, are one above the other


@dataclass(frozen=True, slots=True)
class OldText:
    """The name and the type that an element had, empty where they are the same."""

    name: str = ""
    type: str = ""


@dataclass(frozen=True)
class DocumentPair:
    """Two documents as one: ``document`` has all elements of both.

    ``removed`` are the elements that only the old one has, ``old_texts`` what others were called.
    """

    document: Document
    removed: frozenset[ElementRef] = frozenset()
    old_texts: Mapping[ElementRef, OldText] = field(default_factory=dict)


def pair_documents(old: Document, new: Document) -> DocumentPair:
    """Both documents as one; tables that nothing was removed from stay the same objects."""
    removed: set[ElementRef] = set()
    texts: dict[ElementRef, OldText] = {}
    tables: list[Table] = []
    for table in new.tables:
        was = old.by_key.get(table.key)
        if was is None or was is table:
            tables.append(table)
            continue
        lost = () if was.entries == table.entries else tuple(_lost(was, table, new))
        removed.update(one.ref(table.key) for one in lost if not isinstance(one, NestedTableEntry))
        texts.update(_old_texts(old, new, was, table))
        tables.append(_united(was, table, lost) if lost else table)
    for table in old.tables:
        if table.key not in new.by_key:
            removed.add(TableRef(table.key))
            removed.update(entry.ref(table.key) for entry in _shown(table.entries))
    every = _with_old(tables, old.tables, lambda table: table.key)
    document = replace(new, tables=tuple(every))
    return DocumentPair(document, frozenset(removed), texts)


def with_tables_of(document: Document, like: Document | None) -> Document:
    """The document with the tables of another one where they are equal: they are compared and drawn once."""
    if like is None:
        return document
    tables = tuple(
        was if (was := like.by_key.get(table.key)) is not None and was == table else table
        for table in document.tables
    )
    return replace(document, tables=tables)


_ShownEntry = Column | NestedTableEntry | ReverseLink


def _united(was: Table, table: Table, lost: Iterable[_ShownEntry]) -> Table:
    """A table of the new document with the entries that it has lost, and their keys."""
    shown = {entry.ref(table.key) for entry in (*table.entries, *lost)}
    old_entries = [one for one in _shown(was.entries) if one.ref(table.key) in shown]
    gone = was.by_key.keys() - table.by_key.keys()
    return replace(
        table,
        entries=tuple(_with_old(table.entries, old_entries, lambda entry: entry.ref(table.key))),
        foreign_keys=(
            *table.foreign_keys,
            *(key for key in was.foreign_keys if not gone.isdisjoint(key.column_keys)),
        ),
        unique_keys=(
            *table.unique_keys,
            *(key for key in was.unique_keys if not gone.isdisjoint(key.column_keys)),
        ),
    )


def _lost(was: Table, table: Table, new: Document) -> Iterator[_ShownEntry]:
    """The entries that a table has no longer; nested tables only if they do not exist any more."""
    here = {entry.ref(table.key) for entry in table.entries}
    for entry in _shown(was.entries):
        moved = isinstance(entry, NestedTableEntry) and entry.table in new.by_key
        if entry.ref(table.key) not in here and not moved:
            yield entry


def _shown(entries: Sequence[TableEntry]) -> Iterator[_ShownEntry]:
    yield from (entry for entry in entries if not isinstance(entry, UnknownEntry))


def _old_texts(
    old: Document, new: Document, was: Table, table: Table
) -> Iterator[tuple[ElementRef, OldText]]:
    # A nested table that only follows its owner's name has not been renamed itself.
    if own_table_name(old, was) != own_table_name(new, table):
        yield TableRef(table.key), OldText(was.name)
    for column in table.columns:
        before = was.by_key.get(column.key)
        if before is None or (before == column and _targets(was, before) == _targets(table, column)):
            continue
        name = before.name if before.name != column.name else ""
        types = _type_text(old, was, before), _type_text(new, table, column)
        is_same = types[0] == types[1] or _targets(was, before) == _targets(table, column) != ()
        if name or not is_same:
            yield ColumnRef(table.key, column.key), OldText(name, "" if is_same else types[0])


def _targets(table: Table, column: Column) -> tuple[int | None, ...]:
    return tuple(key.target for key in table.links.get(column.key, ())) if column.is_link else ()


def _type_text(document: Document, table: Table, column: Column) -> str:
    if not column.is_link:
        return column.type
    return "→ " + ", ".join(table_name(document, key) for key in _targets(table, column))


def _with_old(
    now: Sequence[_Part], were: Sequence[_Part], key: Callable[[_Part], Hashable]
) -> Sequence[_Part]:
    """``now`` with what only ``were`` has, each after the part that it followed."""
    known = {key(part) for part in now}
    following: dict[Hashable | None, list[_Part]] = {}
    before: Hashable | None = None
    for part in were:
        if key(part) in known:
            before = key(part)
        else:
            following.setdefault(before, []).append(part)
    if not following:
        return now
    result = list(following.get(None, ()))
    for part in now:
        result.append(part)
        result += following.get(key(part), ())
    return result


def boxes_of_pair(boxes: Sequence[Box], pair: DocumentPair, measure: Measure) -> tuple[Box, ...]:
    """The boxes of the document of a pair with old names and types; others stay the same objects."""
    changed = {table_key_of(ref) for ref in pair.old_texts}
    return tuple(
        box if changed.isdisjoint(box.tables) else with_old_texts(box, pair.old_texts, measure)
        for box in boxes
    )


def with_old_texts(box: Box, texts: Mapping[ElementRef, OldText], measure: Measure) -> Box:
    """A box in which changed names and types are shown as ``old → new``; itself if there are none."""
    if not texts:
        return box
    changed, needed = _with_texts(box, texts, measure, Role.TABLE)
    return changed if changed == box else widened(changed, max(box.width, needed))


def _with_texts(
    box: Box, texts: Mapping[ElementRef, OldText], measure: Measure, role: Role
) -> tuple[Box, float]:
    """The box with other texts, and the width that they need."""
    head, extra = _changed(box.name, texts.get(TableRef(box.table)), measure, role)
    needed = box.width + extra if extra else 0.0
    rows: list[BoxRow] = []
    for row in box.rows:
        old = texts.get(row.ref)
        name, wider = _changed(row.name, old, measure, Role.NAME)
        type_ = _changed_type(row.type, old)
        if type_ != row.type:
            wider += measure(type_, Role.TYPE)[0] - measure(row.type, Role.TYPE)[0]
        # The row may be shorter than the box; that only makes the box a little wider than necessary.
        needed = max(needed, box.width + wider if wider else 0.0)
        rows.append(replace(row, name=name, type=type_) if old is not None else row)
    nested: list[Box] = []
    for inner in box.nested:
        found, width = _with_texts(inner, texts, measure, Role.NESTED_TABLE)
        nested.append(found)
        needed = max(needed, width + box.width - inner.width if width else 0.0)
    return replace(box, name=head, rows=tuple(rows), nested=tuple(nested)), needed


def _changed(name: str, old: OldText | None, measure: Measure, role: Role) -> tuple[str, float]:
    if old is None or not old.name:
        return name, 0.0
    text = f"{old.name} → {name}"
    return text, measure(text, role)[0] - measure(name, role)[0]


def _changed_type(type_: str, old: OldText | None) -> str:
    if old is None or not old.type:
        return type_
    if "→" in type_ or "→" in old.type:
        # Arrows of links and of changes would be hard to tell apart.
        return tr("{type}, was {old}", type=type_, old=old.type.removeprefix("→ "))
    return f"{old.type} → {type_}"


def with_room(boxes: Sequence[Box], positions: Mapping[int, Point]) -> dict[int, Point]:
    """Positions in which no box covers another: boxes that would are moved down, as little as possible.

    Needs a position for each of the boxes.
    """
    strips: dict[int, list[Box]] = {}
    found = dict(positions)
    for box in sorted((box.at(positions[box.table]) for box in boxes), key=lambda each: (each.y, each.x)):
        near = {
            id(other): other
            for strip in _strips(box)
            for other in strips.get(strip, ())
            if other.bottom > box.y - _MARGIN
            and other.x < box.right + _MARGIN
            and box.x < other.right + _MARGIN
        }
        placed = box
        while covered := next((other for other in near.values() if _covers(other, placed)), None):
            placed = placed.at((placed.x, covered.bottom + _SPACE))
        found[placed.table] = (placed.x, placed.y)
        for strip in _strips(placed):
            strips.setdefault(strip, []).append(placed)
    return found


def _covers(one: Box, other: Box) -> bool:
    """Whether two boxes in the same place across are too close."""
    return other.y < one.bottom + _MARGIN and one.y < other.bottom + _MARGIN


def _strips(box: Box) -> range:
    return range(int((box.x - _MARGIN) // _STRIP), int((box.right + _MARGIN) // _STRIP) + 1)
