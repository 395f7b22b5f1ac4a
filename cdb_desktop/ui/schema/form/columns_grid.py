"""The grid of a table's columns, edited like a spreadsheet, and its Qt model.

Its last row adds columns. Enter and Tab go on while something is being entered; otherwise Tab leaves the
grid, so that the keyboard is never caught in it.
"""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLineEdit,
    QMenu,
    QScrollArea,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr, visible
from cdb_desktop.schema.document.element_ref import ElementRef
from cdb_desktop.schema.document.model import Column, Document, Table
from cdb_desktop.ui.schema.form.columns_model import COPY_FORMAT, NAME, REQUIRED, TYPE, ColumnsModel, Index
from cdb_desktop.ui.schema.form.fields import FilterField
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.widgets.menus import context_menu

_ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)

_ARROWS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)

_NARROWEST, _WIDEST = 0.4, 0.62  # the type column's share of the width
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_HEADER = """
QHeaderView { background: palette(window); }
QHeaderView::section {
    background: palette(window); color: palette(placeholder-text); font-weight: normal;
    border: none; border-bottom: 1px solid palette(dark); padding: 0 4px; height: 23px;
}
"""


class ColumnsGrid(QTableView):
    """The entries of a table. Actions on one of several selected rows apply to all of them.

    Signals: ``opened`` with the ElementRef of a row · ``several_opened`` with a tuple of Columns ·
    ``removal_requested`` with a tuple of ElementRefs · ``move_requested`` with a tuple of ElementRefs and the
    number of rows to go · ``moved`` with a tuple of ElementRefs and the row before which they go ·
    ``required`` with a tuple of Columns and the answer · ``retyped`` with a tuple of Columns and a type or a
    LinkTarget · ``added`` with the name of a new column and the key of its table · ``rows_pasted`` ·
    ``rows_dropped`` with the bytes of a copy and a row · ``menu_requested`` with a menu before it opens.
    """

    opened = Signal(object)
    several_opened = Signal(object)
    removal_requested = Signal(object)
    move_requested = Signal(object, int)
    moved = Signal(object, int)
    required = Signal(object, bool)
    retyped = Signal(object, object)
    added = Signal(str, object)
    rows_pasted = Signal()
    rows_dropped = Signal(object, int)
    menu_requested = Signal(object)

    def __init__(
        self,
        appearance: Appearance,
        types: Callable[[Column], list[tuple[str, object]]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.columns = ColumnsModel(self)
        self.setModel(self.columns)
        delegate = ColumnsDelegate(appearance, types, self)
        self.setItemDelegate(delegate)
        self._table: int | None = None
        self._is_entering = self._is_adding = False
        self._drop_row: int | None = None
        self._arrange()
        self.doubleClicked.connect(self._double_clicked)
        self.clicked.connect(self._clicked)
        self.columns.required.connect(self._require)
        self.columns.retyped.connect(self._retype)
        delegate.finished.connect(self._go_on)
        delegate.rows_pasted.connect(self.rows_pasted)

    def show_table(self, document: Document, table: Table, *, editable: bool) -> None:
        """Shows the entries of a table. Selected entries stay selected when they are moved."""
        selected, current = self.selected_refs(), self.currentIndex()
        first = min(self._selected_rows(), default=0)
        ref = self.columns.ref(current.row()) if self._is_entry(current) else None
        column = current.column() if current.isValid() else NAME
        is_same = self._table == table.key
        self._table = table.key
        self.columns.show_table(document, table, editable=editable)
        self._share_width()
        if not is_same or (not selected and ref is None):
            self.selectionModel().clear()
            return
        rows = {ref: row for row, ref in enumerate(self.columns.refs())}
        left = [rows[each] for each in selected if each in rows]
        if selected and not left and rows:
            # All selected rows have been removed: the next one is selected instead.
            left = [min(first, len(rows) - 1)]
            ref = self.columns.ref(left[0])
        self._select(left, rows.get(ref) if ref is not None else None, column)

    def selected_columns(self) -> tuple[int, ...]:
        """The keys of the selected columns."""
        return tuple(column.key for column in self._selected_columns())

    def selected_refs(self) -> tuple[ElementRef, ...]:
        """The elements of the selected rows."""
        return tuple(self.columns.ref(row) for row in self._selected_rows())

    def select_refs(self, refs: tuple[ElementRef, ...]) -> None:
        """Selects the rows of these elements, and makes the first one current."""
        rows = [row for row, ref in enumerate(self.columns.refs()) if ref in refs]
        self._select(rows, rows[0] if rows else None, NAME)

    def begin_new(self) -> None:
        """Lets the user type the name of a new column."""
        index = self.columns.index(self.columns.new_row, NAME)
        if index.isValid():
            self.setFocus()
            self._is_adding = True
            self._begin(index)

    @property
    def paste_row(self) -> int | None:
        """The row before which pasted columns go: after the selected ones, None for the end."""
        rows = self._selected_rows()
        return rows[-1] + 1 if rows else None

    def move_rows(self, step: int) -> None:
        """Requests to move the selected rows by ``step``."""
        refs = self._refs_to_change()
        if refs:
            self.move_requested.emit(refs, step)

    def selectionCommand(  # noqa: N802
        self, index: QModelIndex | QPersistentModelIndex, event: QEvent | None = None
    ) -> QItemSelectionModel.SelectionFlag:
        """Keeps the selection when the check mark of a selected row is clicked."""
        is_plain = isinstance(event, QMouseEvent) and event.modifiers() == Qt.KeyboardModifier.NoModifier
        is_check_mark = index.isValid() and index.column() == REQUIRED
        if is_plain and is_check_mark and self.selectionModel().isSelected(index):
            return QItemSelectionModel.SelectionFlag.NoUpdate
        return super().selectionCommand(index, event)

    def event(self, event: QEvent) -> bool:
        """Takes the keys for the current row before they trigger the actions for the table."""
        key = event if isinstance(event, QKeyEvent) else None
        has_row = event.type() == QEvent.Type.ShortcutOverride and self._is_entry(self.currentIndex())
        if key is not None and has_row and _is_for_row(key):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter adds a column, F2 edits the cell, Alt+Enter opens the rows, Delete removes them.

        Alt with arrow keys moves them. Tab goes on after something was entered.
        """
        index, key, alt = self.currentIndex(), event.key(), Qt.KeyboardModifier.AltModifier
        if key in (*_ARROWS, Qt.Key.Key_Escape):
            self._is_entering = self._is_adding = False
        if key in _ENTER_KEYS and not event.modifiers() & alt and self.columns.is_editable:
            self.begin_new()
        elif not self._is_entry(index):
            super().keyPressEvent(event)
        elif key in _ENTER_KEYS:
            self._open_rows()
        elif not _is_for_row(event):
            super().keyPressEvent(event)
        elif not self.columns.is_editable:
            event.ignore()
        elif key == Qt.Key.Key_F2:
            self._begin(index if index.column() == TYPE else self.columns.index(index.row(), NAME))
        elif key == Qt.Key.Key_Delete:
            self.removal_requested.emit(self._refs_to_change())
        else:
            self.move_rows(-1 if key == Qt.Key.Key_Up else 1)

    def focusNextPrevChild(self, following: bool) -> bool:  # noqa: N802
        """Tab goes on to the next cell while columns are entered, else it leaves the grid."""
        index = self.currentIndex()
        if following and self._is_entering and self._is_entry(index):
            self._go_on(index, Qt.Key.Key_Tab)
            return True
        return super().focusNextPrevChild(following)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Ends the entering of columns, so that Tab leaves the grid."""
        self._is_entering = self._is_adding = False
        super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        index = self.indexAt(event.pos())
        at = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            at = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).bottomLeft())
        elif self._is_entry(index) and index.row() not in self._selected_rows():
            self.setCurrentIndex(index)
        self._menu().popup(at)

    def startDrag(self, _actions: Qt.DropAction) -> None:  # noqa: N802
        if self.selected_refs():
            super().startDrag(Qt.DropAction.CopyAction | Qt.DropAction.MoveAction)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        self._take_drag(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:  # noqa: N802
        self._take_drag(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: N802
        self._show_drop(None)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        row = self._row_at(event.position().toPoint())
        self._show_drop(None)
        self.setState(QAbstractItemView.State.NoState)
        is_own = event.source() is self
        is_copy = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        # The view would remove the rows of a move itself.
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if is_own and not is_copy:
            QTimer.singleShot(0, self, partial(self.moved.emit, self.selected_refs(), row))
        else:
            content = bytes(event.mimeData().data(COPY_FORMAT).data())
            QTimer.singleShot(0, self, partial(self.rows_dropped.emit, content, row))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        if self._drop_row is None:
            return
        y = self._drop_row * self.verticalHeader().defaultSectionSize()
        with QPainter(self.viewport()) as painter:
            painter.setPen(QPen(QColor(self._appearance.tokens.accent), 2))
            painter.drawLine(0, max(y, 1), self.viewport().width(), max(y, 1))

    def sizeHint(self) -> QSize:  # noqa: N802
        """The size of all rows; the form around the grid scrolls."""
        rows = max(self.columns.rowCount(), 2)
        return QSize(280, rows * ROW + self.horizontalHeader().height() + 4)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._share_width()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(200, self.sizeHint().height())

    def _selected_rows(self) -> list[int]:
        rows = {index.row() for index in self.selectionModel().selectedIndexes()}
        return sorted(row for row in rows if row < len(self.columns.entries))

    def _selected_columns(self) -> tuple[Column, ...]:
        entries = (self.columns.entries[row] for row in self._selected_rows())
        return tuple(entry for entry in entries if isinstance(entry, Column))

    def _refs_to_change(self) -> tuple[ElementRef, ...]:
        """The elements of the selected rows, of the current row if none is selected."""
        current = self.currentIndex()
        alone = (self.columns.ref(current.row()),) if self._is_entry(current) else ()
        return self.selected_refs() or alone

    def _require(self, column: Column, on: bool) -> None:
        selected = self._selected_columns()
        self.required.emit(selected if column in selected else (column,), on)

    def _retype(self, column: Column, type_: object) -> None:
        selected = self._selected_columns()
        self.retyped.emit(selected if column in selected else (column,), type_)

    def _is_entry(self, index: Index) -> bool:
        return index.isValid() and index.row() < len(self.columns.entries)

    def _begin(self, index: QModelIndex) -> None:
        """Edits a cell as part of entering several."""
        self._is_entering = True
        row = self.columns.index(index.row(), 0)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.selectionModel().select(row, flags)
        self.edit(index)
        self._scroll_to(index)

    def _scroll_to(self, index: QModelIndex) -> None:
        """Scrolls the form, since the grid shows all rows."""
        widget: QWidget | None = self.parentWidget()
        while widget is not None and not isinstance(widget, QScrollArea):
            widget = widget.parentWidget()
        content = None if widget is None else widget.widget()
        if widget is not None and content is not None:
            inside = content.mapFromGlobal(self.viewport().mapToGlobal(self.visualRect(index).center()))
            widget.ensureVisible(inside.x(), inside.y(), 0, 2 * ROW)

    def _go_on(self, index: Index, key: Qt.Key, text: str = "") -> None:
        """Continues with the next cell after one was entered: with Tab at the right, with Enter below."""
        row, column = index.row(), index.column()
        if key not in (*_ENTER_KEYS, Qt.Key.Key_Tab):
            self._is_entering = self._is_adding = False
            if text:
                # The editor is still being closed, and the table may be replaced by then.
                QTimer.singleShot(0, self, partial(self.added.emit, text, self._table))
            return
        if row == self.columns.new_row and not text:
            self._is_entering = self._is_adding = False
            return
        if text:
            self.added.emit(text, self._table)
        is_tab = key == Qt.Key.Key_Tab
        following = self.columns.index(row, column + 1)
        if not is_tab or column == REQUIRED:
            following = self.columns.index(row + 1, NAME)
        if not is_tab and not self._is_adding:
            self._is_entering = False
        elif following.column() == REQUIRED or not following.flags() & Qt.ItemFlag.ItemIsEditable:
            self._is_entering = True
            self.setCurrentIndex(following)
        else:
            self._begin(following)

    def _open_rows(self) -> None:
        """Opens the only row, or the columns among several."""
        columns, refs = self._selected_columns(), self._refs_to_change()
        if len(columns) > 1 and self.columns.is_editable:
            self.several_opened.emit(columns)
        elif refs:
            self.opened.emit(refs[0])

    def _menu(self) -> QMenu:
        menu = context_menu(self, "schema.columns.menu")
        refs, editable = self.selected_refs(), self.columns.is_editable
        several = len(self._selected_columns()) > 1 and editable
        text = tr("Edit the columns together…") if several else tr("Open the row")
        details = menu.addAction(text, QKeySequence("Alt+Return"), self._open_rows)
        details.setEnabled(bool(refs))
        menu.addSeparator()
        self.menu_requested.emit(menu)
        menu.addSeparator()
        for text, keys, step in ((tr("Move up"), "Alt+Up", -1), (tr("Move down"), "Alt+Down", 1)):
            move = menu.addAction(text, QKeySequence(keys), partial(self.move_rows, step))
            move.setEnabled(editable and bool(refs))
        menu.addSeparator()
        remove = menu.addAction(
            tr("Delete rows"),
            QKeySequence("Del"),
            lambda: self.removal_requested.emit(self._refs_to_change()),
        )
        remove.setEnabled(editable and bool(refs))
        return menu

    def _take_drag(self, event: QDragMoveEvent) -> None:
        if not self.columns.is_editable or not event.mimeData().hasFormat(COPY_FORMAT):
            event.ignore()
            return
        if event.source() is self and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.setDropAction(Qt.DropAction.MoveAction)
        else:
            event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self._show_drop(self._row_at(event.position().toPoint()))

    def _row_at(self, at: QPoint) -> int:
        """The row before which rows go that are dropped at a position."""
        row = (at.y() + ROW // 2) // ROW
        return min(max(row, 0), len(self.columns.entries))

    def _show_drop(self, row: int | None) -> None:
        if row != self._drop_row:
            self._drop_row = row
            self.viewport().update()

    def _select(self, rows: list[int], current: int | None, column: int) -> None:
        selection, last = QItemSelection(), self.columns.columnCount() - 1
        for row in rows:
            selection.select(self.columns.index(row, 0), self.columns.index(row, last))
        model = self.selectionModel()
        index = self.columns.index(current, column) if current is not None else QModelIndex()
        if index.isValid():
            model.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        model.select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _share_width(self) -> None:
        """Sets the width of the types, within limits that leave space for the names."""
        header = self.horizontalHeader()
        free = self.viewport().width() - header.sectionSize(REQUIRED)
        # Not the size hint, for which Qt would ask for a thousand rows.
        width = self.fontMetrics().horizontalAdvance
        needed = max(map(width, self.columns.type_texts), default=0) + 2 * GAP
        header.resizeSection(TYPE, round(min(max(needed, free * _NARROWEST), free * _WIDEST)))

    def _clicked(self, index: QModelIndex) -> None:
        """A click into the empty row begins a column."""
        if index.row() == self.columns.new_row:
            self.begin_new()

    def _double_clicked(self, index: QModelIndex) -> None:
        if self._is_entry(index) and not self.columns.flags(index) & Qt.ItemFlag.ItemIsEditable:
            self.opened.emit(self.columns.ref(index.row()))

    def _arrange(self) -> None:
        self.setObjectName("schema.columns")
        self.setAccessibleName(tr("Columns"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDragEnabled(True)
        self.setAcceptDrops(True)
        self.setDragDropOverwriteMode(False)
        self.setDropIndicatorShown(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(ROW)
        header = self.horizontalHeader()
        header.setStyleSheet(_HEADER)
        header.setDefaultAlignment(_LEFT)
        header.setHighlightSections(False)
        # A selection of its own, which is empty: Qt would look whether each cell of each column is selected.
        header.setSelectionModel(QItemSelectionModel(self.columns, header))
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(TYPE, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(REQUIRED, QHeaderView.ResizeMode.Fixed)
        title = self.columns.headerData(REQUIRED, Qt.Orientation.Horizontal)
        header.resizeSection(REQUIRED, QFontMetrics(self.font()).horizontalAdvance(str(title)) + 2 * GAP)


def _is_for_row(event: QKeyEvent) -> bool:
    """Whether a key is for the current row."""
    if event.modifiers() == Qt.KeyboardModifier.AltModifier:
        return event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, *_ENTER_KEYS)
    plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
    return plain and event.key() in (Qt.Key.Key_F2, Qt.Key.Key_Delete)


_CHECK = int(Qt.ItemDataRole.CheckStateRole)
_NO_HINT = QAbstractItemDelegate.EndEditHint.NoHint


def _is_new(index: Index) -> bool:
    """Whether an index is in the row for a new column."""
    model = index.model()
    return isinstance(model, ColumnsModel) and index.row() == model.new_row


def _has_rows() -> bool:
    """Whether the clipboard holds more than the text of one cell."""
    data = QGuiApplication.clipboard().mimeData()
    text = data.text().strip("\r\n")
    return data.hasFormat(COPY_FORMAT) or any(separator in text for separator in "\t\n")


class ColumnsDelegate(QStyledItemDelegate):
    """Paints and edits the cells.

    Signals: ``finished`` with the index of a cell after it was entered, the key, and the text for a new
    column · ``rows_pasted`` when the clipboard with rows is pasted into a name.
    """

    finished = Signal(object, object, str)
    rows_pasted = Signal()

    def __init__(
        self,
        appearance: Appearance,
        types: Callable[[Column], list[tuple[str, object]]],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._types = types
        self._index = QPersistentModelIndex()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, ColumnsModel):
            return
        tokens, rect = self._appearance.tokens, QRect(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(tokens.selected))
        if index.column() == REQUIRED:
            self._paint_check_mark(painter, rect, model, index)
            return
        entry = model.entries[index.row()] if index.row() < len(model.entries) else None
        plain = isinstance(entry, Column) and index.column() == NAME
        painter.setPen(QColor(tokens.text if plain else tokens.muted))
        rect.adjust(4, 0, -4, 0)
        text = visible(str(model.data(index) or ""))
        painter.drawText(
            rect, _LEFT, painter.fontMetrics().elidedText(text, option.textElideMode, rect.width())
        )

    def createEditor(  # noqa: N802
        self, parent: QWidget, _option: QStyleOptionViewItem, index: Index
    ) -> QWidget:
        model = index.model()
        self._index = QPersistentModelIndex(index)
        if index.column() == TYPE and isinstance(model, ColumnsModel):
            entry = model.entries[index.row()]
            choice = FilterField("schema.columns.type", parent)
            choice.setFrame(False)
            choice.setAccessibleName(tr("Type"))
            if isinstance(entry, Column):
                choice.show_choices(self._types(entry), model.choice(entry))
            choice.takes_tab = True
            choice.finished.connect(lambda key: self._finish(choice, key))
            # Unless typing has opened it already.
            QTimer.singleShot(0, choice, choice.open_untyped)
            return choice
        field = QLineEdit(parent)
        field.setObjectName("schema.columns.name")
        field.setFrame(False)
        field.setAccessibleName(tr("New name"))
        return field

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Goes on after Enter and Tab, and pastes rows instead of their text."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return super().eventFilter(watched, event)
        if isinstance(watched, FilterField):
            if event.key() == Qt.Key.Key_Tab or (event.key() in _ENTER_KEYS and not watched.is_undecided):
                self._finish(watched, Qt.Key(event.key()))
                return True
        elif isinstance(watched, QLineEdit):
            if event.key() in (*_ENTER_KEYS, Qt.Key.Key_Tab):
                self._finish(watched, Qt.Key(event.key()))
                return True
            if event.matches(QKeySequence.StandardKey.Paste) and _has_rows():
                self.closeEditor.emit(watched, _NO_HINT)
                self.rows_pasted.emit()
                return True
        return super().eventFilter(watched, event)

    def editorEvent(  # noqa: N802
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """A click anywhere on the cell, or Space, toggles the check mark."""
        if index.column() != REQUIRED or not index.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            return super().editorEvent(event, model, option, index)
        clicked = event.type() == QEvent.Type.MouseButtonRelease
        typed = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space
        if clicked or (typed and event.type() == QEvent.Type.KeyPress):
            is_on = model.data(index, _CHECK) == Qt.CheckState.Checked
            return model.setData(index, Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked, _CHECK)
        return False

    def setEditorData(self, editor: QWidget, index: Index) -> None:  # noqa: N802
        """Selects the type, so that typing replaces it. The name of a new column is empty."""
        if isinstance(editor, FilterField):
            editor.selectAll()
        elif not _is_new(index):
            super().setEditorData(editor, index)

    def setModelData(  # noqa: N802
        self, editor: QWidget, model: QAbstractItemModel, index: Index
    ) -> None:
        """Sets the chosen type and discards the typed text. A name for a new column is added."""
        if isinstance(editor, FilterField):
            model.setData(index, editor.chosen)
        elif (
            isinstance(editor, QLineEdit) and isinstance(model, ColumnsModel) and index.row() == model.new_row
        ):
            # The focus has left the row.
            self.finished.emit(QPersistentModelIndex(index), Qt.Key.Key_unknown, editor.text().strip())
        else:
            super().setModelData(editor, model, index)

    def _finish(self, editor: QLineEdit, key: Qt.Key) -> None:
        """Closes an editor; the next cell is edited when that is done."""
        index = QPersistentModelIndex(self._index)
        is_new = _is_new(index)
        text = editor.text().strip() if is_new else ""
        if not is_new:
            self.commitData.emit(editor)
        self.closeEditor.emit(editor, _NO_HINT)
        self.finished.emit(index, key, text)

    def _paint_check_mark(self, painter: QPainter, rect: QRect, model: ColumnsModel, index: Index) -> None:
        state = model.data(index, _CHECK)
        if state is None:
            return
        tokens = self._appearance.tokens
        is_on = state == Qt.CheckState.Checked
        painter.setPen(QColor(tokens.accent if is_on else tokens.handle))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, "●" if is_on else "○")
