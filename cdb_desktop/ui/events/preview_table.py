"""The first rows of an export as they will be read back. Knows no option of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableWidget, QTableWidgetItem, QWidget

from cdb_desktop.events.preview import Preview
from cdb_desktop.ui.theme.measures import GROUP, ROW
from cdb_desktop.ui.theme.scroll_bar import SLIM_SCROLL_BAR

_LINES = 5
_LONGEST = 200  # characters of a cell
_WIDEST = 240  # pixels of a column
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class PreviewTable(QTableWidget):
    """A few rows, all columns."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("The first rows, read back"))
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.horizontalHeader().setDefaultAlignment(_LEFT)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setMaximumSectionSize(_WIDEST)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.setStyleSheet(SLIM_SCROLL_BAR)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        self.setMinimumHeight((_LINES + 1) * ROW + GROUP)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_preview(self, preview: Preview) -> None:
        """Shows these rows in place of those before."""
        self.setColumnCount(len(preview.columns))
        self.setHorizontalHeaderLabels(preview.columns)
        rows = preview.rows[:_LINES]
        self.setRowCount(len(rows))
        for line, row in enumerate(rows):
            for place, cell in enumerate(row[: len(preview.columns)]):
                self.setItem(line, place, QTableWidgetItem(cell[:_LONGEST]))
        self.resizeColumnsToContents()
