"""How many events there are of each type, to be read only: numbers by their last digit, then names."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR

_MOST_LINES = 8
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_BOTH = QHeaderView.ResizeMode.ResizeToContents, QHeaderView.ResizeMode.Stretch


class TypeCounts(QTableWidget):
    """As high as its lines as far as they are few."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(0, len(_BOTH), parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setShowGrid(False)
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        self.setTabKeyNavigation(False)
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.horizontalHeader().hide()
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        for column, mode in enumerate(_BOTH):
            self.horizontalHeader().setSectionResizeMode(column, mode)

    def show_lines(self, lines: Sequence[tuple[str, str]], otherwise: str) -> None:
        """Shows numbers and names; ``otherwise`` is said while there are none."""
        self.clearSpans()
        self.setRowCount(max(len(lines), 1))
        if not lines:
            self.setSpan(0, 0, 1, len(_BOTH))
            self.setItem(0, 0, QTableWidgetItem(otherwise))
        for row, (number, name) in enumerate(lines):
            counted = QTableWidgetItem(number)
            counted.setTextAlignment(_RIGHT)
            self.setItem(row, 0, counted)
            self.setItem(row, 1, QTableWidgetItem(name))
        self.setFixedHeight(min(self.rowCount(), _MOST_LINES) * ROW + GAP)
