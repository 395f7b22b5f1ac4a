"""The left of the page: the search field and the tree of tables and columns."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr, visible
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.ui.schema.form.columns_grid import ColumnsGrid
from cdb_desktop.ui.schema.form.columns_model import COPY_FORMAT
from cdb_desktop.ui.schema.page.findings import Findings, severity_color, sign_color
from cdb_desktop.ui.schema.page.state import Node, PageState
from cdb_desktop.ui.schema.tree.model import SchemaTree, TreeModel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, MARGIN, ROW, TIGHT, scaled
from cdb_desktop.ui.widgets.input_handling import leave_keys
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named


class TreePanel(QWidget):
    """The search field and the tree.

    Signals: ``chosen`` with an ElementRef · ``entered`` when Enter is pressed in the search field, for the
    next hit · ``renamed`` with an ElementRef and the name that was typed · ``columns_dropped`` with the key
    of a table, the bytes of the copied columns, and whether they come from this page's grid.
    """

    chosen = Signal(object)
    entered = Signal()
    renamed = Signal(object, str)
    columns_dropped = Signal(object, object, bool)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = TreeModel(self)
        self.search = QLineEdit(self)
        leave_keys(self.search, "Ctrl+E")  # on X11 it moves to the end of the line
        self.tree = TreeView(self)
        self._no_matches = NoMatches(self)
        self._stack = QStackedWidget(self)
        self._is_updating = False
        self._selection: ElementRef = DOCUMENT
        self._expanded_before: tuple[TableRef, ...] = ()
        self._arrange(appearance)
        self.search.textChanged.connect(self._search)
        self._no_matches.clear_requested.connect(self._clear_search)
        self.search.returnPressed.connect(self.entered)
        # Queued until the editor is closed: renaming may move the row and its editor.
        self.model.renamed.connect(self.renamed, Qt.ConnectionType.QueuedConnection)
        self.tree.selectionModel().selectionChanged.connect(self._emit_chosen)
        self.tree.columns_dropped.connect(self.columns_dropped)
        self.search.setPlaceholderText(tr("Find table or column"))
        self.search.setToolTip(tr("Find table or column (Ctrl+F)"))
        self.search.setAccessibleName(tr("Find table or column"))
        self.tree.setAccessibleName(tr("Tables and columns"))

    def show_page(self, page: PageState) -> None:
        """Shows the document and the selection."""
        self._is_updating = True
        self._selection = page.selection
        self.model.is_editable = page.is_editable
        removed = self.model.tree.removed if page.has_changes else ()
        open_names = self._expanded_names_missing_in(page)
        kept = self._kept(page.selection)
        tree = self.model.tree
        self.model.show_tree(SchemaTree(page.document, tree.wanted, removed, kept, tree.found))
        # Saving has given new tables their ids, so their references differ; they stay expanded.
        for table in page.document.tables if open_names else ():
            if table.name in open_names:
                self.tree.expand(self.model.index_of(TableRef(table.key)))
        # Whether nothing matches is known with the findings, which contain the removed elements.
        if self.model.tree.tops:
            self._stack.setCurrentWidget(self.tree)
        self._select(page.selection)
        self._is_updating = False

    def show_findings(self, findings: Findings) -> None:
        """Shows the signs of changes and problems."""
        self._is_updating = True
        self.model.show_findings(findings)
        self._show_tree_or_no_matches()
        self._select(self._selection)
        self._is_updating = False
        self.tree.viewport().update()

    def show_found(self, refs: frozenset[Node]) -> None:
        """Shows elements that the search has found by other texts than names and types."""
        if refs == self.model.tree.found:
            return
        self._is_updating = True
        self.model.show_tree(replace(self.model.tree, found=refs))
        self._show_tree_or_no_matches()
        for node in self.model.tree.opened_by_search():
            self.tree.expand(self.model.index_of(node))
        self._select(self._selection)
        self._is_updating = False

    def rename(self, ref: ElementRef) -> None:
        """Opens the editor of a name."""
        index = self.model.index_of(ref)
        if index.isValid() and self.model.is_editable:
            self.tree.edit(index)

    def begin_search(self) -> None:
        """Gives the search field the focus."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _show_tree_or_no_matches(self) -> None:
        tree = self.model.tree
        nothing = bool(tree.wanted) and not tree.tops
        if nothing:
            self._no_matches.show_search(self.search.text().strip())
            if self.tree.hasFocus():
                self.search.setFocus()
        self._stack.setCurrentWidget(self._no_matches if nothing else self.tree)

    def _kept(self, ref: ElementRef) -> frozenset[Node]:
        """The nodes that stay visible although they do not match: the selected one."""
        tree, is_in_sight = self.model.tree, self.model.index_of(ref).isValid()
        if tree.wanted and is_in_sight and isinstance(ref, TableRef | ColumnRef):
            return tree.kept | {ref}
        return tree.kept

    def _select(self, ref: ElementRef) -> None:
        index = self.model.index_of(ref)
        selection = self.tree.selectionModel()
        if not index.isValid():
            selection.clear()
        elif selection.currentIndex() != index or not selection.isSelected(index):
            selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.tree.scrollTo(index)

    def _emit_chosen(self, selected: QItemSelection) -> None:
        indexes = selected.indexes()
        if indexes and not self._is_updating:
            self.chosen.emit(self.model.node(indexes[0]))

    def _search(self, text: str) -> None:
        wanted = text.strip().lower()
        self._is_updating = True
        if wanted and not self.model.tree.wanted:
            self._expanded_before = self._expanded_tables()
        self.model.show_tree(replace(self.model.tree, wanted=wanted, kept=frozenset()))
        self._show_tree_or_no_matches()
        if not wanted:
            self.tree.collapseAll()
        for node in self.model.tree.opened_by_search() if wanted else self._expanded_before:
            self.tree.expand(self.model.index_of(node))
        if not wanted:
            self.tree.scrollTo(self.tree.currentIndex())
        self._is_updating = False

    def _clear_search(self) -> None:
        self.search.clear()
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)

    def _expanded_tables(self) -> tuple[TableRef, ...]:
        """The expanded tables, which are expanded again after the search."""
        tables = (TableRef(table.key) for table in self.model.tree.document.tables)
        return tuple(ref for ref in tables if self.tree.isExpanded(self.model.index_of(ref)))

    def _expanded_names_missing_in(self, page: PageState) -> frozenset[str]:
        """The names of the expanded tables that have another key in ``page``."""
        was, now = self.model.tree.document, page.document.by_key
        refs = (TableRef(table.key) for table in was.tables if table.key not in now)
        is_open = (ref for ref in refs if self.tree.isExpanded(self.model.index_of(ref)))
        return frozenset(was.by_key[ref.table].name for ref in is_open)

    def eventFilter(self, _watched: object, event: QEvent) -> bool:  # noqa: N802
        """Escape clears the search, Down moves the focus to the tree."""
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
        layout = lay_out(QVBoxLayout(self), margins=(0, GAP, 0, 0), spacing=GAP)
        around = QVBoxLayout()
        around.setContentsMargins(GAP, 0, GAP, 0)
        around.addWidget(self.search)
        layout.addLayout(around)
        self._stack.addWidget(self.tree)
        self._stack.addWidget(self._no_matches)
        layout.addWidget(self._stack)


class TreeView(QTreeView):
    """The tree; names are edited on a double click, and columns are dropped on tables.

    Signals: ``columns_dropped`` as that of the panel.
    """

    columns_dropped = Signal(object, object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._target: int | None = None
        self.setAcceptDrops(True)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(GROUP)
        self.setExpandsOnDoubleClick(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        triggers = QAbstractItemView.EditTrigger.DoubleClicked
        self.setEditTriggers(triggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Leaves Escape to the page."""
        if event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Takes columns at any place: what is refused here would not be offered again further on."""
        if event.mimeData().hasFormat(COPY_FORMAT):
            event.accept()
        else:
            event.ignore()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:  # noqa: N802
        self._take_drag(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: N802
        self._show_target(None)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        target, content = self._target, bytes(event.mimeData().data(COPY_FORMAT).data())
        self._show_target(None)
        self.setState(QAbstractItemView.State.NoState)
        is_own = isinstance(event.source(), ColumnsGrid)
        is_copy = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if target is not None:
            drop = partial(self.columns_dropped.emit, target, content, is_own and not is_copy)
            QTimer.singleShot(0, self, drop)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        model = self.model()
        if self._target is not None and isinstance(model, TreeModel):
            rect = self.visualRect(model.index_of(TableRef(self._target))).adjusted(0, 0, -1, -1)
            with QPainter(self.viewport()) as painter:
                painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), 2))
                painter.drawRect(rect)

    def _take_drag(self, event: QDragMoveEvent) -> None:
        index, model = self.indexAt(event.position().toPoint()), self.model()
        target = None
        if isinstance(model, TreeModel) and model.is_editable and index.isValid():
            ref = model.node(index)
            target = ref.table if ref.table in model.tree.document.by_key else None
        if target is None or not event.mimeData().hasFormat(COPY_FORMAT):
            self._show_target(None)
            event.ignore()
            return
        is_copy = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        event.setDropAction(Qt.DropAction.CopyAction if is_copy else Qt.DropAction.MoveAction)
        event.accept()
        self._show_target(target)

    def _show_target(self, table: int | None) -> None:
        if table != self._target:
            self._target = table
            self.viewport().update()


class NoMatches(QWidget):
    """Shown instead of the tree if nothing matches the search.

    Signals: ``clear_requested`` when the button is clicked.
    """

    clear_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(self.backgroundRole().Base)
        self._text = caption(self)
        self._text.setWordWrap(True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.clear = named("schema.find.clear", QPushButton(tr("Clear search"), self))
        self.clear.clicked.connect(self.clear_requested)
        layout = lay_out(QVBoxLayout(self), self._text, margins=(GAP, MARGIN, GAP, MARGIN), spacing=GAP)
        layout.addWidget(self.clear, alignment=Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)

    @property
    def text(self) -> str:
        return self._text.text()

    def show_search(self, wanted: str) -> None:
        """Shows the search text."""
        self._text.setText(tr("No table or column is named “{text}”.", text=wanted))


Index = QModelIndex | QPersistentModelIndex

_SIGN = 14
_ICON = 9
_ELIDE = Qt.TextElideMode.ElideRight
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class TreeDelegate(QStyledItemDelegate):
    """Rows of the same height; names are edited in place."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        return QSize(super().sizeHint(option, index).width(), ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, TreeModel):
            return
        tokens = self._appearance.tokens
        rect = QRect(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(tokens.selected))
        rect.adjust(0, 0, -TIGHT, 0)
        rect = self._paint_signs(painter, rect, model, index)
        self._paint_texts(painter, rect, model, index, option.font)

    def createEditor(  # noqa: N802
        self, parent: QWidget, _option: QStyleOptionViewItem, _index: Index
    ) -> QWidget:
        field = named("schema.tree.name", QLineEdit(parent))
        field.setFrame(False)
        field.setAccessibleName(tr("New name"))
        return field

    def _paint_signs(self, painter: QPainter, rect: QRect, model: TreeModel, index: Index) -> QRect:
        tokens = self._appearance.tokens
        sign, severity = model.sign(index), model.severity(index)
        font = QFont(painter.font())
        font.setBold(True)
        painter.setFont(font)
        found = (
            (sign, sign_color(sign, tokens)) if sign else None,
            ("!", severity_color(severity, tokens)) if severity else None,
        )
        for text, color in (each for each in found if each):
            painter.setPen(color)
            ref = QRect(rect.right() - _SIGN, rect.top(), _SIGN, rect.height())
            painter.drawText(ref, Qt.AlignmentFlag.AlignCenter, text)
            rect.adjust(0, 0, -_SIGN, 0)
        return rect

    def _paint_texts(
        self, painter: QPainter, rect: QRect, model: TreeModel, index: Index, font: QFont
    ) -> None:
        tokens, node = self._appearance.tokens, model.node(index)
        if isinstance(node, TableRef):
            # Paints the icon of a table.
            top = rect.center().y() - _ICON / 2 + 0.5
            box = QRectF(rect.left() + 1.5, top, _ICON, _ICON)
            painter.setPen(QPen(QColor(self._appearance.tokens.muted), 1.0))
            painter.drawRect(box)
            painter.drawLine(box.topLeft().toPoint().x() + 1, int(top + 3), int(box.right()), int(top + 3))
            rect.adjust(_ICON + GAP, 0, 0, 0)
        is_removed = model.is_removed(index)
        own = QFont(font)
        own.setStrikeOut(is_removed)
        painter.setFont(own)
        painter.setPen(QColor(tokens.muted if is_removed else tokens.text))
        name = painter.fontMetrics().elidedText(visible(model.tree.name(node)), _ELIDE, rect.width())
        painter.drawText(rect, _LEFT, name)
        rect.adjust(painter.fontMetrics().horizontalAdvance(name) + GAP, 0, -TIGHT, 0)
        kind = model.tree.type(node)
        if kind and rect.width() > ROW:
            painter.setFont(scaled(font, CAPTION))
            painter.setPen(QColor(tokens.muted))
            painter.drawText(rect, _RIGHT, painter.fontMetrics().elidedText(kind, _ELIDE, rect.width()))
