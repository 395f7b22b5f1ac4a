"""A ring around the title of a column that the keyboard moves from one title to the next."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHeaderView, QWidget
from shiboken6 import isValid

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.pinned_table import PinnedTable
from cdb_desktop.ui.theme.appearance import Appearance

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
        """Moves, sorts, or returns to the rows."""
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
        """Opens the menu below the title."""
        self.menu_requested.emit(self.place, self.mapToGlobal(QPoint(0, self.height())))

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Scrolls to the title."""
        super().focusInEvent(event)
        self.go_to(self.place)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Hides the ring."""
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """The ring."""
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
