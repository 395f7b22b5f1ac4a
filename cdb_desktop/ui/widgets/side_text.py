"""Entries of lists with a muted text at the right, such as a number."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, TIGHT

BESIDE = Qt.ItemDataRole.UserRole + 8
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CHECK = 32  # width in pixels of the box before a text

_Index = QModelIndex | QPersistentModelIndex


class SideTextDelegate(QStyledItemDelegate):
    """Paints a muted text at the right of an entry; the entry is elided before it."""

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def initStyleOption(self, option: QStyleOptionViewItem, index: _Index) -> None:  # noqa: N802
        """Elides the text before the side text."""
        super().initStyleOption(option, index)
        beside = index.data(BESIDE)
        if beside:
            metrics = option.fontMetrics
            room = option.rect.width() - metrics.horizontalAdvance(beside) - 2 * GAP - _CHECK
            if option.features & QStyleOptionViewItem.ViewItemFeature.HasDecoration:
                room -= option.decorationSize.width() + TIGHT
            option.text = metrics.elidedText(option.text, Qt.TextElideMode.ElideMiddle, room)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        beside = index.data(BESIDE)
        if beside:
            painter.setFont(option.font)
            painter.setPen(QColor(self._appearance.tokens.muted))
            painter.drawText(option.rect.adjusted(0, 0, -GAP, 0), _RIGHT, beside)
