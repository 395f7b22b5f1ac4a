"""The first rows of an export as they will be read back. Knows no option of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit, QTableWidgetItem, QWidget

from cdb_desktop.events.export.preview import ExportPreview
from cdb_desktop.ui.theme.measures import GROUP, ROW, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.plain_table import PlainTable

_LINES, _FEWEST = 5, 2  # on a high and on a low screen
_LONGEST = 200  # characters of a cell
_WIDEST = 240  # pixels of a column


class PreviewLines(QPlainTextEdit):
    """A few lines of a file, not broken, to be read only."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("The first records, as they will be written"))
        self.setPlaceholderText(self.tr("The first records, as they will be written"))
        self.setReadOnly(True)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.setStyleSheet(SLIM_SCROLL_BAR)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setMinimumHeight((_FEWEST + 1) * ROW + GROUP + TIGHT)


class PreviewTable(PlainTable):
    """A few rows, all columns."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("The first rows, read back"))
        self.horizontalHeader().setMaximumSectionSize(_WIDEST)
        self.verticalHeader().hide()
        self.setMinimumHeight((_FEWEST + 1) * ROW + GROUP + TIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_preview(self, preview: ExportPreview) -> None:
        """Shows these rows in place of those before."""
        self.setColumnCount(len(preview.columns))
        self.setHorizontalHeaderLabels(preview.columns)
        rows = preview.rows[:_LINES]
        self.setRowCount(len(rows))
        for line, row in enumerate(rows):
            for place, cell in enumerate(row[: len(preview.columns)]):
                self.setItem(line, place, QTableWidgetItem(cell[:_LONGEST]))
        self.resizeColumnsToContents()
