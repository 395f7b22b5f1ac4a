"""Paints a code in the list: its title, and the code itself below; knows nothing else of it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from cdb_desktop.ui.errors.model import CodesModel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, TIGHT

_Index = QModelIndex | QPersistentModelIndex


class CodesDelegate(QStyledItemDelegate):
    """Two lines for each code."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(self, option: QStyleOptionViewItem, _index: _Index) -> QSize:  # noqa: N802
        """Room for both lines."""
        small = QFontMetrics(scaled(option.font, CAPTION))
        return QSize(0, option.fontMetrics.height() + small.height() + GAP + TIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """One code."""
        model = index.model()
        if not isinstance(model, CodesModel):
            return
        tokens, entry = self._appearance.tokens, model.entries[index.row()]
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(tokens.selected))
        inner = option.rect.adjusted(GROUP, TIGHT, -GAP, -TIGHT)
        self._line(painter, inner, str(index.data()), tokens.text)
        painter.save()
        painter.setFont(scaled(option.font, CAPTION))
        inner.setTop(inner.top() + option.fontMetrics.height() + TIGHT // 2)
        self._line(painter, inner, entry.code.removeprefix("error."), tokens.muted)
        painter.restore()

    def _line(self, painter: QPainter, place: QRect, text: str, colour: str) -> None:
        painter.setPen(QColor(colour))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, shown)
