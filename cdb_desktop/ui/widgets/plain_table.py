"""A small read-only table and a tree of texts that look like the event tables."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTableWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from cdb_desktop.ui.theme.measures import GAP, ROW, demi_bold
from cdb_desktop.ui.theme.style_sheets import TABLE_HEADER
from cdb_desktop.ui.widgets.layout import ScrollCorner

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


# Row headers have no lines between them; the line below the column titles continues above them.
_NAMES = "QHeaderView::section:vertical { border: none; }"
# Headings of a tree begin where its texts do.
_ABOVE_ROWS = "QHeaderView::section:horizontal { padding: 0 3px 0 4px; }"
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


class PlainTree(QTreeWidget):
    """A tree of texts, with bold rows for its groups; ``preferred`` is its size."""

    preferred = QSize(-1, -1)

    def __init__(
        self, name: str, title: str, headings: Sequence[str], parent: QWidget, *, widths: Sequence[int] = ()
    ) -> None:
        """``title`` is for assistive technology; ``widths`` are those of all columns but the last one."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setHeaderLabels(headings)
        header = self.header()
        header.setStyleSheet(TABLE_HEADER + _ABOVE_ROWS)
        header.setSectionsMovable(False)
        for column, width in enumerate(widths):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(column, width)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setItemDelegate(RowHeightDelegate(self))

    def sizeHint(self) -> QSize:  # noqa: N802
        return self.preferred if self.preferred.isValid() else super().sizeHint()

    def add_group(self, title: str, *, is_open: bool = True) -> QTreeWidgetItem:
        """Adds a bold row for others below it."""
        group = QTreeWidgetItem(self, [title])
        group.setFont(0, demi_bold(self.font()))
        group.setFirstColumnSpanned(True)
        group.setExpanded(is_open)
        return group

    @staticmethod
    def add_row(above: QTreeWidgetItem, *texts: str, color: str | QColor = "") -> QTreeWidgetItem:
        """Adds a row below another one, with tooltips for what is elided; a single text takes all columns."""
        row = QTreeWidgetItem(above, list(texts))
        row.setFirstColumnSpanned(len(texts) == 1)
        for column, text in enumerate(texts):
            row.setToolTip(column, text)
        if color:
            row.setForeground(0, QColor(color))
        return row
