"""The Qt model of the tree. Nodes stay expanded and selected when the document changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.checks.validation import Severity
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.ui.schema.page.findings import Findings, state_texts
from cdb_desktop.ui.schema.page.state import Node
from cdb_desktop.ui.schema.tree.nodes import SchemaTree

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
        """The title of the only column, for screen readers."""
        return tr("Tables and columns") if role == Qt.ItemDataRole.DisplayRole else None

    def columnCount(self, _parent: Index = _ROOT) -> int:  # noqa: N802
        """One column; the delegate paints everything in it."""
        return 1

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        """The name; the delegate reads everything else itself."""
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
        """Names are editable if the document is."""
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
