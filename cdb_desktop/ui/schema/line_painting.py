"""Paints the heads and rows of boxes: names, types, marks, signs of changes and of problems."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from cdb_desktop.schema.diagram.model import Role
from cdb_desktop.ui.schema.box_lines import Line
from cdb_desktop.ui.schema.diagram_fonts import MARK
from cdb_desktop.ui.schema.look import Look, fault_colour, sign_colour, veiled
from cdb_desktop.ui.schema.marks import paint_mark
from cdb_desktop.ui.theme.fonts import scaled

EDGE = 9.0  # how far badges stand out of a box
_PADDING = 8.0
_MARK_GAP = 4.0
_BADGE = 6.0
_TINT = 0.13


class LinePainting:
    """Paints lines with one painter."""

    def __init__(self, painter: QPainter, look: Look) -> None:
        self._painter = painter
        self._look = look

    def line(self, line: Line) -> None:
        """A head or a row with everything on it."""
        sign = self._look.signs.get(line.place, "")
        fault = self._look.faults.get(line.place)
        self._ground(line, sign)
        self._texts(line)
        if sign and line.width:
            self._badge(line.left - 2, line.middle, sign, sign_colour(sign, self._look.tokens))
        if fault is not None:
            self._badge(line.right + 2, line.middle, "!", fault_colour(fault, self._look.tokens))

    def title(self, rect: QRectF, head: Line, factor: float) -> None:
        """A name in the middle of a box that is far away, as large as it fits."""
        painter, font = self._painter, self._look.fonts.font(Role.TABLE)
        room = rect.width() - _PADDING
        lines = self._wrapped(head.name, room / factor)
        width = max(self._look.fonts.width(line, Role.TABLE) for line in lines)
        fitting = min(factor, room / max(width, 1.0), rect.height() / (len(lines) * head.height))
        painter.setFont(scaled(font, max(fitting, 0.5)))
        told = "\n".join(lines)
        # The outline of what is nested in the box would go through the name.
        behind = painter.boundingRect(rect, Qt.AlignmentFlag.AlignCenter, told) & rect
        painter.fillRect(behind, QColor(self._look.tokens.ground))
        painter.setPen(QColor(self._look.tokens.text))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, told)

    def _wrapped(self, name: str, room: float) -> list[str]:
        """A name in lines that end in ``_``, where it is wider than the room."""
        if self._look.fonts.width(name, Role.TABLE) <= room:
            return [name]
        *firsts, last = name.split("_")
        lines: list[str] = []
        for part in (*(f"{first}_" for first in firsts), last):
            joined = f"{lines[-1]}{part}" if lines else part
            if lines and self._look.fonts.width(joined, Role.TABLE) <= room:
                lines[-1] = joined
            else:
                lines.append(part)
        return lines

    def _ground(self, line: Line, sign: str) -> None:
        tokens = self._look.tokens
        rect = QRectF(line.left + 1, line.top, line.width - 2, line.height)
        if line.place == self._look.selection:
            self._painter.fillRect(rect, QColor(tokens.selected))
            self._painter.fillRect(QRectF(line.left + 1, line.top, 3, line.height), QColor(tokens.accent))
        elif sign and line.role is Role.NAME:
            self._painter.fillRect(rect, veiled(sign_colour(sign, tokens), _TINT))

    def _texts(self, line: Line) -> None:
        painter, fonts, tokens = self._painter, self._look.fonts, self._look.tokens
        painter.setFont(fonts.font(line.role))
        painter.setPen(QColor(tokens.text))
        left = line.left + _PADDING
        painter.drawText(QPointF(left, fonts.baseline(line.role, line.top, line.height)), line.name)
        left += fonts.width(line.name, line.role)
        for mark in line.marks:
            paint_mark(painter, mark, left + _MARK_GAP, line.middle, QColor(tokens.muted))
            left += MARK + _MARK_GAP
        if line.type:
            painter.setFont(fonts.font(Role.TYPE))
            painter.setPen(QColor(tokens.muted))
            right = line.right - _PADDING - fonts.width(line.type, Role.TYPE)
            painter.drawText(QPointF(right, fonts.baseline(Role.TYPE, line.top, line.height)), line.type)

    def _badge(self, x: float, y: float, text: str, colour: QColor) -> None:
        painter, fonts = self._painter, self._look.fonts
        painter.setPen(QPen(colour, 1.2))
        painter.setBrush(QColor(self._look.tokens.ground))
        painter.drawEllipse(QPointF(x, y), _BADGE, _BADGE)
        painter.setFont(fonts.font(Role.MARK))
        painter.setPen(colour)
        box = QRectF(x - _BADGE, y - _BADGE, 2 * _BADGE, 2 * _BADGE)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
