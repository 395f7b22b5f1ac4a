"""A small read-only table of texts that looks like the event tables."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTableWidget,
    QWidget,
)

from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR, TABLE_HEADER
from cdb_desktop.ui.widgets.layout import ScrollCorner

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


# Row headers have no lines between them; the line below the column titles continues above them.
_NAMES = "QHeaderView::section:vertical { border: none; }"
_ABOVE_NAMES = """
QTableCornerButton::section {
    background: palette(base); border: none; border-bottom: 1px solid palette(dark);
}
"""


class PlainTable(QTableWidget):
    """Rows of one height without a grid."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        make_plain(self)


def make_plain(table: QTableView) -> None:
    """Makes any table look like a PlainTable."""
    table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setCornerButtonEnabled(False)
    table.setItemDelegate(_Cells(table))
    for header in (table.horizontalHeader(), table.verticalHeader()):
        header.setStyleSheet(TABLE_HEADER)
        header.setHighlightSections(False)
        header.setDefaultAlignment(LEFT)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
    table.verticalHeader().setStyleSheet(TABLE_HEADER + _NAMES)
    table.verticalHeader().setDefaultSectionSize(ROW)
    above_names = table.findChild(QAbstractButton)
    if above_names is not None:
        above_names.setStyleSheet(_ABOVE_NAMES)
    for bar in (table.verticalScrollBar(), table.horizontalScrollBar()):
        bar.setStyleSheet(SLIM_SCROLL_BAR)
    ScrollCorner(table)


class _Cells(QStyledItemDelegate):
    """Cells with the margin of the titles and without focus rectangles."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        self.initStyleOption(option, index)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, option.palette.highlight())
        inner = option.rect.adjusted(GAP, 0, -GAP, 0)
        text = option.fontMetrics.elidedText(option.text, Qt.TextElideMode.ElideRight, inner.width())
        painter.setFont(option.font)
        painter.setPen(option.palette.text().color())
        painter.drawText(inner, option.displayAlignment, text)

    def sizeHint(  # noqa: N802
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        self.initStyleOption(option, index)
        return QSize(option.fontMetrics.horizontalAdvance(option.text) + 2 * GAP + 1, ROW)


class RowHeightDelegate(QStyledItemDelegate):
    """Rows of lists and trees that are at least as high as those of tables; texts may take several lines."""

    def sizeHint(  # noqa: N802
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return super().sizeHint(option, index).expandedTo(QSize(0, ROW))
