"""The left of the page: a search and the tree of tables and columns."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.ui.schema.nothing_found import NothingFound
from cdb_desktop.ui.schema.page import Findings, Node, Page
from cdb_desktop.ui.schema.tree_delegate import TreeDelegate
from cdb_desktop.ui.schema.tree_model import TreeModel
from cdb_desktop.ui.schema.tree_nodes import Tree
from cdb_desktop.ui.schema.tree_view import TreeView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP


class TreePanel(QWidget):
    """Search and tree.

    Signals: ``chosen`` with a place · ``found`` with the place that fits a search best, when somebody wants
    to see it · ``renamed`` with a place and the name that was typed.
    """

    chosen = Signal(object)
    found = Signal(object)
    renamed = Signal(object, str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = TreeModel(self)
        self.search = QLineEdit(self)
        self.tree = TreeView(self)
        self._nothing = NothingFound(self)
        self._stack = QStackedWidget(self)
        self._is_showing = False
        self._selection: ElementRef = DOCUMENT
        self._were_open: tuple[TableRef, ...] = ()
        self._arrange(appearance)
        self.search.textChanged.connect(self._search)
        self._nothing.clear_requested.connect(self._clear_search)
        self.search.returnPressed.connect(self._choose_best)
        # Not before the field is closed: the line may stand in another place then, and the field with it.
        self.model.renamed.connect(self.renamed, Qt.ConnectionType.QueuedConnection)
        self.tree.selectionModel().selectionChanged.connect(self._tell)
        self.retranslate()

    def show_page(self, page: Page) -> None:
        """Shows the document and what is selected."""
        self._is_showing = True
        self._selection = page.selection
        self.model.is_editable = page.is_editable
        removed = self.model.tree.removed if page.past is None else ()
        open_names = self._open_names_without(page)
        self.model.show_tree(Tree(page.document, self.model.tree.wanted, removed, self._kept(page.selection)))
        # The service has given new tables their ids: they are other places now, and as open as before.
        for table in page.document.tables if open_names else ():
            if table.name in open_names:
                self.tree.expand(self.model.index_of(TableRef(table.key)))
        # Whether nothing is left is known with the findings: what was removed comes with them.
        if self.model.tree.tops:
            self._stack.setCurrentWidget(self.tree)
        self._select(page.selection)
        self._is_showing = False

    def show_findings(self, findings: Findings) -> None:
        """Shows signs of changes and problems."""
        self._is_showing = True
        self.model.show_findings(findings)
        self._show_whether_found()
        self._select(self._selection)
        self._is_showing = False
        self.tree.viewport().update()

    def rename(self, place: ElementRef) -> None:
        """Opens the field over a name."""
        index = self.model.index_of(place)
        if index.isValid() and self.model.is_editable:
            self.tree.edit(index)

    def begin_search(self) -> None:
        """Goes to the search."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def retranslate(self) -> None:
        """Texts in the language of the moment."""
        self.search.setPlaceholderText(self.tr("Find table or column"))
        self.search.setToolTip(self.tr("Find table or column (Ctrl+F)"))
        self.search.setAccessibleName(self.tr("Find table or column"))
        self.tree.setAccessibleName(self.tr("Tables and columns"))
        self._nothing.show_search(self.search.text().strip())

    def _show_whether_found(self) -> None:
        tree = self.model.tree
        nothing = bool(tree.wanted) and not tree.tops
        if nothing:
            self._nothing.show_search(self.search.text().strip())
            if self.tree.hasFocus():
                self.search.setFocus()
        self._stack.setCurrentWidget(self._nothing if nothing else self.tree)

    def _kept(self, place: ElementRef) -> frozenset[Node]:
        """What is selected stays in sight when its new name no longer fits the search."""
        tree, is_in_sight = self.model.tree, self.model.index_of(place).isValid()
        if tree.wanted and is_in_sight and isinstance(place, TableRef | ColumnRef):
            return tree.kept | {place}
        return tree.kept

    def _select(self, place: ElementRef) -> None:
        index = self.model.index_of(place)
        selection = self.tree.selectionModel()
        if not index.isValid():
            selection.clear()
        elif selection.currentIndex() != index or not selection.isSelected(index):
            selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.tree.scrollTo(index)

    def _tell(self, selected: QItemSelection) -> None:
        indexes = selected.indexes()
        if indexes and not self._is_showing:
            self.chosen.emit(self.model.node(indexes[0]))

    def _search(self, text: str) -> None:
        wanted = text.strip().lower()
        self._is_showing = True
        if wanted and not self.model.tree.wanted:
            self._were_open = self._open_tables()
        self.model.show_tree(replace(self.model.tree, wanted=wanted, kept=frozenset()))
        self._show_whether_found()
        if not wanted:
            self.tree.collapseAll()
        for node in self.model.tree.opened_by_search() if wanted else self._were_open:
            self.tree.expand(self.model.index_of(node))
        if not wanted:
            self.tree.scrollTo(self.tree.currentIndex())
        self._is_showing = False

    def _clear_search(self) -> None:
        self.search.clear()
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)

    def _open_tables(self) -> tuple[TableRef, ...]:
        """The tables that are open, to be opened again when the search is over."""
        tables = (TableRef(table.key) for table in self.model.tree.document.tables)
        return tuple(place for place in tables if self.tree.isExpanded(self.model.index_of(place)))

    def _open_names_without(self, page: Page) -> frozenset[str]:
        """The names of the open tables that a page does not hold under the same key."""
        was, now = self.model.tree.document, page.document.by_key
        places = (TableRef(table.key) for table in was.tables if table.key not in now)
        is_open = (place for place in places if self.tree.isExpanded(self.model.index_of(place)))
        return frozenset(was.by_key[place.table].name for place in is_open)

    def _choose_best(self) -> None:
        found = self.model.tree.best_found() if self.model.tree.wanted else None
        if found is not None:
            self.found.emit(found)
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, _watched: object, event: QEvent) -> bool:  # noqa: N802
        """In the search Escape takes the text away, Down goes to the tree."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        if event.key() == Qt.Key.Key_Escape:
            if self.search.text():
                self.search.clear()
            else:
                self.tree.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        if event.key() == Qt.Key.Key_Down:
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        return False

    def _arrange(self, appearance: Appearance) -> None:
        self.setObjectName("schema.tables")
        self.search.setObjectName("schema.find")
        self.search.setClearButtonEnabled(True)
        self.search.installEventFilter(self)
        self.tree.setObjectName("schema.tree")
        self.tree.setModel(self.model)
        self.tree.setItemDelegate(TreeDelegate(appearance, self.tree))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, GAP, 0, 0)
        layout.setSpacing(GAP)
        around = QVBoxLayout()
        around.setContentsMargins(GAP, 0, GAP, 0)
        around.addWidget(self.search)
        layout.addLayout(around)
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self._nothing)
        layout.addWidget(self._stack)
