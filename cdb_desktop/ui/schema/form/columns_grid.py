"""The grid of a table's columns, in which names and types are edited in place, and its Qt model."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.element_ref import ElementRef, TableRef
from cdb_desktop.schema.document.model import (
    Column,
    Document,
    NestedTableEntry,
    ReverseLink,
    Table,
    TableEntry,
)
from cdb_desktop.schema.document.names import column_name, own_name, table_name
from cdb_desktop.ui.schema.form.fields import FilterField
from cdb_desktop.ui.schema.form.type_choices import type_choices, type_name
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW

Index = QModelIndex | QPersistentModelIndex

NAME, TYPE, REQUIRED = range(3)

_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_EDIT = int(Qt.ItemDataRole.EditRole)
_CHECK = int(Qt.ItemDataRole.CheckStateRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_ROOT = QModelIndex()
_CHECKED, _UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


_NARROWEST, _WIDEST = 0.4, 0.62  # the type column's share of the width
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_HEADER = """
QHeaderView { background: palette(window); }
QHeaderView::section {
    background: palette(window); color: palette(placeholder-text); font-weight: normal;
    border: none; border-bottom: 1px solid palette(dark); padding: 0 4px; height: 23px;
}
"""


class ColumnsModel(QAbstractTableModel):
    """The entries of one table in their order.

    Signals: ``renamed`` with a Column and a name · ``retyped`` with a Column and a type ·
    ``required`` with a Column and the answer.
    """

    renamed = Signal(object, str)
    retyped = Signal(object, str)
    required = Signal(object, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_editable = False
        self._document: Document = Document({}, ())
        self._table: Table | None = None

    @property
    def entries(self) -> tuple[TableEntry, ...]:
        """The entries that the rows show."""
        return self._table.entries if self._table else ()

    def show_table(self, document: Document, table: Table, *, editable: bool) -> None:
        """Replaces the entries."""
        self.is_editable = editable
        same = self._table is not None and self._table.key == table.key
        if same and len(table.entries) == len(self.entries):
            self._document, self._table = document, table
            if table.entries:
                self.dataChanged.emit(self.index(0, 0), self.index(len(table.entries) - 1, REQUIRED))
            return
        self.beginResetModel()
        self._document, self._table = document, table
        self.endResetModel()

    def ref(self, row: int) -> ElementRef:
        """The element of a row; the nested table if the row is its entry."""
        entry = self.entries[row]
        if isinstance(entry, NestedTableEntry) and entry.table is not None:
            return TableRef(entry.table)
        return entry.ref(self._table.key if self._table else 0)

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.entries)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else 3

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY
    ) -> object:
        if orientation != Qt.Orientation.Horizontal or role != _DISPLAY:
            return None
        return (tr("Name"), tr("Type"), tr("Required"))[section]

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        entry = self.entries[index.row()]
        if role in (_DISPLAY, _EDIT):
            return (self._name(entry), self._type(entry), None)[index.column()]
        if role == _TOOLTIP and index.column() == TYPE and isinstance(entry, Column) and not entry.is_link:
            return type_choices([entry.type])[0][0]
        if role == _CHECK and index.column() == REQUIRED and isinstance(entry, Column):
            return _CHECKED if entry.flag("not_null") else _UNCHECKED
        return None

    def setData(self, index: Index, value: object, role: int = _EDIT) -> bool:  # noqa: N802
        """Signals the requested change; the document changes only if it is possible."""
        entry = self.entries[index.row()]
        if not isinstance(entry, Column):
            return False
        if role == _CHECK:
            self.required.emit(entry, Qt.CheckState(value) == _CHECKED)
        elif index.column() == NAME and value and value != entry.name:
            self.renamed.emit(entry, str(value))
        elif index.column() == TYPE and value and value != entry.type:
            self.retyped.emit(entry, str(value))
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Only columns are editable."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if not self.is_editable or not isinstance(self.entries[index.row()], Column):
            return flags
        more = Qt.ItemFlag.ItemIsUserCheckable if index.column() == REQUIRED else Qt.ItemFlag.ItemIsEditable
        return flags | more

    def _name(self, entry: TableEntry) -> str:
        match entry:
            case Column():
                return entry.name
            case NestedTableEntry(table=key):
                return own_name(table_name(self._document, key), self._table.name if self._table else "")
            case ReverseLink(table=table, column=column):
                return column_name(self._document, table or 0, column or 0)
            case _:
                return "?"

    def _type(self, entry: TableEntry) -> str:
        match entry:
            case Column() if entry.is_link and self._table:
                targets = (key.target for key in self._table.links.get(entry.key, ()))
                return f"→ {', '.join(table_name(self._document, target) for target in targets)}"
            case Column():
                return type_name(entry.type)
            case NestedTableEntry():
                return tr("nested table")
            case ReverseLink():
                return tr("edited here")
            case _:
                return ""


class ColumnsGrid(QTableView):
    """The entries of a table. Actions on one of several selected rows apply to all of them.

    Signals: ``opened`` with the ElementRef of a row · ``removal_requested`` with a
    tuple of ElementRefs · ``move_requested`` with a tuple of ElementRefs and the number of rows to go ·
    ``required`` with a tuple of Columns and the answer.
    """

    opened = Signal(object)
    removal_requested = Signal(object)
    move_requested = Signal(object, int)
    required = Signal(object, bool)

    def __init__(
        self, appearance: Appearance, types: Callable[[Column], list[str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.columns = ColumnsModel(self)
        self.setModel(self.columns)
        self.setItemDelegate(_ColumnsDelegate(appearance, types, self))
        self._table: int | None = None
        self._arrange()
        self.doubleClicked.connect(self._double_clicked)
        self.columns.required.connect(self._require)

    def show_table(self, document: Document, table: Table, *, editable: bool) -> None:
        """Shows the entries of a table. Selected entries stay selected when they are moved."""
        selected, current = self.selected_refs(), self.currentIndex()
        first = min(self._selected_rows(), default=0)
        ref = self.columns.ref(current.row()) if current.isValid() else None
        column = current.column() if current.isValid() else NAME
        is_same = self._table == table.key
        self._table = table.key
        self.columns.show_table(document, table, editable=editable)
        self._share_width()
        rows = {self.columns.ref(row): row for row in range(self.columns.rowCount())}
        if not is_same or (not selected and ref is None):
            self.selectionModel().clear()
            return
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
        has_row = event.type() == QEvent.Type.ShortcutOverride and self.currentIndex().isValid()
        if key is not None and has_row and _is_for_row(key):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter opens the current row, F2 renames it, Delete removes it, Alt with arrow keys moves it."""
        index, key = self.currentIndex(), event.key()
        if not index.isValid():
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self.columns.ref(index.row()))
        elif not _is_for_row(event):
            super().keyPressEvent(event)
        elif not self.columns.is_editable:
            event.ignore()
        elif key == Qt.Key.Key_F2:
            self.edit(self.columns.index(index.row(), NAME))
        elif key == Qt.Key.Key_Delete:
            self.removal_requested.emit(self._refs_to_change())
        else:
            self.move_rows(-1 if key == Qt.Key.Key_Up else 1)

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
        return sorted({index.row() for index in self.selectionModel().selectedIndexes()})

    def _selected_columns(self) -> tuple[Column, ...]:
        entries = (self.columns.entries[row] for row in self._selected_rows())
        return tuple(entry for entry in entries if isinstance(entry, Column))

    def _refs_to_change(self) -> tuple[ElementRef, ...]:
        """The elements of the selected rows, of the current row if none is selected."""
        current = self.currentIndex()
        alone = (self.columns.ref(current.row()),) if current.isValid() else ()
        return self.selected_refs() or alone

    def _require(self, column: Column, on: bool) -> None:
        selected = self._selected_columns()
        self.required.emit(selected if column in selected else (column,), on)

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
        needed = self.sizeHintForColumn(TYPE) + GAP
        header.resizeSection(TYPE, round(min(max(needed, free * _NARROWEST), free * _WIDEST)))

    def _double_clicked(self, index: QModelIndex) -> None:
        if not self.columns.flags(index) & Qt.ItemFlag.ItemIsEditable:
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
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(ROW)
        header = self.horizontalHeader()
        header.setStyleSheet(_HEADER)
        header.setDefaultAlignment(_LEFT)
        header.setHighlightSections(False)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(TYPE, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(REQUIRED, QHeaderView.ResizeMode.Fixed)
        title = self.columns.headerData(REQUIRED, Qt.Orientation.Horizontal)
        header.resizeSection(REQUIRED, QFontMetrics(self.font()).horizontalAdvance(str(title)) + 2 * GAP)


def _is_for_row(event: QKeyEvent) -> bool:
    """Whether a key is for the current row."""
    if event.modifiers() == Qt.KeyboardModifier.AltModifier:
        return event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down)
    plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
    return plain and event.key() in (Qt.Key.Key_F2, Qt.Key.Key_Delete)


class _ColumnsDelegate(QStyledItemDelegate):
    def __init__(self, appearance: Appearance, types: Callable[[Column], list[str]], parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._types = types

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
        plain = isinstance(model.entries[index.row()], Column) and index.column() == NAME
        painter.setPen(QColor(tokens.text if plain else tokens.muted))
        rect.adjust(4, 0, -4, 0)
        text = str(model.data(index))
        painter.drawText(
            rect, _LEFT, painter.fontMetrics().elidedText(text, option.textElideMode, rect.width())
        )

    def createEditor(  # noqa: N802
        self, parent: QWidget, _option: QStyleOptionViewItem, index: Index
    ) -> QWidget:
        model = index.model()
        if index.column() == TYPE and isinstance(model, ColumnsModel):
            entry = model.entries[index.row()]
            types = self._types(entry) if isinstance(entry, Column) else []
            choice = FilterField("schema.columns.type", parent)
            choice.setFrame(False)
            choice.setAccessibleName(tr("Type"))
            choice.show_choices(type_choices(types), entry.type if isinstance(entry, Column) else None)
            choice.decided.connect(lambda: self._done(choice))
            # Unless typing has opened it already.
            QTimer.singleShot(0, choice, choice.open_untyped)
            return choice
        field = QLineEdit(parent)
        field.setFrame(False)
        field.setAccessibleName(tr("New name"))
        return field

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
        """Selects the type, so that typing replaces it."""
        if isinstance(editor, FilterField):
            editor.selectAll()
        else:
            super().setEditorData(editor, index)

    def setModelData(  # noqa: N802
        self, editor: QWidget, model: QAbstractItemModel, index: Index
    ) -> None:
        """Sets the chosen type and discards the typed text."""
        if isinstance(editor, FilterField):
            model.setData(index, editor.chosen)
        else:
            super().setModelData(editor, model, index)

    def _done(self, choice: FilterField) -> None:
        self.commitData.emit(choice)
        self.closeEditor.emit(choice)

    def _paint_check_mark(self, painter: QPainter, rect: QRect, model: ColumnsModel, index: Index) -> None:
        state = model.data(index, _CHECK)
        if state is None:
            return
        tokens = self._appearance.tokens
        is_on = state == Qt.CheckState.Checked
        painter.setPen(QColor(tokens.accent if is_on else tokens.handle))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, "●" if is_on else "○")
