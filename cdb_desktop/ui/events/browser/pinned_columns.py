"""The columns that stay at the left while others are scrolled below them; paints, decides nothing.

They are painted over the table instead of shown by a second one: so rows, selection, keys and mouse stay the
table's own, and a million rows cost nothing more.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHeaderView, QWidget
from shiboken6 import isValid

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.style_sheets import TABLE_HEADER
from cdb_desktop.ui.widgets.event_table.table import EventTable

_MOST = 0.7  # part of the table's width, so that there is always room for the others


class PinnedColumns(QObject):
    """The first columns of a table, as many as are wanted and find room."""

    def __init__(self, table: EventTable, appearance: Appearance) -> None:
        super().__init__(table)
        self._table = table
        self._wanted = 0
        self.places: tuple[int, ...] = ()  # of the columns that stay, from the left
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
        """The first ``count`` of the columns in sight stay from now on."""
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
        """Follows the viewport: its size changes with scroll bars too, and once more when the table goes."""
        if event.type() == QEvent.Type.Resize and isValid(self._table):
            self.settle()
        return False

    def column_at(self, x: int) -> int | None:
        """The column that stays over this place of the viewport, None for none."""
        left = 0
        for place in self.places:
            left += self._header.sectionSize(place)
            if x < left:
                return place
        return None

    def _fitting(self) -> tuple[int, ...]:
        order = sorted(range(self._header.count()), key=self._header.visualIndex)
        shown = [place for place in order if not self._header.isSectionHidden(place)]
        room = _MOST * self._table.viewport().width()
        fitting: list[int] = []
        for place in shown[: self._wanted]:
            room -= self._header.sectionSize(place)
            if room < 0:
                break
            fitting.append(place)
        # A column that is the only one needs no other to be held beside.
        return tuple(fitting) if len(fitting) < len(shown) else ()

    def _resize(self, place: int, _before: int, width: int) -> None:
        if place in self.places and width:
            self._header.resizeSection(place, width)


class _Titles(QHeaderView):
    """The titles of the columns that stay: a header of its own, which can be clicked and dragged wider."""

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
        """Shows the sections at ``places`` as ``header`` has them."""
        self.blockSignals(True)
        for place in range(self.count()):
            self.setSectionHidden(place, place not in places)
        for visual, place in enumerate(places):
            self.moveSection(self.visualIndex(place), visual)
            self.resizeSection(place, header.sectionSize(place))
        self.blockSignals(False)
        self.viewport().update()


class _Rows(QWidget):
    """The cells of the columns that stay; what is clicked is the table below, whose rows are the same."""

    def __init__(self, pinned: PinnedColumns, table: EventTable, appearance: Appearance) -> None:
        super().__init__(table)
        self._pinned, self._table, self._appearance = pinned, table, appearance
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        # What lies below need not be painted.
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
        """The rows in sight, and the line beyond which others are scrolled."""
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
