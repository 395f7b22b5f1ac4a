"""The list of remembered connections."""

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
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from cdb_desktop.foundation.i18n import tr, visible
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, TIGHT, scaled
from cdb_desktop.ui.widgets.menus import context_menu, on_context_menu

PROFILE_ROLE = Qt.ItemDataRole.UserRole
ROW_HEIGHT = 44
_DOT = 10
_ROUND = 6


class ProfileDelegate(QStyledItemDelegate):
    """Paints two lines, and a disc in the color of the connection."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(  # noqa: N802
        self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(0, ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        profile = index.data(PROFILE_ROLE)
        if not isinstance(profile, ConnectionProfile):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = self._appearance.tokens
        state: QStyle.StateFlag = option.state
        lively = QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected
        if state & lively:
            ground = QRectF(option.rect)
            focused = state & QStyle.StateFlag.State_HasFocus
            painter.setPen(QColor(tokens.accent) if focused else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.selected))
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), _ROUND, _ROUND)
        rect: QRect = option.rect
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(profile.colour))
        painter.drawEllipse(rect.left() + GAP, rect.center().y() - _DOT // 2, _DOT, _DOT)
        inner = rect.adjusted(GAP + _DOT + GROUP - TIGHT, TIGHT, -GAP, -TIGHT)
        self._paint_texts(painter, inner, profile)
        painter.restore()

    def _paint_texts(self, painter: QPainter, room: QRect, profile: ConnectionProfile) -> None:
        tokens, font = self._appearance.tokens, painter.font()
        half = room.height() // 2
        upper, lower = room.adjusted(0, 0, 0, -half), room.adjusted(0, half, 0, 0)
        lines = (
            (upper, visible(profile.title), scaled(font, 1.0, QFont.Weight.Medium), tokens.text),
            (lower, profile.subtitle, scaled(font, CAPTION), tokens.muted),
        )
        for place, text, used, colour in lines:
            painter.setFont(used)
            painter.setPen(QColor(colour))
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, place.width())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


class ProfileList(QListWidget):
    """One row for each connection.

    Signals, each with a ConnectionProfile: ``opened`` to connect · ``changed`` to edit it · ``forgotten`` to
    remove it.
    """

    opened = Signal(object)
    changed = Signal(object)
    forgotten = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(ProfileDelegate(appearance, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        on_context_menu(self, self._open_menu)

    @property
    def current(self) -> ConnectionProfile | None:
        """The profile of the current row."""
        return self._profile(self.currentItem())

    def show_profiles(self, profiles: Sequence[ConnectionProfile]) -> None:
        """Replaces the rows."""
        self.clear()
        for profile in profiles:
            item = QListWidgetItem(f"{profile.title}, {profile.subtitle}")  # for screen readers
            item.setData(PROFILE_ROLE, profile)
            item.setToolTip(f"{profile.login} · {profile.address}")
            self.addItem(item)

    def select(self, profile: ConnectionProfile) -> None:
        """Selects the row of a profile without a signal; none if it is not in the list."""
        rows = (row for row in range(self.count()) if self._profile(self.item(row)) == profile)
        with QSignalBlocker(self):
            self.setCurrentRow(next(rows, -1))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Return opens, Delete removes."""
        profile = self.current
        if profile is not None and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.opened.emit(profile)
        elif profile is not None and event.key() == Qt.Key.Key_Delete:
            self.forgotten.emit(profile)
        else:
            super().keyPressEvent(event)

    def _open_menu(self, index: QModelIndex, at: QPoint) -> None:
        """Opens the context menu of a row."""
        profile = index.data(PROFILE_ROLE)
        if not isinstance(profile, ConnectionProfile):
            return
        menu = context_menu(self, "connection.profiles.menu")
        for text, signal in (
            (tr("&Connect"), self.opened),
            (tr("C&hange…"), self.changed),
            (tr("&Forget", context="connection"), self.forgotten),
        ):
            menu.addAction(text).triggered.connect(lambda _=False, signal=signal: signal.emit(profile))
        menu.popup(at)

    def _profile(self, item: QListWidgetItem | None) -> ConnectionProfile | None:
        found = None if item is None else item.data(PROFILE_ROLE)
        return found if isinstance(found, ConnectionProfile) else None
