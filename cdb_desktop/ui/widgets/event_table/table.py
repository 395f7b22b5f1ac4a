"""The view of an event table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QImage, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from cdb_desktop.client import Event, Unreadable
from cdb_desktop.foundation.i18n import visible
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT, tabular
from cdb_desktop.ui.theme.style_sheets import TABLE_HEADER
from cdb_desktop.ui.theme.tokens import color
from cdb_desktop.ui.widgets.event_table.columns import TYPE, EventColumn
from cdb_desktop.ui.widgets.event_table.expanded_rows import ExpandedRows, has_details, paint_arrow
from cdb_desktop.ui.widgets.event_table.model import TONES, EventModel, title_column, unreadable_cell
from cdb_desktop.ui.widgets.event_table.paint_cache import (
    ARROW,
    PLACEHOLDER_HEIGHT,
    Cell,
    RowPaintCache,
    placeholder_bars,
)
from cdb_desktop.ui.widgets.layout import ScrollCorner

RowRange = tuple[int, int]
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


def selected_ranges(table: QTableView) -> list[RowRange]:
    """The selected rows as ranges (first, last), in order, without overlaps. A million rows cost nothing."""
    chosen = table.selectionModel().selection()
    return joined((chosen.at(place).top(), chosen.at(place).bottom()) for place in range(chosen.count()))


def joined(ranges: Iterable[RowRange]) -> list[RowRange]:
    """The same rows as ranges that neither touch nor overlap, in order."""
    result: list[RowRange] = []
    for top, bottom in sorted(ranges):
        if result and top <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(bottom, result[-1][1]))
        else:
            result.append((top, bottom))
    return result


def number_of_rows(ranges: list[RowRange]) -> int:
    """The number of rows in ranges."""
    return sum(last - first + 1 for first, last in ranges)


def rows_of(ranges: list[RowRange]) -> Iterator[int]:
    """Each row of ranges, in order."""
    for first, last in ranges:
        yield from range(first, last + 1)


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
