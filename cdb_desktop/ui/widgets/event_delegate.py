"""Paints the cells of event tables: texts, family shapes, and bars for what is not here yet."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from cdb_desktop.client import Event
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.event_columns import Column
from cdb_desktop.ui.widgets.event_model import EventModel
from cdb_desktop.ui.widgets.shapes import colour_of, paint_shape

_SELECTED = QStyle.StateFlag.State_Selected
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_EDGE = 3
TINT = 0.13  # how strong the ground of a marked row is
MARKS = ("mark", "good", "warning", "danger")  # tokens
_ELIDE = Qt.TextElideMode.ElideRight
_BARS = (0.55, 0.7, 0.45, 0.6)  # parts of a column's width, so that waiting rows look like a text


class EventDelegate(QStyledItemDelegate):
    """Cells without frames and focus rectangles; the selection is a ground, not a colour of text."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """One cell."""
        model = index.model()
        if not isinstance(model, EventModel):
            return
        tokens = self._appearance.tokens
        rect: QRect = option.rect
        is_selected = bool(option.state & _SELECTED)
        if is_selected:
            painter.fillRect(rect, QColor(tokens.selected))
        inner = rect.adjusted(GAP, 0, -GAP, 0)
        event = model.event_at(index.row())
        if event is None:
            self._paint_bar(painter, inner, index.row() + index.column())
        else:
            mark = model.mark_of(event)
            if mark is not None:
                self._paint_mark(painter, rect, mark, is_selected, index.column())
            self.paint_cell(painter, inner, model.columns[index.column()], event, index.row())

    def _paint_mark(self, painter: QPainter, rect: QRect, mark: int, is_selected: bool, column: int) -> None:
        """A ground in the mark's colour, and at the beginning of the row an edge with its number."""
        colour = QColor(getattr(self._appearance.tokens, MARKS[mark]))
        if column == 0:
            painter.fillRect(QRect(rect.left(), rect.top(), _EDGE, rect.height()), colour)
            painter.setPen(colour)
            painter.drawText(rect.adjusted(_EDGE + TIGHT, 0, 0, 0), _LEFT, str(mark + 1))
        if not is_selected:
            colour.setAlphaF(TINT)
            painter.fillRect(rect, colour)

    def paint_cell(self, painter: QPainter, rect: QRect, column: Column, event: Event, _row: int) -> None:
        """What ``column`` tells of the event in a row."""
        tokens = self._appearance.tokens
        colour = QColor(tokens.muted if column.figures else tokens.text)
        family = column.family(event)
        if family is not None:
            colour = colour_of(family, tokens)
            centre = QPointF(rect.left() + TIGHT + 0.5, rect.center().y() + 0.5)
            paint_shape(painter, centre, family, colour)
            rect = rect.adjusted(GROUP, 0, 0, 0)
        paint_text(painter, rect, column.text(event), colour, _RIGHT if column.figures else _LEFT)

    def _paint_bar(self, painter: QPainter, rect: QRect, place: int) -> None:
        width = min(rect.width(), 160) * _BARS[place % len(_BARS)]
        bar = QRectF(rect.left(), rect.center().y() - 3, width, 7)
        colour = QColor(self._appearance.tokens.line)
        colour.setAlphaF(0.6)
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(bar, 3, 3)
        painter.restore()


def paint_text(
    painter: QPainter, rect: QRect, text: str, colour: QColor, place: Qt.AlignmentFlag = _LEFT
) -> None:
    """One line, cut where there is no room for more."""
    painter.setPen(colour)
    painter.drawText(rect, place, painter.fontMetrics().elidedText(text, _ELIDE, rect.width()))
