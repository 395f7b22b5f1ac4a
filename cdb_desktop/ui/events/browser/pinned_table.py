"""A table of events whose first columns can be pinned and which scrolls sideways only on demand.

Pinned columns are painted over the table instead of shown by a second view, so that rows, selection, keys and
mouse are handled by one table, and a million rows cost nothing more.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget
from shiboken6 import isValid

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.style_sheets import TABLE_HEADER
from cdb_desktop.ui.widgets.event_table.model import EventModel
from cdb_desktop.ui.widgets.event_table.table import EventTable

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
        """Paints the visible rows and the line between pinned and scrolled columns."""
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
