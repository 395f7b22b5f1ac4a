"""Paints the rows of the tree: name, type, and the signs of changes and problems."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from cdb_desktop.foundation.hidden_characters import visible
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.ui.schema.page.findings import severity_color, sign_color
from cdb_desktop.ui.schema.tree.model import TreeModel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, GAP, ROW, TIGHT

Index = QModelIndex | QPersistentModelIndex

_SIGN = 14
_ICON = 9
_ELIDE = Qt.TextElideMode.ElideRight
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class TreeDelegate(QStyledItemDelegate):
    """Rows of the same height; names are edited in place."""

    def __init__(self, appearance: Appearance, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        return QSize(super().sizeHint(option, index).width(), ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, TreeModel):
            return
        tokens = self._appearance.tokens
        rect = QRect(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(tokens.selected))
        rect.adjust(0, 0, -TIGHT, 0)
        rect = self._paint_signs(painter, rect, model, index)
        self._paint_texts(painter, rect, model, index, option.font)

    def createEditor(  # noqa: N802
        self, parent: QWidget, _option: QStyleOptionViewItem, _index: Index
    ) -> QWidget:
        field = QLineEdit(parent)
        field.setObjectName("schema.tree.name")
        field.setFrame(False)
        field.setAccessibleName(tr("New name"))
        return field

    def _paint_signs(self, painter: QPainter, rect: QRect, model: TreeModel, index: Index) -> QRect:
        tokens = self._appearance.tokens
        sign, severity = model.sign(index), model.severity(index)
        font = QFont(painter.font())
        font.setBold(True)
        painter.setFont(font)
        found = (
            (sign, sign_color(sign, tokens)) if sign else None,
            ("!", severity_color(severity, tokens)) if severity else None,
        )
        for text, color in (each for each in found if each):
            painter.setPen(color)
            ref = QRect(rect.right() - _SIGN, rect.top(), _SIGN, rect.height())
            painter.drawText(ref, Qt.AlignmentFlag.AlignCenter, text)
            rect.adjust(0, 0, -_SIGN, 0)
        return rect

    def _paint_texts(
        self, painter: QPainter, rect: QRect, model: TreeModel, index: Index, font: QFont
    ) -> None:
        tokens, node = self._appearance.tokens, model.node(index)
        if isinstance(node, TableRef):
            self._paint_table_icon(painter, rect)
            rect.adjust(_ICON + GAP, 0, 0, 0)
        is_removed = model.is_removed(index)
        own = QFont(font)
        own.setStrikeOut(is_removed)
        painter.setFont(own)
        painter.setPen(QColor(tokens.muted if is_removed else tokens.text))
        name = painter.fontMetrics().elidedText(visible(model.tree.name(node)), _ELIDE, rect.width())
        painter.drawText(rect, _LEFT, name)
        rect.adjust(painter.fontMetrics().horizontalAdvance(name) + GAP, 0, -TIGHT, 0)
        kind = model.tree.type(node)
        if kind and rect.width() > ROW:
            painter.setFont(scaled(font, CAPTION))
            painter.setPen(QColor(tokens.muted))
            painter.drawText(rect, _RIGHT, painter.fontMetrics().elidedText(kind, _ELIDE, rect.width()))

    def _paint_table_icon(self, painter: QPainter, rect: QRect) -> None:
        """Paints the icon of a table."""
        top = rect.center().y() - _ICON / 2 + 0.5
        box = QRectF(rect.left() + 1.5, top, _ICON, _ICON)
        painter.setPen(QPen(QColor(self._appearance.tokens.muted), 1.0))
        painter.drawRect(box)
        painter.drawLine(box.topLeft().toPoint().x() + 1, int(top + 3), int(box.right()), int(top + 3))
