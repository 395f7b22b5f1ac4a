"""The tree of the left panel as a view, without frames and headers; knows no model."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QTreeView, QWidget

from cdb_desktop.ui.theme.measures import GROUP
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR


class TreeView(QTreeView):
    """Lines of one height; names are edited on a double click."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(GROUP)
        self.setExpandsOnDoubleClick(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        triggers = QAbstractItemView.EditTrigger.DoubleClicked
        self.setEditTriggers(triggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape is the page's."""
        if event.key() == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)
