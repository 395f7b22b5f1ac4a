"""The table of the last requests: rows of one height, texts below their titles. Shows what its model has."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from cdb_desktop.ui.events.requests.request_model import METHOD, RESULT, ROWS, SIZE, TIME, TOOK, RequestModel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR

_SAMPLES = {
    TIME: "00:00:00",
    METHOD: "Methode",
    RESULT: "200 error.user.xxxx",
    ROWS: "00,000",
    SIZE: "000.0 bytes",
    TOOK: "00,000 ms",
}
_HEADER = """
QHeaderView { background: palette(base); }
QHeaderView::section {
    background: palette(base); color: palette(placeholder-text); font-weight: normal;
    border: none; border-bottom: 1px solid palette(dark); padding: 0 8px; height: 27px;
}
"""


class RequestTable(QTableView):
    """One row can be chosen."""

    def __init__(self, model: RequestModel, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.setObjectName("events.requests.table")
        self.setFont(tabular(self.font()))
        self.setModel(model)
        self.setItemDelegate(_RequestDelegate(appearance, self))
        self._arrange()
        self._arrange_headers(model)
        self._follow_density()
        appearance.changed.connect(self._follow_density)

    @property
    def chosen_row(self) -> int | None:
        """The row that is selected."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else None

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The titles and one row, as other tables in a small window."""
        least = self.horizontalHeader().sizeHint().height() + self._appearance.row
        return QSize(super().minimumSizeHint().width(), least)

    def _arrange(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.setStyleSheet(SLIM_SCROLL_BAR)

    def _arrange_headers(self, model: RequestModel) -> None:
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setStyleSheet(_HEADER)
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setSelectionModel(QItemSelectionModel(model, header))
        metrics = QFontMetrics(self.font())
        for column, sample in _SAMPLES.items():
            header.resizeSection(column, metrics.horizontalAdvance(sample) + 3 * GAP)

    def _follow_density(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._appearance.row)


class _RequestDelegate(QStyledItemDelegate):
    """Paints a text where its title stands."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(self._appearance.tokens.selected))
        inner = option.rect.adjusted(GAP, 0, -GAP, 0)
        text = painter.fontMetrics().elidedText(str(index.data()), Qt.TextElideMode.ElideRight, inner.width())
        painter.setPen(index.data(Qt.ItemDataRole.ForegroundRole))
        painter.drawText(inner, index.data(Qt.ItemDataRole.TextAlignmentRole), text)
