"""Paints and edits the cells of the grid of a table's columns."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QObject,
    QPersistentModelIndex,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
)
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from cdb_desktop.foundation.hidden_characters import visible
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.model import (
    Column,
)
from cdb_desktop.ui.schema.form.columns_model import COPY_FORMAT, NAME, REQUIRED, TYPE, ColumnsModel, Index
from cdb_desktop.ui.schema.form.fields import FilterField
from cdb_desktop.ui.theme.appearance import Appearance

_CHECK = int(Qt.ItemDataRole.CheckStateRole)
_NO_HINT = QAbstractItemDelegate.EndEditHint.NoHint
_ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


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
