"""Draws the small marks beside names in the diagram, and says what they mean."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from cdb_desktop.schema.diagram.model import Mark
from cdb_desktop.ui.schema.diagram_fonts import MARK

_WIDTH = 1.2


def paint_mark(painter: QPainter, mark: Mark, left: float, middle: float, colour: QColor) -> None:
    """Draws a mark from ``left`` on, around the height ``middle``."""
    painter.save()
    painter.translate(left, middle - MARK / 2)
    pen = QPen(colour, _WIDTH)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    _PAINT[mark](painter, colour)
    painter.restore()


def meaning(mark: Mark) -> str:
    """What a mark says, for tooltips."""
    translate = QCoreApplication.translate
    return {
        Mark.HIERARCHICAL: translate("Marks", "hierarchical"),
        Mark.IN_POOLS: translate("Marks", "in pools"),
        Mark.TAGS: translate("Marks", "with tags"),
        Mark.RIGHTS: translate("Marks", "with rights of its own"),
        Mark.REQUIRED: translate("Marks", "must have a value"),
        Mark.UNIQUE: translate("Marks", "unique"),
        Mark.CHECKED: translate("Marks", "checked"),
        Mark.REVERSE_EDIT: translate("Marks", "edited in the linked table"),
    }[mark]


def _hierarchical(painter: QPainter, colour: QColor) -> None:
    painter.drawLines([QLineF(3, 2, 3, 9), QLineF(3, 5, 8, 5), QLineF(3, 9, 8, 9)])
    painter.setBrush(colour)
    painter.drawEllipse(QPointF(3, 2), 1, 1)


def _pools(painter: QPainter, _colour: QColor) -> None:
    painter.drawEllipse(QRectF(1.5, 1, 8, 3))
    painter.drawLines([QLineF(1.5, 2.5, 1.5, 8), QLineF(9.5, 2.5, 9.5, 8)])
    painter.drawArc(QRectF(1.5, 6.5, 8, 3), 180 * 16, 180 * 16)


def _tags(painter: QPainter, _colour: QColor) -> None:
    painter.drawLines([QLineF(4, 1.5, 3, 9.5), QLineF(8, 1.5, 7, 9.5)])
    painter.drawLines([QLineF(1.5, 4, 9.5, 4), QLineF(1.5, 7, 9.5, 7)])


def _rights(painter: QPainter, _colour: QColor) -> None:
    painter.drawRoundedRect(QRectF(2, 5, 7, 5), 1, 1)
    painter.drawArc(QRectF(3.5, 1, 4, 7), 0, 180 * 16)


def _required(painter: QPainter, colour: QColor) -> None:
    painter.setBrush(colour)
    painter.drawEllipse(QPointF(5.5, 5.5), 1.6, 1.6)


def _unique(painter: QPainter, _colour: QColor) -> None:
    painter.drawEllipse(QPointF(3, 5.5), 2, 2)
    painter.drawLines([QLineF(5, 5.5, 10, 5.5), QLineF(9.5, 5.5, 9.5, 8), QLineF(7.5, 5.5, 7.5, 7.5)])


def _checked(painter: QPainter, _colour: QColor) -> None:
    painter.drawPolyline([QPointF(2, 6), QPointF(4.5, 8.5), QPointF(9.5, 2.5)])


def _reverse(painter: QPainter, _colour: QColor) -> None:
    painter.drawLines([QLineF(1.5, 4, 9.5, 4), QLineF(1.5, 7.5, 9.5, 7.5)])
    painter.drawPolyline([QPointF(7.5, 2), QPointF(9.5, 4)])
    painter.drawPolyline([QPointF(3.5, 9.5), QPointF(1.5, 7.5)])


_PAINT: dict[Mark, Callable[[QPainter, QColor], None]] = {
    Mark.HIERARCHICAL: _hierarchical,
    Mark.IN_POOLS: _pools,
    Mark.TAGS: _tags,
    Mark.RIGHTS: _rights,
    Mark.REQUIRED: _required,
    Mark.UNIQUE: _unique,
    Mark.CHECKED: _checked,
    Mark.REVERSE_EDIT: _reverse,
}
