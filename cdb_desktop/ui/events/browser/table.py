"""The table of the event browser: sorting by its titles, moving, selecting and copying rows."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget
from shiboken6 import isValid

from cdb_desktop.client import Event, Record, Unreadable
from cdb_desktop.events.ticket import CopyFormat, ids_as_text, rows_as_text
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.model import FIELDS, ResultModel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GROUP
from cdb_desktop.ui.theme.style_sheets import TABLE_HEADER
from cdb_desktop.ui.widgets.event_table.columns import EventColumn
from cdb_desktop.ui.widgets.event_table.model import EventModel, unreadable_cell
from cdb_desktop.ui.widgets.event_table.table import EventTable, RowRange, number_of_rows, selected_ranges
from cdb_desktop.ui.widgets.input_handling import on_key

_WIDEST_PART = 0.7  # part of the table's width, so that there is always room for the others
_Move = QAbstractItemView.CursorAction
_VISIBLE = QAbstractItemView.ScrollHint.EnsureVisible


class PinnedColumns(QObject):
    """The pinned columns of a table, as many as there is room for."""

    def __init__(self, table: EventTable, appearance: Appearance) -> None:
        super().__init__(table)
        self._table = table
        self._wanted = 0
        self.places: tuple[int, ...] = ()  # of the pinned columns, from the left
        self.width = 0
        self.titles = _Titles(table)
        self._rows = _Rows(self, table, appearance)
        self._header.sectionResized.connect(self.settle)
        self._header.sectionMoved.connect(self.settle)
        self.titles.sectionResized.connect(self._resize)
        table.viewport().installEventFilter(self)

    @property
    def _header(self) -> QHeaderView:
        return self._table.horizontalHeader()

    def pin(self, count: int) -> None:
        """Pins the first ``count`` visible columns."""
        self._wanted = count
        self.settle()

    def settle(self) -> None:
        """Follows widths, order and the size of the table."""
        self.places = self._fitting()
        self.width = sum(self._header.sectionSize(place) for place in self.places)
        for each, above in ((self.titles, self._header), (self._rows, self._table.viewport())):
            each.setVisible(bool(self.places))
            if self.places:
                each.setGeometry(QRect(above.geometry().topLeft(), above.size()))
                each.resize(self.width, above.height())
                each.raise_()
        if self.places:
            self.titles.follow(self._header, self.places)
            self._rows.update()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Follows the viewport: its size changes with scroll bars too, and when the table is deleted."""
        if event.type() == QEvent.Type.Resize and isValid(self._table):
            self.settle()
        return False

    def column_at(self, x: int) -> int | None:
        """The pinned column at this x of the viewport, None for none."""
        left = 0
        for place in self.places:
            left += self._header.sectionSize(place)
            if x < left:
                return place
        return None

    def _fitting(self) -> tuple[int, ...]:
        order = sorted(range(self._header.count()), key=self._header.visualIndex)
        shown = [place for place in order if not self._header.isSectionHidden(place)]
        room = _WIDEST_PART * self._table.viewport().width()
        fitting: list[int] = []
        for place in shown[: self._wanted]:
            room -= self._header.sectionSize(place)
            if room < 0:
                break
            fitting.append(place)
        # Pinning has no effect if there are no other columns.
        return tuple(fitting) if len(fitting) < len(shown) else ()

    def _resize(self, place: int, _before: int, width: int) -> None:
        if place in self.places and width:
            self._header.resizeSection(place, width)


class _Titles(QHeaderView):
    """The titles of the pinned columns: a header that can be clicked and resized."""

    def __init__(self, table: EventTable) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.setModel(table.model())
        self.setObjectName("events.table.pinned")
        self.setStyleSheet(TABLE_HEADER)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setDefaultAlignment(table.horizontalHeader().defaultAlignment())
        self.hide()

    def follow(self, header: QHeaderView, places: tuple[int, ...]) -> None:
        """Shows the sections at ``places`` as ``header`` does."""
        self.blockSignals(True)
        for place in range(self.count()):
            self.setSectionHidden(place, place not in places)
        for visual, place in enumerate(places):
            self.moveSection(self.visualIndex(place), visual)
            self.resizeSection(place, header.sectionSize(place))
        self.blockSignals(False)
        self.viewport().update()


class _Rows(QWidget):
    """The cells of the pinned columns; the mouse reaches the table below."""

    def __init__(self, pinned: PinnedColumns, table: EventTable, appearance: Appearance) -> None:
        super().__init__(table)
        self._pinned, self._table, self._appearance = pinned, table, appearance
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        # The table below need not be painted.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.hide()
        model, chosen = table.model(), table.selectionModel()
        for changed in (
            table.verticalScrollBar().valueChanged,
            table.horizontalScrollBar().valueChanged,
            chosen.selectionChanged,
            model.dataChanged,
            model.modelReset,
            model.rowsInserted,
            model.rowsRemoved,
        ):
            changed.connect(self._follow)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), self._table.palette().color(QPalette.ColorRole.Base))
            self._table.paint_rows(painter, self.rect(), self._pinned.places, 0)
            is_scrolled = self._table.horizontalScrollBar().value() > 0
            line = QColor(tokens.handle if is_scrolled else tokens.line)
            painter.fillRect(self.width() - 1, 0, 1, self.height(), line)

    def _follow(self) -> None:
        if self.isVisible():
            self.update()


class PinnedTable(EventTable):
    """A table with pinned columns; Left and Right scroll by a column."""

    def __init__(self, model: EventModel, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(model, appearance, parent)
        self.pinned = PinnedColumns(self, appearance)

    def details_left(self) -> int:
        """Pinned columns cover what is below them."""
        return self.pinned.width if self.pinned.places else 0

    def indexAt(self, place: QPoint) -> QModelIndex:  # noqa: N802
        """The visible cell at this position: pinned columns cover those below them."""
        column = self.pinned.column_at(place.x())
        return super().indexAt(place) if column is None else self.model().index(self.rowAt(place.y()), column)

    def scrollTo(  # noqa: N802
        self, index: QModelIndex | QPersistentModelIndex, hint: QAbstractItemView.ScrollHint = _VISIBLE
    ) -> None:
        """Scrolls vertically only."""
        bar = self.horizontalScrollBar()
        across = bar.value()
        super().scrollTo(index, hint)
        bar.setValue(across)

    def scroll_to_last_column(self) -> None:
        """Scrolls to the last column, also one that has just been shown."""
        self.updateGeometries()
        self.horizontalScrollBar().setValue(self.horizontalScrollBar().maximum())

    def moveCursor(self, action: _Move, modifiers: Qt.KeyboardModifier) -> QModelIndex:  # noqa: N802
        """Left and Right scroll, for rows are selected as a whole."""
        if action is _Move.MoveNext and not self.currentIndex().isValid():
            # Called on focus: Qt would make the first row the current one without selecting it.
            return QModelIndex()
        if action not in (_Move.MoveLeft, _Move.MoveRight):
            return super().moveCursor(action, modifiers)
        self._scroll_across(1 if action is _Move.MoveRight else -1)
        return self.currentIndex()

    def _scroll_across(self, by: int) -> None:
        """Scrolls to the next column that does not begin at the left, after the pinned ones."""
        header, bar = self.horizontalHeader(), self.horizontalScrollBar()
        shown = (place for place in range(header.count()) if not header.isSectionHidden(place))
        edges = sorted(header.sectionPosition(place) - self.pinned.width for place in shown)
        beyond = [edge for edge in edges if (edge - bar.value()) * by > 0]
        if beyond:
            bar.setValue(beyond[0] if by > 0 else beyond[-1])


MOST_SELECTED = 10_000  # rows that are fetched one by one; larger selections should use a filter
_ONLY = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
_CENTRE = QAbstractItemView.ScrollHint.PositionAtCenter


class BrowserTable(PinnedTable):
    """The rows of a result.

    Signals: ``sort_requested`` (field, whether in addition to others) · ``event_chosen`` (Event or None) and
    ``record_chosen`` (Record or None) when the current row changes · ``rows_selected`` (number) ·
    ``copy_requested`` (CopyFormat) · ``menu_requested`` (Record, global position, EventColumn) ·
    ``inspect_requested`` by Return · ``leave_requested`` by Escape · ``typed`` (text), which starts a search.
    """

    sort_requested = Signal(str, bool)
    event_chosen = Signal(object)
    record_chosen = Signal(object)
    rows_selected = Signal(int)
    copy_requested = Signal(object)
    menu_requested = Signal(object, QPoint, object)
    inspect_requested = Signal()
    leave_requested = Signal()
    typed = Signal(str)

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

    def keyboardSearch(self, search: str) -> None:  # noqa: N802
        """Leaves typed letters to the query."""
        self.typed.emit(search)

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
        self._is_pressed = True
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
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


_SIDES = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_ENDS = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}
_SORTS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space})
_LEAVES = frozenset({Qt.Key.Key_Escape, Qt.Key.Key_Down})
_WHILE = 1500  # milliseconds for which the ring marks a column that was changed with the focus in the rows
_RING = 2


class TitleCursor(QWidget):
    """The current column of the keyboard; mouse events pass through to the titles.

    Signals: ``sort_requested`` (place, whether in addition to others) by Return · ``menu_requested`` (place,
    global position).
    """

    sort_requested = Signal(int, bool)
    menu_requested = Signal(int, QPoint)

    def __init__(self, table: PinnedTable, appearance: Appearance) -> None:
        super().__init__(table)
        self._table, self._appearance = table, appearance
        self._place = 0
        self.setObjectName("events.table.titles")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._while = QTimer(self, singleShot=True, interval=_WHILE)
        self._while.timeout.connect(self.update)
        header = self._header
        for changed in (
            header.sectionResized,
            header.sectionMoved,
            header.geometriesChanged,
            table.horizontalScrollBar().valueChanged,
            table.model().headerDataChanged,
        ):
            changed.connect(self.settle)
        table.pressed.connect(self._take)
        table.viewport().installEventFilter(self)

    @property
    def place(self) -> int:
        """The place of the column in the model."""
        shown = self._shown()
        return self._place if self._place in shown or not shown else shown[0]

    def go_to(self, place: int) -> None:
        """Moves to the title of a column, which is scrolled into view."""
        self._place = place
        header, bar, pinned = self._header, self._table.horizontalScrollBar(), self._table.pinned
        if place not in pinned.places:
            left = header.sectionPosition(place) - pinned.width
            right = header.sectionPosition(place) + header.sectionSize(place) - header.width()
            bar.setValue(min(left, max(right, bar.value())))
        self.settle()

    def flash(self) -> None:
        """Shows the ring for a while, with any focus."""
        self._while.start()
        self.go_to(self.place)
        self.update()

    def settle(self) -> None:
        """Moves the ring over the visible part of the title."""
        header, pinned = self._header, self._table.pinned
        shown = QRect(header.geometry())
        place = self.place
        left = shown.left()
        if place in pinned.places:
            before = pinned.places[: pinned.places.index(place)]
            left += sum(header.sectionSize(one) for one in before)
        else:
            left += header.sectionViewportPosition(place)
            shown.setLeft(shown.left() + pinned.width)
        title = QRect(left, shown.top(), header.sectionSize(place), shown.height())
        self.setGeometry(title.intersected(shown))
        self.raise_()
        self._update_accessible_name()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key, shown = event.key(), self._shown()
        if key in _SIDES and shown:
            at = shown.index(self.place) + _SIDES[Qt.Key(key)]
            self.go_to(shown[max(0, min(at, len(shown) - 1))])
        elif key in _ENDS and shown:
            self.go_to(shown[_ENDS[Qt.Key(key)]])
        elif key in _SORTS:
            also = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.sort_requested.emit(self.place, also)
        elif key in _LEAVES:
            self._table.setFocus()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, _event: QContextMenuEvent) -> None:  # noqa: N802
        self.menu_requested.emit(self.place, self.mapToGlobal(QPoint(0, self.height())))

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self.go_to(self.place)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        if not self.hasFocus() and not self._while.isActive():
            return
        with QPainter(self) as painter:
            painter.setPen(QPen(QColor(self._appearance.tokens.accent), _RING))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Follows the size of the table, once more when that goes."""
        if event.type() == QEvent.Type.Resize and isValid(self._table):
            self.settle()
        return False

    @property
    def _header(self) -> QHeaderView:
        return self._table.horizontalHeader()

    def _shown(self) -> list[int]:
        """The columns that are not hidden, from the left."""
        header = self._header
        order = sorted(range(header.count()), key=header.visualIndex)
        return [place for place in order if not header.isSectionHidden(place)]

    def _take(self, index: QModelIndex) -> None:
        self._place = index.column()
        self.settle()

    def _update_accessible_name(self) -> None:
        title = self._table.model().headerData(self.place, Qt.Orientation.Horizontal)
        name = str(title or "")
        for sign, state in (("▾", tr("sorted descending")), ("▴", tr("sorted ascending"))):
            name = name.replace(f" {sign}", f", {state} ").strip()
        self.setAccessibleName(tr("Column {name}", name=name))
        self.setAccessibleDescription(
            tr("Left and Right go to other columns, Return sorts, Shift+F10 offers more")
        )
