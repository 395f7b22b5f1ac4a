"""The table of hits with its model, and the menu that counts them by type, user and place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from cdb_desktop.client import Event
from cdb_desktop.events.copy_formats import CopyFormat, ids_as_text, rows_as_text
from cdb_desktop.events.search import GROUP_FIELDS, HitGroups, group_hits
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.events.browser.table import joined, rows_of, selected_ranges
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GROUP
from cdb_desktop.ui.widgets.event_table.columns import EventColumn, browser_columns
from cdb_desktop.ui.widgets.event_table.delegate import (
    EventDelegate,
    PaintedRow,
    cell_content_rect,
    paint_text,
)
from cdb_desktop.ui.widgets.event_table.model import EventModel, Index
from cdb_desktop.ui.widgets.event_table.paint_cache import Cell
from cdb_desktop.ui.widgets.event_table.table import EventTable
from cdb_desktop.ui.widgets.input_handling import on_key
from cdb_desktop.vocabulary.pattern import Hit

_ROOT = QModelIndex()
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_HORIZONTAL = Qt.Orientation.Horizontal
_OF_EVENT = ("id", "time", "type", "user", "object")
WHERE, PIECE = "where", "piece"
_ONLY = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
_GIVE_WAY = ("object", "user", "where", "time", "type")  # in this order
_ROOM = 260  # pixels for the text before these columns are shown
MATCH = 0.25  # opacity of the background of a match, which keeps its text readable
_FEW = 12  # values of a field that are listed


class HitsModel(EventModel):
    """A row for each hit: the event, the path of the value, and the text around the match."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_hit_columns(), parent)
        self.hits: list[Hit] = []

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """The number of hits."""
        return 0 if parent.isValid() else len(self.hits)

    def event_at(self, row: int) -> Event | None:
        """The event of a hit."""
        return self.hits[row].event

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        """Also gives the path and the text of a hit."""
        name, hit = self.columns[index.column()].name, self.hits[index.row()]
        if role == _TOOLTIP and name != "time":
            return f"{hit.path}: {hit.piece}"
        if role == _DISPLAY and name in (WHERE, PIECE):
            return hit.path if name == WHERE else hit.piece
        return super().data(index, role)

    def clear(self) -> None:
        """Removes all hits."""
        self.beginResetModel()
        self.hits = []
        self.endResetModel()

    def add(self, hits: Sequence[Hit]) -> None:
        """Appends hits."""
        if hits:
            self.beginInsertRows(_ROOT, len(self.hits), len(self.hits) + len(hits) - 1)
            self.hits.extend(hits)
            self.endInsertRows()

    def drop(self, ids: Collection[int]) -> None:
        """Removes the hits of deleted events."""
        left = [hit for hit in self.hits if hit.event.id not in ids]
        if len(left) < len(self.hits):
            self.beginResetModel()
            self.hits = left
            self.endResetModel()

    def retranslate(self) -> None:
        """Sets the titles in the current language."""
        self.columns = _hit_columns()
        self.headerDataChanged.emit(_HORIZONTAL, 0, len(self.columns) - 1)


def _hit_columns() -> tuple[EventColumn, ...]:
    where, piece = tr("Found in"), tr("Text")
    return (
        *(replace(one, fills=False) for one in browser_columns() if one.name in _OF_EVENT),
        EventColumn(WHERE, where, "info.query.search.0", _of_the_hit),
        EventColumn(PIECE, piece, "", _of_the_hit, fills=True),
    )


def _of_the_hit(_event: Event) -> str:
    return ""


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
        self.selectionModel().selectionChanged.connect(self._emit_selected)
        model.modelReset.connect(self._emit_selected)
        on_key("Ctrl+C", self, lambda: self.copy_requested.emit(CopyFormat.TSV))
        on_key("Ctrl+Shift+C", self, lambda: self.copy_requested.emit(CopyFormat.JSON))

    @property
    def selected_rows(self) -> list[int]:
        """The selected rows, from the top."""
        return list(rows_of(selected_ranges(self)))

    @property
    def selected_events(self) -> list[Event]:
        """The events of the selected rows."""
        return [self._hits.hits[row].event for row in self.selected_rows]

    def select_hits(self, rows: Sequence[int]) -> None:
        """Selects the hits in the ascending ``rows`` and scrolls to the first."""
        chosen, last = QItemSelection(), self._hits.columnCount() - 1
        for first, end in joined((row, row) for row in rows):
            chosen.select(self._hits.index(first, 0), self._hits.index(end, last))
        top = self._hits.index(rows[0], 0)
        self.selectionModel().setCurrentIndex(top, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.selectionModel().select(chosen, _ONLY)
        self.scrollTo(top)
        self.setFocus()

    def step(self, by: int) -> None:
        """Goes to the next or the previous hit, from the last to the first."""
        rows = self._hits.rowCount()
        if rows:
            now = self.currentIndex().row()
            row = (0 if by > 0 else rows - 1) if now < 0 else (now + by) % rows
            index = self._hits.index(row, 0)
            self.selectionModel().setCurrentIndex(index, _ONLY)
            self.scrollTo(index)
            self._choose(index)

    def copy_selected(self, form: CopyFormat) -> int:
        """Copies the selected hits as they are listed, or their ids; returns their number."""
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
        """Hides other columns if the text of the hits has too little room."""
        super().resizeEvent(event)
        lacking = _ROOM - self.viewport().width()
        lacking += sum(width for name, width in self._widths.items() if name != PIECE)
        places = {column.name: place for place, column in enumerate(self._hits.columns)}
        for name in _GIVE_WAY:
            self.setColumnHidden(places[name], lacking > 0)
            lacking -= self._widths[name]

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Requests the menu for the row under the pointer, or by key for the current row."""
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
        # A spreadsheet would read an id with separators as text.
        shown = [str(self._hits.index(row, cell).data() or "") for cell in cells]
        return [str(event.id), *shown[1:]]

    def _click(self, index: QModelIndex) -> None:
        # A click that extends the selection does not go to the event.
        if QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier:
            self._choose(index)

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(self._hits.hits[index.row()].event.id)

    def _emit_selected(self) -> None:
        self.rows_selected.emit(len(self.selected_rows))


def shortened(before: str, metrics: QFontMetrics, room: int) -> str:
    """The text before a match, elided at its start to fit into ``room`` pixels."""
    if metrics.horizontalAdvance(before) <= room:
        return before
    return metrics.elidedText(before, Qt.TextElideMode.ElideLeft, max(0, room))


class _HitDelegate(EventDelegate):
    """Paints the columns of the hit."""

    def __init__(self, appearance: Appearance, model: HitsModel, parent: QWidget) -> None:
        super().__init__(appearance, parent)
        self._hits = model

    def paint_extra(self, painter: QPainter, row: PaintedRow, cells: Sequence[Cell]) -> None:
        """Paints the path and the text with the match marked."""
        hit, muted = self._hits.hits[row.number], QColor(self._appearance.tokens.muted)
        for cell in cells:
            name = self._hits.columns[cell.place].name
            if name == PIECE:
                self._paint_piece(painter, cell_content_rect(row.rect, cell), hit)
            elif name == WHERE:
                paint_text(painter, cell_content_rect(row.rect, cell), hit.path, muted)

    def _paint_piece(self, painter: QPainter, rect: QRect, hit: Hit) -> None:
        """Marks the match by background and weight, so that it is visible without color."""
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
                color = QColor(tokens.mark)
                color.setAlphaF(MATCH)
                painter.fillRect(ground, color)
            paint_text(painter, rect, text, QColor(tokens.text if is_match else tokens.muted))
            rect = rect.adjusted(width, 0, 0, 0)
        painter.setFont(plain)


def counts_menu(parent: QWidget, table: HitsTable, hits: Sequence[Hit]) -> QMenu:
    """A menu with the numbers of hits by type, user, object type and path; choosing one selects its hits."""
    menu = QMenu(parent)
    menu.setObjectName("events.search.counts.menu")
    names = {
        "type": tr("Type"),
        "user": tr("User"),
        "objecttype": tr("Object type"),
        "where": tr("Found in"),
    }
    for field in GROUP_FIELDS:
        groups = group_hits(field, hits)
        if groups:
            _add_counts(menu, table, f"{names[field]} · {number_text(len(groups))}", groups)
    return menu


def _add_counts(menu: QMenu, table: HitsTable, title: str, groups: HitGroups) -> None:
    if menu.actions():
        menu.addSeparator()
    _add(menu, title).setEnabled(False)
    for value, rows in groups[:_FEW]:
        text = f"{value}\t{number_text(len(rows))}"
        _add(menu, text).triggered.connect(partial(table.select_hits, rows))
    others = groups[_FEW:]
    if others:
        text = tr("{count:1 other|{count} others}", count=len(others))
        rows = sorted(row for _value, found in others for row in found)
        text = f"{text}\t{number_text(len(rows))}"
        _add(menu, text).triggered.connect(partial(table.select_hits, rows))


def _add(menu: QMenu, text: str) -> QAction:
    return menu.addAction(text.replace("&", "&&"))
