"""The grid of a table's columns: names and types are edited in place."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import (
    QAbstractItemModel,
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

from cdb_desktop.schema.document.element_ref import ElementRef
from cdb_desktop.schema.document.model import Column, Document, Table
from cdb_desktop.ui.schema.column_choices import type_choices
from cdb_desktop.ui.schema.columns_model import NAME, REQUIRED, TYPE, ColumnsModel
from cdb_desktop.ui.schema.fields import FilterChoice
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW

Index = QModelIndex | QPersistentModelIndex
Types = Callable[[Column], list[str]]

_NARROWEST, _WIDEST = 0.4, 0.62  # the part of the width that types take
_CHECK = int(Qt.ItemDataRole.CheckStateRole)
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_HEADER = """
QHeaderView { background: palette(window); }
QHeaderView::section {
    background: palette(window); color: palette(placeholder-text); font-weight: normal;
    border: none; border-bottom: 1px solid palette(dark); padding: 0 4px; height: 23px;
}
"""


class ColumnsGrid(QTableView):
    """Rows of a table's entries; what is done with one of several selected rows is done with all of them.

    Signals: ``opened`` with a place when somebody wants to see more of it · ``removal_requested`` with a
    tuple of places · ``move_requested`` with a tuple of places and the number of rows to go ·
    ``required`` with a tuple of Columns and the answer.
    """

    opened = Signal(object)
    removal_requested = Signal(object)
    move_requested = Signal(object, int)
    required = Signal(object, bool)

    def __init__(self, appearance: Appearance, types: Types, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.columns = ColumnsModel(self)
        self.setModel(self.columns)
        self.setItemDelegate(_Delegate(appearance, types, self))
        self._table: int | None = None
        self._arrange()
        self.doubleClicked.connect(self._double_clicked)
        self.columns.required.connect(self._require)

    def show_table(self, document: Document, table: Table, *, editable: bool) -> None:
        """Shows the entries of a table; what was selected stays selected wherever it has gone."""
        selected, current = self.selected_places(), self.currentIndex()
        first = min(self._selected_rows(), default=0)
        place = self.columns.place(current.row()) if current.isValid() else None
        column = current.column() if current.isValid() else NAME
        is_same = self._table == table.key
        self._table = table.key
        self.columns.show_table(document, table, editable=editable)
        self._share_width()
        rows = {self.columns.place(row): row for row in range(self.columns.rowCount())}
        if not is_same or (not selected and place is None):
            self.selectionModel().clear()
            return
        left = [rows[each] for each in selected if each in rows]
        if selected and not left and rows:
            # All of it has been removed: the next row takes its place.
            left = [min(first, len(rows) - 1)]
            place = self.columns.place(left[0])
        self._select(left, rows.get(place) if place is not None else None, column)

    def selected_columns(self) -> tuple[int, ...]:
        """The keys of the columns that are selected, in their order."""
        return tuple(column.key for column in self._selected_columns())

    def selected_places(self) -> tuple[ElementRef, ...]:
        """What is selected, in its order."""
        return tuple(self.columns.place(row) for row in self._selected_rows())

    def move_rows(self, step: int) -> None:
        """Asks for another place of the selected rows."""
        places = self._meant()
        if places:
            self.move_requested.emit(places, step)

    def selectionCommand(  # noqa: N802
        self, index: QModelIndex | QPersistentModelIndex, event: QEvent | None = None
    ) -> QItemSelectionModel.SelectionFlag:
        """A click on the tick of a selected row leaves the selection, which the tick is for."""
        is_plain = isinstance(event, QMouseEvent) and event.modifiers() == Qt.KeyboardModifier.NoModifier
        is_tick = index.isValid() and index.column() == REQUIRED
        if is_plain and is_tick and self.selectionModel().isSelected(index):
            return QItemSelectionModel.SelectionFlag.NoUpdate
        return super().selectionCommand(index, event)

    def event(self, event: QEvent) -> bool:
        """Keys that mean the current row here would otherwise mean the whole table."""
        key = event if isinstance(event, QKeyEvent) else None
        is_asked = event.type() == QEvent.Type.ShortcutOverride and self.currentIndex().isValid()
        if key is not None and is_asked and _meant_for(key):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter opens the current row, F2 renames it, Delete asks for its removal, Alt and arrows move it."""
        index, key = self.currentIndex(), event.key()
        if not index.isValid():
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self.columns.place(index.row()))
        elif not _meant_for(event):
            super().keyPressEvent(event)
        elif not self.columns.is_editable:
            event.ignore()
        elif key == Qt.Key.Key_F2:
            self.edit(self.columns.index(index.row(), NAME))
        elif key == Qt.Key.Key_Delete:
            self.removal_requested.emit(self._meant())
        else:
            self.move_rows(-1 if key == Qt.Key.Key_Up else 1)

    def sizeHint(self) -> QSize:  # noqa: N802
        """All rows: the form around scrolls."""
        rows = max(self.columns.rowCount(), 2)
        return QSize(280, rows * ROW + self.horizontalHeader().height() + 4)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Shares the width between names and types."""
        super().resizeEvent(event)
        self._share_width()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As tall as the rows are."""
        return QSize(200, self.sizeHint().height())

    def _selected_rows(self) -> list[int]:
        return sorted({index.row() for index in self.selectionModel().selectedIndexes()})

    def _selected_columns(self) -> tuple[Column, ...]:
        entries = (self.columns.entries[row] for row in self._selected_rows())
        return tuple(entry for entry in entries if isinstance(entry, Column))

    def _meant(self) -> tuple[ElementRef, ...]:
        """The selected rows; without any the current one."""
        current = self.currentIndex()
        alone = (self.columns.place(current.row()),) if current.isValid() else ()
        return self.selected_places() or alone

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
        """Types get what they need, within bounds that leave room for the names."""
        header = self.horizontalHeader()
        free = self.viewport().width() - header.sectionSize(REQUIRED)
        needed = self.sizeHintForColumn(TYPE) + GAP
        header.resizeSection(TYPE, round(min(max(needed, free * _NARROWEST), free * _WIDEST)))

    def _double_clicked(self, index: QModelIndex) -> None:
        if not self.columns.flags(index) & Qt.ItemFlag.ItemIsEditable:
            self.opened.emit(self.columns.place(index.row()))

    def _arrange(self) -> None:
        self.setObjectName("schema.columns")
        self.setAccessibleName(self.tr("Columns"))
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


def _meant_for(event: QKeyEvent) -> bool:
    """Whether a key means the current row."""
    if event.modifiers() == Qt.KeyboardModifier.AltModifier:
        return event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down)
    plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
    return plain and event.key() in (Qt.Key.Key_F2, Qt.Key.Key_Delete)


class _Delegate(QStyledItemDelegate):
    def __init__(self, appearance: Appearance, types: Types, parent: QObject) -> None:
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
            self._paint_tick(painter, rect, model, index)
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
            choice = FilterChoice("schema.columns.type", parent)
            choice.setFrame(False)
            choice.setAccessibleName(self.tr("Type"))
            choice.show_choices(type_choices(types), entry.type if isinstance(entry, Column) else None)
            choice.decided.connect(lambda: self._done(choice))
            # Whoever came here by typing has it open already.
            QTimer.singleShot(0, choice, choice.open_untyped)
            return choice
        field = QLineEdit(parent)
        field.setFrame(False)
        field.setAccessibleName(self.tr("New name"))
        return field

    def editorEvent(  # noqa: N802
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """A click anywhere on the cell, or a blank, turns a tick around."""
        if index.column() != REQUIRED or not index.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            return super().editorEvent(event, model, option, index)
        clicked = event.type() == QEvent.Type.MouseButtonRelease
        typed = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space
        if clicked or (typed and event.type() == QEvent.Type.KeyPress):
            is_on = model.data(index, _CHECK) == Qt.CheckState.Checked
            return model.setData(index, Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked, _CHECK)
        return False

    def setEditorData(self, editor: QWidget, index: Index) -> None:  # noqa: N802
        """A type is shown already, ready to be typed over."""
        if isinstance(editor, FilterChoice):
            editor.selectAll()
        else:
            super().setEditorData(editor, index)

    def setModelData(  # noqa: N802
        self, editor: QWidget, model: QAbstractItemModel, index: Index
    ) -> None:
        """Of a type only what was decided on counts, not what was typed on the way there."""
        if isinstance(editor, FilterChoice):
            model.setData(index, editor.chosen)
        else:
            super().setModelData(editor, model, index)

    def _done(self, choice: FilterChoice) -> None:
        self.commitData.emit(choice)
        self.closeEditor.emit(choice)

    def _paint_tick(self, painter: QPainter, rect: QRect, model: ColumnsModel, index: Index) -> None:
        state = model.data(index, _CHECK)
        if state is None:
            return
        tokens = self._appearance.tokens
        is_on = state == Qt.CheckState.Checked
        painter.setPen(QColor(tokens.accent if is_on else tokens.handle))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, "●" if is_on else "○")
