"""The remembered connections as a list; knows neither where they are kept nor what becomes of a choice."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.connection.profile import Entry
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.menus import on_context_menu

ENTRY = Qt.ItemDataRole.UserRole
ENTRY_HEIGHT = 44
_DOT = 10
_ROUND = 6


class EntryDelegate(QStyledItemDelegate):
    """A row of two lines with a disc in the connection's colour."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(  # noqa: N802
        self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Every row is as high as the others."""
        return QSize(0, ENTRY_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Ground, disc and texts."""
        entry = index.data(ENTRY)
        if not isinstance(entry, Entry):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option)
        rect: QRect = option.rect
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(entry.colour))
        painter.drawEllipse(rect.left() + GAP, rect.center().y() - _DOT // 2, _DOT, _DOT)
        inner = rect.adjusted(GAP + _DOT + GROUP - TIGHT, TIGHT, -GAP, -TIGHT)
        self._paint_texts(painter, inner, entry)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        tokens = self._appearance.tokens
        state: QStyle.StateFlag = option.state
        lively = QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected
        if state & lively:
            ground = QRectF(option.rect)
            focused = state & QStyle.StateFlag.State_HasFocus
            painter.setPen(QColor(tokens.accent) if focused else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.selected))
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), _ROUND, _ROUND)

    def _paint_texts(self, painter: QPainter, room: QRect, entry: Entry) -> None:
        tokens, font = self._appearance.tokens, painter.font()
        half = room.height() // 2
        upper, lower = room.adjusted(0, 0, 0, -half), room.adjusted(0, half, 0, 0)
        lines = (
            (upper, entry.title, scaled(font, 1.0, QFont.Weight.Medium), tokens.text),
            (lower, entry.subtitle, scaled(font, CAPTION), tokens.muted),
        )
        for place, text, used, colour in lines:
            painter.setFont(used)
            painter.setPen(QColor(colour))
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, place.width())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


class EntryList(QListWidget):
    """One row a connection.

    Signals, each with an Entry: ``opened`` when it is to be connected · ``changed`` when it is to be looked
    at or changed · ``forgotten`` when it is to be remembered no longer.
    """

    opened = Signal(object)
    changed = Signal(object)
    forgotten = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(EntryDelegate(appearance, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        on_context_menu(self, self._open_menu)

    @property
    def current(self) -> Entry | None:
        """The entry of the current row."""
        return self._entry(self.currentItem())

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Shows these in place of what was there."""
        self.clear()
        for entry in entries:
            item = QListWidgetItem(f"{entry.title}, {entry.subtitle}")  # what a screen reader says
            item.setData(ENTRY, entry)
            item.setToolTip(f"{entry.login} · {entry.address}")
            self.addItem(item)

    def point_at(self, entry: Entry) -> None:
        """Makes the row of an entry the current one without opening it; none where it is not in the list."""
        rows = (row for row in range(self.count()) if self._entry(self.item(row)) == entry)
        with QSignalBlocker(self):
            self.setCurrentRow(next(rows, -1))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Return opens, Delete forgets."""
        entry = self.current
        if entry is not None and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.opened.emit(entry)
        elif entry is not None and event.key() == Qt.Key.Key_Delete:
            self.forgotten.emit(entry)
        else:
            super().keyPressEvent(event)

    def _open_menu(self, index: QModelIndex, at: QPoint) -> None:
        """Beside all entries there is none."""
        entry = index.data(ENTRY)
        if not isinstance(entry, Entry):
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, signal in (
            (tr("&Connect"), self.opened),
            (tr("C&hange…"), self.changed),
            (tr("&Forget", context="connection"), self.forgotten),
        ):
            menu.addAction(text).triggered.connect(lambda _=False, signal=signal: signal.emit(entry))
        menu.popup(at)

    def _entry(self, item: QListWidgetItem | None) -> Entry | None:
        found = None if item is None else item.data(ENTRY)
        return found if isinstance(found, Entry) else None
