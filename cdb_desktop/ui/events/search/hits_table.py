"""The table of hits: each with the piece around it in which the match is marked. Asks nobody."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QWidget

from cdb_desktop.client import Event
from cdb_desktop.events.copy_formats import CopyFormat, ids_as_text, rows_as_text
from cdb_desktop.ui.events.browser.table import joined, rows_of, selected_stretches
from cdb_desktop.ui.events.search.hits_model import PIECE, WHERE, HitsModel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GROUP
from cdb_desktop.ui.widgets.event_table.delegate import (
    EventDelegate,
    PaintedRow,
    cell_content_rect,
    paint_text,
)
from cdb_desktop.ui.widgets.event_table.paint_cache import Cell
from cdb_desktop.ui.widgets.event_table.table import EventTable
from cdb_desktop.ui.widgets.input_handling import on_key
from cdb_desktop.vocabulary.pattern import Hit

_ONLY = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
_GIVE_WAY = ("object", "user", "where", "time", "type")  # in this order
_ROOM = 260  # pixels for the piece before these have any
MATCH = 0.25  # how strong the ground of a match is: what stands on it is read in all colours


class HitsTable(EventTable):
    """Rows of hits.

    Signals: ``chosen`` with the id of an event · ``rows_selected`` (their number) · ``copy_requested``
    (CopyForm) · ``menu_requested`` (Event, global place).
    """

    chosen = Signal(object)
    rows_selected = Signal(int)
    copy_requested = Signal(object)
    menu_requested = Signal(object, QPoint)

    def __init__(self, model: HitsModel, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(model, appearance, parent)
        self._hits = model
        self.setObjectName("events.search.hits")
        self.setItemDelegate(_HitDelegate(appearance, model, self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.horizontalHeader().setSectionsMovable(False)
        self._widths = {column.name: self.columnWidth(place) for place, column in enumerate(model.columns)}
        self.clicked.connect(self._click)
        self.activated.connect(self._choose)
        self.selectionModel().selectionChanged.connect(self._tell_selected)
        model.modelReset.connect(self._tell_selected)
        on_key("Ctrl+C", self, lambda: self.copy_requested.emit(CopyFormat.TSV))
        on_key("Ctrl+Shift+C", self, lambda: self.copy_requested.emit(CopyFormat.JSON))

    @property
    def selected_rows(self) -> list[int]:
        """The selected rows, from the top."""
        return list(rows_of(selected_stretches(self)))

    @property
    def selected_events(self) -> list[Event]:
        """Their events."""
        return [self._hits.hits[row].event for row in self.selected_rows]

    def select_hits(self, rows: Sequence[int]) -> None:
        """Selects the hits in ``rows``, which ascend, and shows the first; goes to none of their events."""
        chosen, last = QItemSelection(), self._hits.columnCount() - 1
        for first, end in joined((row, row) for row in rows):
            chosen.select(self._hits.index(first, 0), self._hits.index(end, last))
        top = self._hits.index(rows[0], 0)
        self.selectionModel().setCurrentIndex(top, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.selectionModel().select(chosen, _ONLY)
        self.scrollTo(top)
        self.setFocus()

    def step(self, by: int) -> None:
        """Goes to the next or the previous hit; after the last comes the first."""
        rows = self._hits.rowCount()
        if rows:
            now = self.currentIndex().row()
            row = (0 if by > 0 else rows - 1) if now < 0 else (now + by) % rows
            index = self._hits.index(row, 0)
            self.selectionModel().setCurrentIndex(index, _ONLY)
            self.scrollTo(index)
            self._choose(index)

    def copy_selected(self, form: CopyFormat) -> int:
        """Puts the selected hits on the clipboard as they are listed, or their ids; gives their number."""
        rows = self.selected_rows
        if not rows:
            return 0
        if form is CopyFormat.IDS:
            text = ids_as_text(self.selected_events)
        else:
            titles = [column.title for column in self._hits.columns]
            text = rows_as_text(form, titles, [self._cells(row) for row in rows])
        QGuiApplication.clipboard().setText(text)
        return len(rows)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Where there is little room, the other columns give way to what was found."""
        super().resizeEvent(event)
        lacking = _ROOM - self.viewport().width()
        lacking += sum(width for name, width in self._widths.items() if name != PIECE)
        places = {column.name: place for place, column in enumerate(self._hits.columns)}
        for name in _GIVE_WAY:
            self.setColumnHidden(places[name], lacking > 0)
            lacking -= self._widths[name]

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """The menu of the row that is pointed at; by its key that of the current one, and below it."""
        place = event.pos()
        row = self.rowAt(place.y())
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            row = self.currentIndex().row()
            place = QPoint(GROUP, self.rowViewportPosition(row) + self.rowHeight(row))
        found = self._hits.event_at(row) if row >= 0 else None
        if found is not None:
            self.setFocus()
            self.menu_requested.emit(found, self.viewport().mapToGlobal(place))

    def _cells(self, row: int) -> list[str]:
        event, cells = self._hits.hits[row].event, range(self._hits.columnCount())
        # A spreadsheet takes an id with separators for a text.
        shown = [str(self._hits.index(row, cell).data() or "") for cell in cells]
        return [str(event.id), *shown[1:]]

    def _click(self, index: QModelIndex) -> None:
        # Who only adds to the selection wants to go nowhere.
        if QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier:
            self._choose(index)

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(self._hits.hits[index.row()].event.id)

    def _tell_selected(self) -> None:
        self.rows_selected.emit(len(self.selected_rows))


def shortened(before: str, metrics: QFontMetrics, room: int) -> str:
    """What stands before a match, cut at its beginning so that the match has its room."""
    if metrics.horizontalAdvance(before) <= room:
        return before
    return metrics.elidedText(before, Qt.TextElideMode.ElideLeft, max(0, room))


class _HitDelegate(EventDelegate):
    """Paints what a hit has beside its event."""

    def __init__(self, appearance: Appearance, model: HitsModel, parent: QWidget) -> None:
        super().__init__(appearance, parent)
        self._hits = model

    def paint_extra(self, painter: QPainter, row: PaintedRow, cells: Sequence[Cell]) -> None:
        """The match, and where it stands."""
        hit, muted = self._hits.hits[row.number], QColor(self._appearance.tokens.muted)
        for cell in cells:
            name = self._hits.columns[cell.place].name
            if name == PIECE:
                self._paint_piece(painter, cell_content_rect(row.rect, cell), hit)
            elif name == WHERE:
                paint_text(painter, cell_content_rect(row.rect, cell), hit.path, muted)

    def _paint_piece(self, painter: QPainter, rect: QRect, hit: Hit) -> None:
        """The match stands bold on a ground of its own: seen without colour too."""
        tokens, piece = self._appearance.tokens, hit.piece
        plain, bold = painter.font(), QFont(painter.font())
        bold.setWeight(QFont.Weight.Bold)
        match = piece[hit.first : hit.last]
        room = rect.width() - QFontMetrics(bold).horizontalAdvance(match)
        parts = (shortened(piece[: hit.first], painter.fontMetrics(), room), match, piece[hit.last :])
        for place, text in enumerate(parts):
            is_match = place == 1
            painter.setFont(bold if is_match else plain)
            width = min(painter.fontMetrics().horizontalAdvance(text), rect.width())
            if is_match:
                ground = QRect(rect.left(), rect.top() + 2, width, rect.height() - 4)
                colour = QColor(tokens.mark)
                colour.setAlphaF(MATCH)
                painter.fillRect(ground, colour)
            paint_text(painter, rect, text, QColor(tokens.text if is_match else tokens.muted))
            rect = rect.adjusted(width, 0, 0, 0)
        painter.setFont(plain)
