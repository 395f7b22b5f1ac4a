"""The tree: tables by name with nested tables and columns below, filtered by a search, and its Qt model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.checks.validation import Severity
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.model import Column, Document, NestedTableEntry, Table
from cdb_desktop.schema.document.names import natural_key, own_name
from cdb_desktop.ui.schema.page.findings import Findings, RemovedElement, state_texts
from cdb_desktop.ui.schema.page.state import Node

Index = QModelIndex | QPersistentModelIndex

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_SPOKEN = int(Qt.ItemDataRole.AccessibleTextRole)
_EDIT = int(Qt.ItemDataRole.EditRole)
_ROOT = QModelIndex()
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_NAMED = _FLAGS | Qt.ItemFlag.ItemIsEditable


class TreeModel(QAbstractItemModel):
    """The nodes of a SchemaTree.

    Signals: ``renamed`` with an ElementRef and the new name that was typed.
    """

    renamed = Signal(object, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tree = SchemaTree(Document({}, ()))
        self.is_editable = False
        self._signs: Mapping[ElementRef, str] = {}
        self._faults: Mapping[ElementRef, Severity] = {}
        self._numbers: dict[Node, int] = {}
        self._nodes: list[Node] = []

    def show_tree(self, tree: SchemaTree) -> None:
        """Replaces the tree; persistent indexes follow their elements."""
        if tree.document is self.tree.document and tree == replace(self.tree, document=tree.document):
            return
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        nodes = [self.node(index) for index in kept]
        self.tree = tree
        self.changePersistentIndexList(kept, [self.index_of(node) for node in nodes])
        self.layoutChanged.emit()

    def show_findings(self, findings: Findings) -> None:
        self._signs, self._faults = findings.signs, findings.severities
        if findings.document is self.tree.document:
            self.show_tree(replace(self.tree, removed=findings.removed))

    def node(self, index: Index) -> Node:
        """The element of a valid index."""
        return self._nodes[index.internalId()]

    def index_of(self, ref: ElementRef) -> QModelIndex:
        """The index of an element, an invalid one if it is not in the tree."""
        if not isinstance(ref, TableRef | ColumnRef):
            return _ROOT
        if ref.table not in self.tree.document.by_key and ref not in self.tree.shown_removed:
            return _ROOT
        row = self.tree.row(ref)
        return _ROOT if row is None else self.createIndex(row, 0, self._number(ref))

    def sign(self, index: Index) -> str:
        """The sign of a change, or empty."""
        node = self.node(index)
        return "−" if node in self.tree.shown_removed else self._signs.get(node, "")

    def is_removed(self, index: Index) -> bool:
        """Whether the element has been removed."""
        return self.node(index) in self.tree.shown_removed

    def severity(self, index: Index) -> Severity | None:
        """The severity of the worst problem, or None."""
        return self._faults.get(self.node(index))

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        nodes = self.tree.children(self.node(parent)) if parent.isValid() else self.tree.tops
        if column != 0 or not 0 <= row < len(nodes):
            return _ROOT
        return self.createIndex(row, 0, self._number(nodes[row]))

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        node = self.tree.parent(self.node(index)) if index.isValid() else None
        return _ROOT if node is None else self.index_of(node)

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return len(self.tree.children(self.node(parent)) if parent.isValid() else self.tree.tops)

    def hasChildren(self, parent: Index = _ROOT) -> bool:  # noqa: N802
        """Whether a node can be expanded; the view asks all tables after each edit."""
        return self.tree.has_children(self.node(parent)) if parent.isValid() else bool(self.tree.tops)

    def headerData(  # noqa: N802
        self, _section: int, _orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        return tr("Tables and columns") if role == Qt.ItemDataRole.DisplayRole else None

    def columnCount(self, _parent: Index = _ROOT) -> int:  # noqa: N802
        return 1

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        if role in (_DISPLAY, _EDIT) and index.isValid():
            return self.tree.name(self.node(index))
        return self._spoken(index) if role == _SPOKEN and index.isValid() else None

    def _spoken(self, index: Index) -> str:
        """What the delegate paints, in words for screen readers."""
        node = self.node(index)
        kind = tr("table") if isinstance(node, TableRef) else self.tree.type(node)
        if kind.startswith("→ "):
            kind = tr("links to {table}", table=kind.removeprefix("→ "))
        states = state_texts(self.sign(index), self.severity(index))
        return ", ".join(filter(None, (self.tree.name(node), kind, *states)))

    def setData(self, index: Index, value: object, role: int = _EDIT) -> bool:  # noqa: N802
        """Signals the new name; the document changes only if it is possible."""
        if role != _EDIT or not isinstance(value, str):
            return False
        if value and value != self.tree.name(self.node(index)):
            self.renamed.emit(self.node(index), value)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        is_named = self.is_editable and not self.is_removed(index)
        return _NAMED if is_named else _FLAGS

    def _number(self, node: Node) -> int:
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = len(self._nodes)
            self._nodes.append(node)
        return number


@dataclass(frozen=True)
class SchemaTree:
    """The tree of a document; ``wanted`` is the search text in lower case.

    ``removed`` are the removed tables and columns, which are listed below the others; ``kept``
    are visible during any search, ``found`` those that it has found by their comments or localized names.
    """

    document: Document
    wanted: str = ""
    removed: tuple[RemovedElement, ...] = ()
    kept: frozenset[Node] = frozenset()
    found: frozenset[Node] = frozenset()

    @cached_property
    def tops(self) -> tuple[Node, ...]:
        """The top-level nodes, sorted by name."""
        tables = [table for table in self.document.tables if self._is_top(table)]
        found = (TableRef(table.key) for table in sorted(tables, key=lambda table: natural_key(table.name)))
        return (*(ref for ref in found if self._is_visible(ref.table)), *self._removed_below(None))

    @cached_property
    def shown_removed(self) -> Mapping[Node, RemovedElement]:
        """The removed elements that are in the tree. Undo may have restored some of ``removed``."""
        found = (removed for removed in self.removed if self._is_removed_shown(removed))
        return {removed.ref: removed for removed in found if not self.document.contains(removed.ref)}

    def children(self, node: Node) -> tuple[Node, ...]:
        """The columns and nested tables of a table in the order of its entries."""
        if isinstance(node, ColumnRef) or node in self.shown_removed:
            return ()
        if node.table not in self._children:
            own = self._children_of(self.document.by_key[node.table])
            self._children[node.table] = (*own, *self._removed_below(node.table))
        return self._children[node.table]

    def has_children(self, node: Node) -> bool:
        """Whether `children` has any, without making the list where that is not needed."""
        if isinstance(node, ColumnRef) or node in self.shown_removed:
            return False
        has_columns = not self.wanted and bool(self.document.by_key[node.table].columns)
        return has_columns or bool(self.children(node))

    def parent(self, node: Node) -> Node | None:
        """The table that contains a node, None for top-level nodes."""
        removed = self.shown_removed.get(node)
        if removed is not None:
            return None if removed.owner is None else TableRef(removed.owner)
        if isinstance(node, ColumnRef):
            return TableRef(node.table)
        table = self.document.by_key.get(node.table)
        return None if table is None or self._is_top(table) else TableRef(table.owner or 0)

    def row(self, node: Node) -> int | None:
        """The row of a node among its siblings, None if it is not in the tree."""
        parent = self.parent(node)
        if parent is not None and parent.table not in self.document.by_key:
            return None
        if parent not in self._rows:
            siblings = self.tops if parent is None else self.children(parent)
            self._rows[parent] = {sibling: row for row, sibling in enumerate(siblings)}
        return self._rows[parent].get(node)

    def name(self, node: Node) -> str:
        """The name without that of the owner."""
        if node in self.shown_removed:
            return self.shown_removed[node].name
        table = self.document.by_key[node.table]
        if isinstance(node, ColumnRef):
            return table.by_key[node.column].name
        owner = None if table.owner is None else self.document.by_key.get(table.owner)
        return table.name if owner is None else own_name(table.name, owner.name)

    def type(self, node: Node) -> str:
        """The type of a column or the target of a link, empty for tables."""
        if isinstance(node, TableRef) or node in self.shown_removed:
            return ""
        table = self.document.by_key[node.table]
        column = table.by_key[node.column]
        targets = (self.document.by_key.get(key.target or 0) for key in table.links.get(column.key, ()))
        names = ", ".join(target.name for target in targets if target is not None)
        return f"→ {names}" if names else column.type

    def opened_by_search(self) -> tuple[Node, ...]:
        """The tables to expand so that all matches are visible."""
        if not self.wanted:
            return ()
        found = (table.key for table in self.document.tables if table.key in self._with_matches)
        return tuple(TableRef(key) for key in found)

    @cached_property
    def _children(self) -> dict[int, tuple[Node, ...]]:
        return {}

    @cached_property
    def _rows(self) -> dict[Node | None, Mapping[Node, int]]:
        return {}

    @cached_property
    def _matching_tables(self) -> frozenset[int]:
        return frozenset(
            table.key
            for table in self.document.tables
            if self.wanted in table.name.lower() or TableRef(table.key) in self.found
        )

    @cached_property
    def _with_matches(self) -> frozenset[int]:
        """The tables that contain a match at any depth."""
        found: set[int] = set()
        held = self._with_kept
        for table in self.document.tables:
            if table.key in held or any(self._is_match(table, column) for column in table.columns):
                found.add(table.key)
            if table.key in found or table.key in self._matching_tables or TableRef(table.key) in self.kept:
                owner = table.owner
                while owner is not None and owner not in found:
                    found.add(owner)
                    owner = self.document.by_key[owner].owner
        return frozenset(found)

    @property
    def _with_kept(self) -> frozenset[int]:
        """The tables that contain a removed element or a kept column."""
        kept = (ref.table for ref in self.kept if isinstance(ref, ColumnRef))
        return frozenset(
            [*kept, *(removed.owner for removed in self.shown_removed.values() if removed.owner is not None)]
        )

    def _is_removed_shown(self, removed: RemovedElement) -> bool:
        """Whether the search matches a removed element or its table."""
        fits = self.wanted in removed.name.lower() or removed.owner in self._matching_tables
        return fits or removed.ref in self.kept

    def _is_match(self, table: Table, column: Column) -> bool:
        fits = self.wanted in column.name.lower() or self.wanted == column.type.lower()
        if fits or not (self.kept or self.found):
            return fits
        ref = ColumnRef(table.key, column.key)
        return ref in self.kept or ref in self.found

    def _is_visible(self, table: int) -> bool:
        fits = not self.wanted or table in self._matching_tables or table in self._with_matches
        return fits or TableRef(table) in self.kept

    def _is_top(self, table: Table) -> bool:
        has_owner = table.owner is not None and table.owner in self.document.by_key
        return not has_owner or table.key in self._cycle_starts

    @cached_property
    def _cycle_starts(self) -> frozenset[int]:
        """A table of each cycle of owners, which files may have; it is shown at the top."""
        tables = self.document.by_key
        done: set[int] = set()
        starts: set[int] = set()
        for table in self.document.tables:
            above: list[int] = []
            key: int | None = table.key
            while key is not None and key in tables and key not in done:
                done.add(key)
                above.append(key)
                key = tables[key].owner
            if key in above:
                starts.add(key)
        return frozenset(starts)

    def _children_of(self, table: Table) -> tuple[Node, ...]:
        waiting = list(self.document.nested.get(table.key, ()))
        found: list[Node] = []
        whole = not self.wanted or table.key in self._matching_tables
        for entry in table.entries:
            if isinstance(entry, NestedTableEntry) and entry.table in waiting:
                waiting.remove(entry.table)
                found.append(TableRef(entry.table))
            elif isinstance(entry, Column) and (whole or self._is_match(table, entry)):
                found.append(ColumnRef(table.key, entry.key))
        found.extend(TableRef(key) for key in waiting)
        if self._cycle_starts:
            cut = self._cycle_starts
            found = [one for one in found if isinstance(one, ColumnRef) or one.table not in cut]
        return tuple(
            node for node in found if isinstance(node, ColumnRef) or self._is_visible(node.table) or whole
        )

    def _removed_below(self, owner: int | None) -> Iterator[Node]:
        return (removed.ref for removed in self.shown_removed.values() if removed.owner == owner)
