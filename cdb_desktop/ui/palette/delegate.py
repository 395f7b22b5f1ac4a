"""Paints an action in the palette: icon, name, menu, and its key or why it cannot be done."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from cdb_desktop.ui.palette.model import PaletteModel, Row
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, ICON

ROW_HEIGHT = 30
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class PaletteDelegate(QStyledItemDelegate):
    """One line for each action."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: N802
        """One height for all."""
        return QSize(0, ROW_HEIGHT)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """One action."""
        model = index.model()
        if not isinstance(model, PaletteModel):
            return
        row, tokens = model.rows[index.row()], self._appearance.tokens
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(tokens.selected))
        inner = option.rect.adjusted(GROUP, 0, -GROUP, 0)
        mode = QIcon.Mode.Disabled if row.obstacle else QIcon.Mode.Normal
        row.icon.paint(painter, QRect(inner.left(), inner.center().y() - ICON // 2, ICON, ICON), mode=mode)
        self._paint_texts(painter, inner.adjusted(ICON + GAP, 0, 0, 0), row)

    def _paint_texts(self, painter: QPainter, place: QRect, row: Row) -> None:
        tokens = self._appearance.tokens
        right = row.obstacle or row.key
        painter.setPen(QColor(tokens.warning if row.obstacle else tokens.muted))
        painter.drawText(place, _MIDDLE | Qt.AlignmentFlag.AlignRight, right)
        place = place.adjusted(0, 0, -painter.fontMetrics().horizontalAdvance(right) - GROUP, 0)
        painter.setPen(QColor(tokens.muted if row.obstacle else tokens.text))
        title = painter.fontMetrics().elidedText(row.title, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, _MIDDLE | Qt.AlignmentFlag.AlignLeft, title)
        place = place.adjusted(painter.fontMetrics().horizontalAdvance(title) + GAP, 0, 0, 0)
        painter.setPen(QColor(tokens.muted))
        menu = painter.fontMetrics().elidedText(row.menu, Qt.TextElideMode.ElideRight, max(place.width(), 0))
        painter.drawText(place, _MIDDLE | Qt.AlignmentFlag.AlignLeft, menu)
