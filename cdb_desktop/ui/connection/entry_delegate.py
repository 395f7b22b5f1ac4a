"""Paints a remembered connection: its colour, its name, and below who signs in where. Knows no list."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from cdb_desktop.ui.connection.entry import Entry
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, TIGHT

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
