"""Paints the cells of event tables: texts, family shapes, and bars for what is not here yet."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from cdb_desktop.client import Event, Unreadable
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.event_columns import Column
from cdb_desktop.ui.widgets.event_model import EventModel
from cdb_desktop.ui.widgets.shapes import colour_of, paint_shape
from cdb_desktop.ui.widgets.unreadable_words import cell_words, title_place

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
        unreadable = model.unreadable_at(index.row()) if event is None else None
        if unreadable is not None:
            self._paint_unreadable(painter, inner, unreadable, model.columns, index.column())
        elif event is None:
            self._paint_bar(painter, inner, index.row() + index.column(), model.columns[index.column()])
        else:
            mark = model.mark_of(event)
            if mark is not None:
                self._paint_mark(painter, rect, mark, is_selected, index.column())
            self.paint_cell(painter, inner, model.columns[index.column()], event, index.row())
        if is_selected:
            self._paint_current(painter, rect, index)

    def sizeHint(  # noqa: N802
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """What a cell takes to be read to its end."""
        model = index.model()
        event = model.event_at(index.row()) if isinstance(model, EventModel) else None
        if not isinstance(model, EventModel) or event is None:
            return QSize(0, self._appearance.row)
        column = model.columns[index.column()]
        shape = 0 if column.family(event) is None else GROUP
        text = option.fontMetrics.horizontalAdvance(column.text(event))
        return QSize(text + shape + 2 * GAP + 1, self._appearance.row)

    def _paint_current(
        self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """An edge where the current row begins, in full colour while the keys go there: which one of several
        selected rows is the one that the inspector shows."""
        table = self.parent()
        if not isinstance(table, QTableView) or table.currentIndex().row() != index.row():
            return
        if table.horizontalHeader().sectionPosition(index.column()) == 0:
            tokens = self._appearance.tokens
            colour = tokens.accent if table.hasFocus() else tokens.edge
            painter.fillRect(QRect(rect.left(), rect.top(), _EDGE, rect.height()), QColor(colour))

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

    def _paint_unreadable(
        self, painter: QPainter, rect: QRect, record: Unreadable, columns: Sequence[Column], place: int
    ) -> None:
        tokens = self._appearance.tokens
        is_title = place == title_place(columns)
        if is_title:
            paint_text(painter, rect, "!", QColor(tokens.warning))
            rect = rect.adjusted(GROUP, 0, 0, 0)
        colour = QColor(tokens.warning if is_title else tokens.muted)
        paint_text(painter, rect, cell_words(record, columns, place), colour)

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

    def _paint_bar(self, painter: QPainter, rect: QRect, place: int, column: Column) -> None:
        width = min(rect.width(), 160) * _BARS[place % len(_BARS)]
        left = rect.right() + 1 - width if column.figures else rect.left()
        bar = QRectF(left, rect.center().y() - 3, width, 7)
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
