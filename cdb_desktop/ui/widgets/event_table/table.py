"""The view of an event table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from cdb_desktop.client import Event
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR, TABLE_HEADER
from cdb_desktop.ui.widgets.event_table.delegate import EventDelegate, PaintedRow
from cdb_desktop.ui.widgets.event_table.expanded_rows import ExpandedRows, has_details
from cdb_desktop.ui.widgets.event_table.model import EventModel
from cdb_desktop.ui.widgets.event_table.paint_cache import ARROW, Cell
from cdb_desktop.ui.widgets.layout import ScrollCorner

_REST = 30  # milliseconds without scrolling until ``rows_shown``
_FEW = 20  # ranges of the selection; with more it is faster to check each visible row


class EventTable(QTableView):
    """Rows of one height without a grid; stays fast with a million rows.

    Signals: ``rows_shown`` (first, last) when the visible rows have not changed for a moment.
    """

    rows_shown = Signal(int, int)

    def __init__(self, model: EventModel, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._events = model
        self._appearance = appearance
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(self._emit_visible_rows)
        self.setFont(tabular(self.font()))
        self.setItemDelegate(EventDelegate(appearance, self))
        self._arrange()
        self.setModel(model)
        self._arrange_headers()
        self.expanded = ExpandedRows(self, model, appearance, self.details_left)
        # Scrolling moves what is painted, but details stay where they are.
        self.horizontalScrollBar().valueChanged.connect(self._update_expanded)
        for moved in (self.verticalScrollBar().valueChanged, model.modelReset, model.rowsInserted):
            moved.connect(self._wait_for_rest)

    def currentChanged(  # noqa: N802
        self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Repaints both rows, since the edge of the current one is at its start."""
        super().currentChanged(current, previous)
        for index in (current, previous):
            if index.isValid():
                top, width = self.rowViewportPosition(index.row()), self.viewport().width()
                self.viewport().update(0, top, width, self.rowHeight(index.row()))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paints row by row, which is several times faster than Qt's cell by cell."""
        header = self.horizontalHeader()
        order = (header.logicalIndex(visual) for visual in range(header.count()))
        places = [place for place in order if not header.isSectionHidden(place)]
        with QPainter(self.viewport()) as painter:
            self.paint_rows(painter, event.rect(), places, -header.offset())
            if self.expanded.is_any:
                self._paint_details(painter, event.rect())

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """A click on the arrow of a row expands it, or collapses it; the selection stays."""
        row = self._row_of_arrow(event.position().toPoint())
        if row >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.expanded.toggle(row)
        else:
            super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Two quick clicks on an arrow are two clicks."""
        if self._row_of_arrow(event.position().toPoint()) >= 0:
            self.mousePressEvent(event)
        else:
            super().mouseDoubleClickEvent(event)

    def _row_of_arrow(self, place: QPoint) -> int:
        """The row whose arrow is at this position of the viewport, -1 for none."""
        index = self.indexAt(place)
        if not index.isValid() or not self._events.columns[index.column()].detailed:
            return -1
        rect = self.visualRect(index)
        rect = QRect(rect.left(), rect.top(), GAP + ARROW, self._appearance.row)
        record = self._events.record_at(index.row())
        is_there = isinstance(record, Event) and (has_details(record) or self.expanded.is_open(record))
        return index.row() if is_there and rect.contains(place) else -1

    def details_left(self) -> int:
        """The x coordinate from which the details of expanded rows are visible."""
        return 0

    def _paint_details(self, painter: QPainter, rect: QRect) -> None:
        left, width = self.details_left(), self.viewport().width()
        for row in self._rows_in(rect, left, width):
            if not row.below:
                continue
            place = QRect(left, row.rect.bottom() + 1, width - left, row.below)
            place.setBottom(place.bottom() - self.expanded.paint_note(painter, place, row.number))
            event = self._events.record_at(row.number)
            if isinstance(event, Event):
                self.expanded.paint(painter, place, event)

    def _update_expanded(self) -> None:
        if self.expanded.is_any:
            self.viewport().update()

    def paint_rows(self, painter: QPainter, rect: QRect, places: Sequence[int], left: int) -> None:
        """Paints the rows in ``rect`` with the columns ``places``, of which the first starts at ``left``."""
        delegate, cells = self.itemDelegate(), _cells(self.horizontalHeader(), places, left)
        shown = [cell for cell in cells if cell.left <= rect.right() and cell.left + cell.width > rect.left()]
        if shown and isinstance(delegate, EventDelegate):
            width = cells[-1].left + cells[-1].width - left
            painter.setFont(self.font())
            delegate.paint_rows(painter, self._events, self._rows_in(rect, left, width), shown)

    def _rows_in(self, rect: QRect, left: int, width: int) -> Iterator[PaintedRow]:
        first, height = self.rowAt(rect.top()), self.verticalHeader().defaultSectionSize()
        if first < 0:
            return
        top, is_any = self.rowViewportPosition(first), self.expanded.is_any
        end = min(first + (rect.bottom() - top) // height + 1, self._events.rowCount())
        current, edge, selected = self.currentIndex().row(), self._edge(), self._selected_in(first, end)
        for number in range(first, end):
            is_selected = number in selected
            below = self.rowHeight(number) - height if is_any else 0
            place = QRect(left, top, width, height)
            event = self._events.record_at(number) if below else None
            is_expanded = isinstance(event, Event) and self.expanded.is_open(event)
            yield PaintedRow(
                number,
                place,
                is_selected,
                edge if is_selected and number == current else "",
                below,
                is_expanded,
            )
            top += height + below
            if top > rect.bottom():
                return

    def _selected_in(self, first: int, end: int) -> set[int]:
        """The selected rows from ``first`` to ``end``, exclusive."""
        chosen = self.selectionModel()
        ranges = chosen.selection()
        if ranges.count() > _FEW:
            return {row for row in range(first, end) if chosen.isSelected(self._events.index(row, 0))}
        found: set[int] = set()
        for place in range(ranges.count()):
            one = ranges.at(place)
            found.update(range(max(first, one.top()), min(end, one.bottom() + 1)))
        return found

    def _edge(self) -> str:
        """The color of the edge of the current row, which the inspector shows; it depends on the focus."""
        tokens = self._appearance.tokens
        return tokens.accent if self.hasFocus() else tokens.edge

    def visible_rows(self) -> tuple[int, int]:
        """The first and the last visible row, (0, -1) for none."""
        rows = self._events.rowCount()
        first = self.rowAt(0)
        last = self.rowAt(self.viewport().height() - 1)
        return (0, -1) if first < 0 else (first, rows - 1 if last < 0 else last)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        least = self.horizontalHeader().sizeHint().height() + self._appearance.row
        return QSize(super().minimumSizeHint().width(), least)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Other rows may be visible."""
        super().resizeEvent(event)
        self._wait_for_rest()

    def _arrange(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.setStyleSheet(SLIM_SCROLL_BAR)
        ScrollCorner(self)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._follow_density()
        self._appearance.changed.connect(self._follow_density)

    def _arrange_headers(self) -> None:
        header = self.horizontalHeader()
        header.setStyleSheet(TABLE_HEADER)
        header.setDefaultAlignment(
            header.defaultAlignment().AlignLeft | header.defaultAlignment().AlignVCenter
        )
        header.setHighlightSections(False)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.setSectionsMovable(True)
        # Columns fit the visible rows only; by default Qt measures a thousand more.
        header.setResizeContentsPrecision(0)
        # With the selection model of the view a header checks the selection of each row: 13 s for a million.
        for each in (header, self.verticalHeader()):
            each.setSelectionModel(QItemSelectionModel(self._events, each))
        metrics = QFontMetrics(self.font())
        for place, column in enumerate(self._events.columns):
            header.resizeSection(place, metrics.horizontalAdvance(column.sample) + 3 * GAP)
        header.setStretchLastSection(self._events.columns[-1].fills)

    def _follow_density(self) -> None:
        header = self.verticalHeader()
        if header.defaultSectionSize() != self._appearance.row:
            header.setDefaultSectionSize(self._appearance.row)

    def _wait_for_rest(self) -> None:
        # Not connected directly: start() would take the value of the signal as its interval.
        self._rest.start()

    def _emit_visible_rows(self) -> None:
        first, last = self.visible_rows()
        if last >= first:
            self.rows_shown.emit(first, last)


def _cells(header: QHeaderView, places: Sequence[int], left: int) -> list[Cell]:
    cells: list[Cell] = []
    for place in places:
        cells.append(Cell(place, left, header.sectionSize(place)))
        left += cells[-1].width
    return cells
