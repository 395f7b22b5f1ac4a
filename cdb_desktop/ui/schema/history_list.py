"""The list of all steps that undo and redo lead to; a click goes to the state after a step."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QFont, QPalette
from PySide6.QtWidgets import QFrame, QListView, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.working_copy import EditHistory
from cdb_desktop.ui.theme.measures import GROUP, ROW
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR

Index = QModelIndex | QPersistentModelIndex

_ROOT = QModelIndex()
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)


class HistoryList(QListView):
    """All steps, the first at the top; steps that were undone are muted.

    Signals: ``jump_requested`` with the position of a state in the history.
    """

    jump_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.history")
        self._steps = _StepsModel(self)
        self.setModel(self._steps)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setViewportMargins(GROUP, 0, 0, 0)
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self.clicked.connect(self._jump)
        self.activated.connect(self._jump)

    def show_history(self, history: EditHistory, *, editable: bool) -> None:
        """Shows the steps, and scrolls to the current one if it has changed."""
        self._steps.editable = editable
        if self._steps.show_history(history):
            index = self._steps.index(history.position, 0)
            self.setCurrentIndex(index)
            self.scrollTo(index)

    def _jump(self, index: QModelIndex) -> None:
        if self._steps.editable and index.row() != self._steps.position:
            self.jump_requested.emit(index.row())


class _StepsModel(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.editable = False
        self._history: EditHistory | None = None

    @property
    def position(self) -> int:
        return -1 if self._history is None else self._history.position

    def show_history(self, history: EditHistory) -> bool:
        """Replaces the steps; False if they are the same."""
        if history is self._history:
            return False
        is_longer = self._history is None or len(history.states) != len(self._history.states)
        if is_longer:
            self.beginResetModel()
        self._history = history
        if is_longer:
            self.endResetModel()
        else:
            self.dataChanged.emit(self.index(0, 0), self.index(len(history.states) - 1, 0))
        return True

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() or self._history is None else len(self._history.states)

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        history = self._history
        if history is None:
            return None
        row = index.row()
        if role == _DISPLAY:
            text = str(history.states[row].title) or tr("Beginning")
            return f"{text} · {tr('saved')}" if row == history.saved else text
        if role == Qt.ItemDataRole.FontRole and row == history.position:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.ForegroundRole and row > history.position:
            return QBrush(QPalette().color(QPalette.ColorRole.PlaceholderText))
        return QSize(0, ROW) if role == Qt.ItemDataRole.SizeHintRole else None
