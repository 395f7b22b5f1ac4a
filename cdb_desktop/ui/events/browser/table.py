"""The table of the event browser: sorting by its titles, moving, selecting and copying rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from cdb_desktop.client import Event, Record, Unreadable
from cdb_desktop.events.copy_formats import CopyFormat, ids_as_text, rows_as_text
from cdb_desktop.ui.events.browser.model import FIELDS, ResultModel
from cdb_desktop.ui.events.browser.pinned_table import PinnedTable
from cdb_desktop.ui.events.browser.title_cursor import TitleCursor
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GROUP
from cdb_desktop.ui.widgets.event_table.columns import EventColumn
from cdb_desktop.ui.widgets.event_table.model import unreadable_cell
from cdb_desktop.ui.widgets.input_handling import on_key

RowRange = tuple[int, int]
MOST_SELECTED = 10_000  # rows that are fetched one by one; larger selections should use a filter
_ONLY = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
_CENTRE = QAbstractItemView.ScrollHint.PositionAtCenter


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


class BrowserTable(PinnedTable):
    """The rows of a result.

    Signals: ``sort_requested`` (field, whether in addition to others) · ``event_chosen`` (Event or None) and
    ``record_chosen`` (Record or None) when the current row changes · ``rows_selected`` (number) ·
    ``copy_requested`` (CopyFormat) · ``menu_requested`` (Record, global position, EventColumn) ·
    ``inspect_requested`` by Return · ``leave_requested`` by Escape.
    """

    sort_requested = Signal(str, bool)
    event_chosen = Signal(object)
    record_chosen = Signal(object)
    rows_selected = Signal(int)
    copy_requested = Signal(object)
    menu_requested = Signal(object, QPoint, object)
    inspect_requested = Signal()
    leave_requested = Signal()

    def __init__(self, model: ResultModel, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(model, appearance, parent)
        self._model = model
        self._waited = True
        self._is_pressed = self._scrolls_later = False
        self._event: Event | None = None
        self._event_before: Event | None = None
        self.setObjectName("events.table")
        self.title_cursor = TitleCursor(self, appearance)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self._sort)
        self.pinned.titles.sectionClicked.connect(self._sort)
        self.doubleClicked.connect(self.inspect_requested)
        chosen = self.selectionModel()
        chosen.currentRowChanged.connect(self._emit_current)
        chosen.selectionChanged.connect(self._emit_selected)
        for key, act in self._keys().items():
            on_key(key, self, act)

    @property
    def current_event(self) -> Event | None:
        """The event of the current row, None if no row is current or its page is not loaded yet."""
        row = self.currentIndex().row()
        return self._model.event_at(row) if row >= 0 else None

    @property
    def current_record(self) -> Record | None:
        """The record of the current row, an event or not."""
        return self._record_at(self.currentIndex().row())

    def partner_of(self, event: Event) -> Event | None:
        """The event that was chosen before another one, to compare both; None if several rows are selected.

        A right click chooses the row at the pointer, and the menu key leaves the current one.
        """
        if number_of_rows(self.selected_ranges) != 1:
            return None
        chosen = (one for one in (self._event, self._event_before) if one is not None)
        return next((one for one in chosen if one.id != event.id), None)

    @property
    def is_waiting(self) -> bool:
        """Whether there are only placeholders."""
        return self._model.result is None and self._model.rowCount() > 0

    @property
    def selected_ranges(self) -> list[RowRange]:
        """The selected rows as ranges."""
        return selected_ranges(self)

    def go_to(self, row: int) -> None:
        """Makes ``row`` the current one and scrolls to it; rows beyond the end are the last."""
        rows = self._model.rowCount()
        if rows:
            index = self._model.index(max(0, min(row, rows - 1)), 0)
            # Selecting a row that is not visible would scroll it to the edge instead of the center.
            if not self._is_in_sight(index.row()):
                self.scrollTo(index, _CENTRE)
            self._choose(index)

    def clear_current(self) -> None:
        """Clears the selection and the current row."""
        self.selectionModel().clear()

    def step(self, by: int) -> None:
        """Moves the current row up or down."""
        row = max(0, self.currentIndex().row() + by)
        index = self._model.index(min(row, self._model.rowCount() - 1), 0)
        self._choose(index)
        self.scrollTo(index)

    def announce_rows(self) -> None:
        """Emits the current record if its page was missing before."""
        if self._waited and self.current_record is not None:
            self._emit_current()

    def announce_selection(self) -> None:
        """Emits the current record and the selection after the rows were replaced."""
        self._emit_current()
        self._emit_selected()

    def copy_records(self, records: Iterable[Record], form: CopyFormat) -> None:
        """Copies records to the clipboard: the visible columns, or the ids."""
        if form is CopyFormat.IDS:
            text = ids_as_text(records)
        else:
            titles = [column.title for column in self._shown_columns()]
            text = rows_as_text(form, titles, [self._cells(one) for one in records])
        QGuiApplication.clipboard().setText(text)

    def _record_at(self, row: int) -> Record | None:
        return (self._model.event_at(row) or self._model.unreadable_at(row)) if row >= 0 else None

    def _cells(self, record: Record) -> list[str]:
        columns = self._shown_columns()
        if isinstance(record, Unreadable):
            return [unreadable_cell(record, columns, place) for place in range(len(columns))]
        return [cell_text(column, record) for column in columns]

    def _shown_columns(self) -> list[EventColumn]:
        header = self.horizontalHeader()
        order = sorted(range(header.count()), key=header.visualIndex)
        return [self._model.columns[place] for place in order if not header.isSectionHidden(place)]

    def _keys(self) -> dict[str, Callable[[], None]]:
        return {
            "Ctrl+C": lambda: self.copy_requested.emit(CopyFormat.TSV),
            "Ctrl+Shift+C": lambda: self.copy_requested.emit(CopyFormat.JSON),
            "Home": lambda: self.go_to(0),
            "End": lambda: self.go_to(self._model.rowCount()),
            "Ctrl+Home": lambda: self.go_to(0),
            "Ctrl+End": lambda: self.go_to(self._model.rowCount()),
            "Space": lambda: self.expanded.toggle(self.currentIndex().row()),
            "Return": self.inspect_requested.emit,
            "Enter": self.inspect_requested.emit,
            "Escape": self.leave_requested.emit,
        }

    def _choose(self, index: QModelIndex) -> None:
        # Explicit flags: by default a modifier, as in Ctrl+End, would extend the selection.
        self.selectionModel().setCurrentIndex(index, _ONLY)

    def _is_in_sight(self, row: int) -> bool:
        first, last = self.visible_rows()
        return first <= row < last

    def sort_by(self, section: int, also: bool) -> None:
        """Requests the rows sorted by a column, if the service can; ``also``: in addition to others."""
        field = FIELDS.get(self._model.columns[section].name)
        if field is not None:
            self.sort_requested.emit(field, also)

    def _sort(self, section: int) -> None:
        also = bool(QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier)
        self.sort_by(section, also)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Opens the menu of the row at the mouse, by the menu key that of the current row."""
        place, column = event.pos(), self.title_cursor.place
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            row = self.currentIndex().row()
            place = QPoint(GROUP, self.rowViewportPosition(row) + self.rowHeight(row))
        else:
            row = self.rowAt(place.y())
            index = self.indexAt(place)
            column = index.column() if index.isValid() else column
        found = self._record_at(row)
        if found is not None:
            at = self.viewport().mapToGlobal(place)
            self.menu_requested.emit(found, at, self._model.columns[column])

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keeps the current row visible.

        While a button is down the rows stay: the inspector appears with the press, and the release would
        otherwise select the row that has moved below the pointer.
        """
        super().resizeEvent(event)
        index = self.currentIndex()
        if index.isValid() and 0 <= self.rowViewportPosition(index.row()) < event.oldSize().height():
            self._scrolls_later = self._is_pressed
            if not self._is_pressed:
                self.scrollTo(index)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Selects rows."""
        self._is_pressed = True
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Ends the selection; then the current row is made visible."""
        super().mouseReleaseEvent(event)
        self._is_pressed = False
        if self._scrolls_later:
            self._scrolls_later = False
            self.scrollTo(self.currentIndex())

    def _emit_current(self, _now: QModelIndex | None = None, _before: QModelIndex | None = None) -> None:
        record = self.current_record
        self._waited = record is None
        event = record if isinstance(record, Event) else None
        if event is not None and (self._event is None or event.id != self._event.id):
            self._event, self._event_before = event, self._event
        self.record_chosen.emit(record)
        self.event_chosen.emit(event)

    def _emit_selected(self) -> None:
        self.rows_selected.emit(number_of_rows(self.selected_ranges))


def cell_text(column: EventColumn, event: Event) -> str:
    """The text of a cell as it is copied."""
    # A spreadsheet treats an id with separators as text.
    return str(event.id) if column.name == "id" else column.text(event)
