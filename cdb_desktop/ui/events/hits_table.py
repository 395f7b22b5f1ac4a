"""The table of hits: each with the piece around it in which the match is marked. Asks nobody."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRect, Signal
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QAbstractItemView, QWidget

from cdb_desktop.client import Event
from cdb_desktop.ui.events.hits_model import PIECE, WHERE, HitsModel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_columns import Column
from cdb_desktop.ui.widgets.event_delegate import EventDelegate, paint_text
from cdb_desktop.ui.widgets.event_table import EventTable
from cdb_desktop.vocabulary.pattern import Hit


class HitsTable(EventTable):
    """Rows of hits.

    Signals: ``chosen`` with the id of an event.
    """

    chosen = Signal(object)

    def __init__(self, model: HitsModel, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(model, appearance, parent)
        self._hits = model
        self.setObjectName("events.search.hits")
        self.setItemDelegate(_HitDelegate(appearance, model, self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.horizontalHeader().setSectionsMovable(False)
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


class _HitDelegate(EventDelegate):
    """Paints what a hit has beside its event."""

    def __init__(self, appearance: Appearance, model: HitsModel, parent: QWidget) -> None:
        super().__init__(appearance, parent)
        self._hits = model

    def paint_cell(self, painter: QPainter, rect: QRect, column: Column, event: Event, row: int) -> None:
        hit = self._hits.hits[row]
        if column.name == PIECE:
            self._paint_piece(painter, rect, hit)
        elif column.name == WHERE:
            paint_text(painter, rect, hit.path, QColor(self._appearance.tokens.muted))
        else:
            super().paint_cell(painter, rect, column, event, row)

    def _paint_piece(self, painter: QPainter, rect: QRect, hit: Hit) -> None:
        """The match stands bold on a ground of its own: seen without colour too."""
        tokens, piece = self._appearance.tokens, hit.piece
        plain, bold = painter.font(), QFont(painter.font())
        bold.setWeight(QFont.Weight.Bold)
        parts = (piece[: hit.first], piece[hit.first : hit.last], piece[hit.last :])
        for place, text in enumerate(parts):
            is_match = place == 1
            painter.setFont(bold if is_match else plain)
            width = min(painter.fontMetrics().horizontalAdvance(text), rect.width())
            if is_match:
                ground = QRect(rect.left(), rect.top() + 2, width, rect.height() - 4)
                painter.fillRect(ground, QColor(tokens.line))
            paint_text(painter, rect, text, QColor(tokens.text if is_match else tokens.muted))
            rect = rect.adjusted(width, 0, 0, 0)
        painter.setFont(plain)
