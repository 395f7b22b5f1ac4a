"""The list of what a search has found: the match is marked, and a choice leads to its event."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
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

from cdb_desktop.ui.events.hits_model import ID, PIECE, TIME, TYPE, WHERE, HitsModel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.theme.scroll_bar import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.shapes import colour_of, paint_shape
from cdb_desktop.vocabulary.families import family_of

_SAMPLES = {
    ID: "0,000,000",
    TIME: "0000-00-00 00:00:00",
    TYPE: "XX RESOURCE_NOT_AVAILABLE",
    WHERE: "info.query.search.0",
}
_HEADER = """
QHeaderView { background: palette(base); }
QHeaderView::section {
    background: palette(base); color: palette(placeholder-text); font-weight: normal;
    border: none; border-bottom: 1px solid palette(mid); padding: 0 8px; height: 27px;
}
"""
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class HitsTable(QTableView):
    """Rows of hits.

    Signals: ``chosen`` with the id of an event.
    """

    chosen = Signal(object)

    def __init__(self, model: HitsModel, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hits = model
        self.setObjectName("events.search.hits")
        self.setModel(model)
        self.setFont(tabular(self.font()))
        self.setItemDelegate(_HitDelegate(appearance, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(appearance.row)
        header = self.horizontalHeader()
        header.setStyleSheet(_HEADER)
        header.setHighlightSections(False)
        header.setDefaultAlignment(_LEFT)
        header.setStretchLastSection(True)
        for column, sample in _SAMPLES.items():
            header.resizeSection(column, QFontMetrics(self.font()).horizontalAdvance(sample) + 3 * GAP)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.setStyleSheet(SLIM_SCROLL_BAR)
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)

    def step(self, by: int) -> None:
        """Goes to the next or the previous hit; after the last comes the first."""
        rows = self._hits.rowCount()
        if rows:
            now = self.currentIndex().row()
            row = (0 if by > 0 else rows - 1) if now < 0 else (now + by) % rows
            index = self._hits.index(row, 0)
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self._choose(index)

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(self._hits.hits[index.row()].event.id)


class _HitDelegate(QStyledItemDelegate):
    def __init__(self, appearance: Appearance, parent: QTableView) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        tokens = self._appearance.tokens
        rect: QRect = option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(tokens.selected))
        inner = rect.adjusted(GAP, 0, -GAP, 0)
        model = index.model()
        if not isinstance(model, HitsModel):
            return
        hit = model.hits[index.row()]
        if index.column() == PIECE:
            self._paint_piece(painter, inner, hit.piece, hit.first, hit.last)
            return
        colour = QColor(tokens.muted if index.column() in (ID, WHERE) else tokens.text)
        if index.column() == TYPE:
            family = family_of(hit.event.type)
            colour = colour_of(family, tokens)
            paint_shape(
                painter, QPointF(inner.left() + TIGHT + 0.5, inner.center().y() + 0.5), family, colour
            )
            inner = inner.adjusted(GROUP, 0, 0, 0)
        self._paint_text(painter, inner, str(model.data(index)), colour)

    def _paint_text(self, painter: QPainter, rect: QRect, text: str, colour: QColor) -> None:
        painter.setPen(colour)
        painter.drawText(
            rect, _LEFT, painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        )

    def _paint_piece(self, painter: QPainter, rect: QRect, piece: str, first: int, last: int) -> None:
        """The match stands bold on a ground of its own: seen without colour too."""
        tokens = self._appearance.tokens
        plain, bold = painter.font(), QFont(painter.font())
        bold.setWeight(QFont.Weight.Bold)
        for text, is_match in ((piece[:first], False), (piece[first:last], True), (piece[last:], False)):
            painter.setFont(bold if is_match else plain)
            width = min(painter.fontMetrics().horizontalAdvance(text), rect.width())
            if is_match:
                painter.fillRect(
                    QRect(rect.left(), rect.top() + 2, width, rect.height() - 4), QColor(tokens.line)
                )
            self._paint_text(painter, rect, text, QColor(tokens.text if is_match else tokens.muted))
            rect = rect.adjusted(width, 0, 0, 0)
        painter.setFont(plain)
