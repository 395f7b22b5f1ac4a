"""Paints the rows of event tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from cdb_desktop.client import Event, Unreadable
from cdb_desktop.foundation.i18n import visible
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.colors import color
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.event_table.columns import TYPE, EventColumn
from cdb_desktop.ui.widgets.event_table.expanded_rows import has_details, paint_arrow
from cdb_desktop.ui.widgets.event_table.marks import TONES
from cdb_desktop.ui.widgets.event_table.model import EventModel, title_column, unreadable_cell
from cdb_desktop.ui.widgets.event_table.paint_cache import (
    ARROW,
    PLACEHOLDER_HEIGHT,
    Cell,
    RowPaintCache,
    placeholder_bars,
)

_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_EDGE = 3
TINT = 0.13  # opacity of the background of a marked row
MATCH = 0.25  # opacity of the background of what was searched for
_ELIDE = Qt.TextElideMode.ElideRight
_BARS = (0.55, 0.7, 0.45, 0.6)  # fractions of the column width
_WIDEST_BAR = 160


class PaintedRow(NamedTuple):
    """A row to be painted.

    ``rect`` is that of its line. ``edge`` is the color of the edge of the current row, else empty.
    ``below`` is the height of what is below the line: details of an expanded row, a note, or both.
    """

    number: int
    rect: QRect
    is_selected: bool = False
    edge: str = ""
    below: int = 0
    is_expanded: bool = False


class EventDelegate(QStyledItemDelegate):
    """Paints whole rows for `EventTable`, without frames and focus rectangles."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._rows = RowPaintCache()

    def paint_rows(
        self, painter: QPainter, model: EventModel, rows: Iterable[PaintedRow], cells: Sequence[Cell]
    ) -> None:
        """Paints rows that have the same cells, in the font of the painter."""
        tokens = self._appearance.tokens
        self._rows.follow(painter, model.columns, cells, tokens)
        placeholders = _Placeholders(cells, model.columns, tokens.line, painter.device().devicePixelRatioF())
        for row in rows:
            rect, record = row.rect, model.record_at(row.number)
            if isinstance(record, Event):
                self._paint_event(painter, model, row, cells, record)
            elif record is not None:
                self._paint_unreadable(painter, model, row, cells, record)
            else:
                self._paint_ground(painter, row, None)
                place = self._rows.aligned(cells[0].left, rect.center().y() - PLACEHOLDER_HEIGHT // 2)
                painter.drawImage(place, placeholders.bars(row.number))
            if row.edge:
                height = rect.height() + row.below
                painter.fillRect(QRect(rect.left(), rect.top(), _EDGE, height), color(row.edge))

    def sizeHint(  # noqa: N802
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        model = index.model()
        event = model.event_at(index.row()) if isinstance(model, EventModel) else None
        if not isinstance(model, EventModel) or event is None:
            return QSize(0, self._appearance.row)
        column = model.columns[index.column()]
        shape = (0 if column.family(event) is None else GROUP) + (ARROW if column.detailed else 0)
        text = option.fontMetrics.horizontalAdvance(column.text(event))
        return QSize(text + shape + 2 * GAP + 1, self._appearance.row)

    def paint_extra(self, painter: QPainter, row: PaintedRow, cells: Sequence[Cell]) -> None:
        """Called for each row with an event; subclasses paint additional parts."""

    def _paint_event(
        self, painter: QPainter, model: EventModel, row: PaintedRow, cells: Sequence[Cell], event: Event
    ) -> None:
        rect, mark = row.rect, model.mark_of(event)
        self._paint_ground(painter, row, mark)
        for cell in cells:
            if mark is not None and cell.place == 0:
                self._paint_mark(painter, cell_content_rect(rect, cell).adjusted(-GAP, 0, GAP, 0), mark)
            if model.columns[cell.place].detailed and (row.is_expanded or has_details(event)):
                arrow = color(self._appearance.tokens.muted)
                paint_arrow(painter, cell_content_rect(rect, cell), arrow, is_open=row.is_expanded)
            if model.has_matches:
                self._paint_matches(painter, model, cell_content_rect(rect, cell), cell, event)
        self._rows.paint(painter, event, rect.top(), rect.height())
        self.paint_extra(painter, row, cells)

    def _paint_ground(self, painter: QPainter, row: PaintedRow, mark: int | None) -> None:
        tokens, rect = self._appearance.tokens, row.rect.adjusted(0, 0, 0, row.below)
        if row.is_selected:
            painter.fillRect(rect, color(tokens.selected))
        elif mark is not None:
            painter.fillRect(rect, color(getattr(tokens, TONES[mark]), TINT))

    def _paint_matches(
        self, painter: QPainter, model: EventModel, rect: QRect, cell: Cell, event: Event
    ) -> None:
        """Paints the background of what was searched for."""
        column = model.columns[cell.place]
        text = "" if column.figures else visible(column.text(event))
        event_type = event.type if column.name == TYPE else ""
        places = model.matches_in(text, event_type) if text else ()
        if not places:
            return
        metrics, ground = painter.fontMetrics(), color(self._appearance.tokens.mark, MATCH)
        left = (
            rect.left() + (0 if column.family(event) is None else GROUP) + (ARROW if column.detailed else 0)
        )
        for first, last in places:
            start = left + metrics.horizontalAdvance(text[:first])
            end = min(start + metrics.horizontalAdvance(text[first:last]), rect.right())
            if start < end:
                painter.fillRect(
                    QRect(start, rect.top() + TIGHT, end - start, rect.height() - 2 * TIGHT), ground
                )

    def _paint_mark(self, painter: QPainter, rect: QRect, mark: int) -> None:
        """Paints an edge in the color of the mark, and its number."""
        mark_color = color(getattr(self._appearance.tokens, TONES[mark]))
        painter.fillRect(QRect(rect.left(), rect.top(), _EDGE, rect.height()), mark_color)
        painter.setPen(mark_color)
        painter.drawText(rect.adjusted(_EDGE + TIGHT, 0, 0, 0), _LEFT, str(mark + 1))

    def _paint_unreadable(
        self, painter: QPainter, model: EventModel, row: PaintedRow, cells: Sequence[Cell], record: Unreadable
    ) -> None:
        tokens, columns = self._appearance.tokens, model.columns
        title = title_column(columns)
        self._paint_ground(painter, row, None)
        for cell in cells:
            rect, text_color = cell_content_rect(row.rect, cell), color(tokens.muted)
            if cell.place == title:
                text_color = color(tokens.warning)
                paint_text(painter, rect, "!", text_color)
                rect = rect.adjusted(GROUP, 0, 0, 0)
            paint_text(painter, rect, unreadable_cell(record, columns, cell.place), text_color)


class _Placeholders:
    """Placeholder bars of rows that are not loaded yet."""

    def __init__(
        self, cells: Sequence[Cell], columns: Sequence[EventColumn], color_name: str, ratio: float
    ) -> None:
        self._cells, self._columns, self._color_name, self._ratio = cells, columns, color_name, ratio
        self._known: dict[int, QImage] = {}

    def bars(self, number: int) -> QImage:
        """The bars of a row, starting at its first cell."""
        kind = number % len(_BARS)
        if kind not in self._known:
            bars = tuple(self._bar(cell, kind) for cell in self._cells)
            self._known[kind] = placeholder_bars(bars, self._color_name, self._ratio)
        return self._known[kind]

    def _bar(self, cell: Cell, kind: int) -> tuple[int, int]:
        room = max(0, cell.width - 2 * GAP)
        width = round(min(room, _WIDEST_BAR) * _BARS[(kind + cell.place) % len(_BARS)])
        left = cell.left - self._cells[0].left + GAP
        return (left + room - width if self._columns[cell.place].figures else left), width


def cell_content_rect(rect: QRect, cell: Cell) -> QRect:
    """The rectangle of a cell's text."""
    return QRect(cell.left + GAP, rect.top(), cell.width - 2 * GAP, rect.height())


def paint_text(painter: QPainter, rect: QRect, text: str, pen_color: QColor) -> None:
    """Paints one elided line."""
    painter.setPen(pen_color)
    painter.drawText(rect, _LEFT, painter.fontMetrics().elidedText(visible(text), _ELIDE, rect.width()))
