"""The tree of tables and columns as a Qt model: what is open and selected stays so over every edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.validation.problem import Severity
from cdb_desktop.ui.schema.page import Findings, Node
from cdb_desktop.ui.schema.tree_nodes import Tree

Index = QModelIndex | QPersistentModelIndex

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_EDIT = int(Qt.ItemDataRole.EditRole)
_ROOT = QModelIndex()
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class TreeModel(QAbstractItemModel):
    """Nodes of a Tree.

    Signals: ``renamed`` with a place and the new name that somebody typed.
    """

    renamed = Signal(object, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tree = Tree(Document({}, ()))
        self.is_editable = False
        self._signs: Mapping[ElementRef, str] = {}
        self._faults: Mapping[ElementRef, Severity] = {}
        self._numbers: dict[Node, int] = {}
        self._nodes: list[Node] = []

    def show_tree(self, tree: Tree) -> None:
        """Shows another state; indexes that somebody keeps follow their places."""
        if tree.document is self.tree.document and tree == replace(self.tree, document=tree.document):
            return
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        nodes = [self.node(index) for index in kept]
        self.tree = tree
        self.changePersistentIndexList(kept, [self.index_of(node) for node in nodes])
        self.layoutChanged.emit()

    def show_findings(self, findings: Findings) -> None:
        """Shows signs of changes and problems."""
        self._signs, self._faults = findings.signs, findings.faults
        if findings.document is self.tree.document:
            self.show_tree(replace(self.tree, removed=findings.ghosts))

    def node(self, index: Index) -> Node:
        """What a valid index stands for."""
        return self._nodes[index.internalId()]

    def index_of(self, place: ElementRef) -> QModelIndex:
        """The index of a place, an invalid one where it is not shown."""
        if not isinstance(place, TableRef | ColumnRef):
            return _ROOT
        if place.table not in self.tree.document.by_key and place not in self.tree.ghosts:
            return _ROOT
        row = self.tree.row(place)
        return _ROOT if row is None else self.createIndex(row, 0, self._number(place))

    def sign(self, index: Index) -> str:
        """The sign of what has changed, empty where nothing has."""
        node = self.node(index)
        return "−" if node in self.tree.ghosts else self._signs.get(node, "")

    def is_removed(self, index: Index) -> bool:
        """Whether it is there no longer."""
        return self.node(index) in self.tree.ghosts

    def fault(self, index: Index) -> Severity | None:
        """The worst problem of it, None without any."""
        return self._faults.get(self.node(index))

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        """A child by its place among the children."""
        nodes = self.tree.children(self.node(parent)) if parent.isValid() else self.tree.tops
        if column != 0 or not 0 <= row < len(nodes):
            return _ROOT
        return self.createIndex(row, 0, self._number(nodes[row]))

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        """The table around."""
        node = self.tree.parent(self.node(index)) if index.isValid() else None
        return _ROOT if node is None else self.index_of(node)

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """How many tables, or entries of a table."""
        return len(self.tree.children(self.node(parent)) if parent.isValid() else self.tree.tops)

    def headerData(  # noqa: N802
        self, _section: int, _orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The name of the only column, for assistive programs."""
        return self.tr("Tables and columns") if role == Qt.ItemDataRole.DisplayRole else None

    def columnCount(self, _parent: Index = _ROOT) -> int:  # noqa: N802
        """One: the delegate paints all that is to be seen."""
        return 1

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        """The name; all else is the delegate's."""
        if role in (_DISPLAY, _EDIT) and index.isValid():
            return self.tree.name(self.node(index))
        return None

    def setData(self, index: Index, value: object, role: int = _EDIT) -> bool:  # noqa: N802
        """Asks for another name; the document changes only when somebody grants it."""
        if role != _EDIT or not isinstance(value, str):
            return False
        if value and value != self.tree.name(self.node(index)):
            self.renamed.emit(self.node(index), value)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Names can be edited in place where the document can."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        is_named = self.is_editable and not self.is_removed(index)
        return _FLAGS | Qt.ItemFlag.ItemIsEditable if is_named else _FLAGS

    def _number(self, node: Node) -> int:
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = len(self._nodes)
            self._nodes.append(node)
        return number
