"""A table in the diagram that was removed: a dashed outline where it stood, its name struck out, the word."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from cdb_desktop.schema.diagram.model import Box, Role
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.ui.schema.look import FAR, VERY_FAR, Look, veiled
from cdb_desktop.ui.theme.fonts import scaled

_ROUND = 5.0
_ROOM = 16.0  # beside the words
_BEHIND = -3.0  # links and boxes go over it: they are there, it is not
_FAINT = 0.5
_LARGE = 0.85  # of a word from afar, as the titles of boxes


class GhostItem(QGraphicsItem):
    """It can be chosen, and nothing else be done with it here."""

    def __init__(self, box: Box, look: Look) -> None:
        super().__init__()
        self._look = look
        self._box = box
        self.setZValue(_BEHIND)
        self.setPos(box.x, box.y)

    @property
    def box(self) -> Box:
        """The box as it was."""
        return self._box

    @property
    def place(self) -> TableRef:
        """What was removed."""
        return TableRef(self._box.table)

    def show_box(self, box: Box) -> None:
        """Shows another state of the same ghost."""
        if box != self._box:
            self.prepareGeometryChange()
            self._box = box
            self.setPos(box.x, box.y)
            self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The outline."""
        return QRectF(-2, -2, self._box.width + 4, self._box.height + 4)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """The outline, and the words as soon as there is room for them."""
        zoom = option.levelOfDetailFromTransform(painter.worldTransform())
        tokens, rect = self._look.tokens, QRectF(0, 0, self._box.width, self._box.height)
        is_chosen = self._look.selection == self.place
        pen = QPen(QColor(tokens.accent if is_chosen else tokens.muted), 2.0 if is_chosen else 1.0)
        pen.setStyle(Qt.PenStyle.DashLine)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.setBrush(veiled(QColor(tokens.raised), _FAINT))
        painter.drawRoundedRect(rect, _ROUND, _ROUND)
        if zoom >= VERY_FAR:
            self._paint_words(painter, rect, 1.0 if zoom >= FAR else _LARGE / zoom)

    def _paint_words(self, painter: QPainter, rect: QRectF, factor: float) -> None:
        fonts, name = self._look.fonts, self._box.name
        removed = QCoreApplication.translate("GhostItem", "− removed")
        widest = max(fonts.width(name, Role.TABLE), fonts.width(removed, Role.TYPE))
        height = fonts.measure(name, Role.TABLE)[1]
        fitting = min(factor, (rect.width() - _ROOM) / widest, rect.height() / (2 * height))
        painter.setPen(QColor(self._look.tokens.muted))
        middle = rect.center().y()
        for text, font, top in (
            (name, _struck_out(fonts.font(Role.TABLE)), middle - height * fitting),
            (removed, fonts.font(Role.TYPE), middle),
        ):
            painter.setFont(scaled(font, max(fitting, 0.5)))
            line = QRectF(QPointF(rect.left(), top), QPointF(rect.right(), top + height * fitting))
            painter.drawText(line, Qt.AlignmentFlag.AlignCenter, text)


def _struck_out(font: QFont) -> QFont:
    result = QFont(font)
    result.setStrikeOut(True)
    return result
