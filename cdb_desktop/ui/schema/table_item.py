"""A table in the diagram with all that is nested in it: one item that paints less the farther away it is."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from cdb_desktop.schema.diagram.model import Box
from cdb_desktop.schema.document.element_ref import ElementRef, TableRef
from cdb_desktop.ui.schema.box_lines import Line, frames_of, lines_of
from cdb_desktop.ui.schema.line_painting import EDGE, LinePainting
from cdb_desktop.ui.schema.look import FAR, VERY_FAR, Look, fault_colour, sign_colour, veiled

_ROUND = 5.0


class TableItem(QGraphicsItem):
    """The box of a top-level table; its position is the box's corner."""

    def __init__(self, box: Box, look: Look) -> None:
        super().__init__()
        self._look = look
        self._take(box)

    @property
    def box(self) -> Box:
        """What is shown."""
        return self._box

    @property
    def lines(self) -> tuple[Line, ...]:
        """Its lines from top to bottom."""
        return self._lines

    def show_box(self, box: Box) -> None:
        """Shows another state of the same table."""
        if box == self._box:
            return
        if (box.width, box.height) != (self._box.width, self._box.height):
            self.prepareGeometryChange()
        self._take(box)
        self.update()

    def line_of(self, place: ElementRef) -> Line | None:
        """The line of a place, None where it has none in this box."""
        return next((line for line in self._lines if line.place == place), None)

    def line_at(self, point: QPointF) -> Line | None:
        """The line under a point of the box."""
        found = None
        for line in self._lines:
            if line.top <= point.y() < line.bottom and line.left <= point.x() <= line.right:
                found = line
        return found

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The box and the badges at its edges."""
        return QRectF(-EDGE, -EDGE, self._box.width + 2 * EDGE, self._box.height + 2 * EDGE)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """The box as far as it can be made out."""
        zoom = option.levelOfDetailFromTransform(painter.worldTransform())
        if zoom < VERY_FAR:
            self._paint_spot(painter)
            return
        self._paint_frame(painter)
        if zoom < FAR:
            self._paint_title(painter, zoom)
        else:
            self._paint_lines(painter)

    def _take(self, box: Box) -> None:
        self._box = box
        self._lines = lines_of(box)
        self._frames = frames_of(box)
        self.setPos(box.x, box.y)

    def _outline(self) -> QPen:
        tokens = self._look.tokens
        is_chosen = self._look.selection == TableRef(self._box.table)
        pen = QPen(QColor(tokens.accent if is_chosen else tokens.handle), 2.0 if is_chosen else 1.0)
        pen.setCosmetic(True)
        return pen

    def _paint_spot(self, painter: QPainter) -> None:
        tokens = self._look.tokens
        painter.setPen(self._outline())
        colour = self._worst() or QColor(tokens.raised)
        painter.setBrush(colour)
        painter.drawRect(QRectF(0, 0, self._box.width, self._box.height))

    def _worst(self) -> QColor | None:
        place = TableRef(self._box.table)
        fault, sign = self._look.faults.get(place), self._look.signs.get(place)
        if fault is not None:
            return fault_colour(fault, self._look.tokens)
        return sign_colour(sign, self._look.tokens) if sign else None

    def _paint_frame(self, painter: QPainter) -> None:
        tokens, box = self._look.tokens, self._box
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.ground))
        painter.drawRoundedRect(QRectF(0, 0, box.width, box.height), _ROUND, _ROUND)
        painter.setBrush(QColor(tokens.raised))
        painter.drawRoundedRect(QRectF(0, 0, box.width, box.head_height), _ROUND, _ROUND)
        painter.drawRect(QRectF(0, box.head_height - _ROUND, box.width, _ROUND))
        for frame in self._frames:
            self._paint_nested(painter, QRectF(frame.left, frame.top, frame.width, frame.height))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._outline())
        painter.drawRoundedRect(QRectF(0, 0, box.width, box.height), _ROUND, _ROUND)

    def _paint_nested(self, painter: QPainter, rect: QRectF) -> None:
        tokens = self._look.tokens
        pen = QPen(QColor(tokens.line), 1.0)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.setBrush(veiled(QColor(tokens.raised), 0.7))
        painter.drawRoundedRect(rect, _ROUND - 1, _ROUND - 1)

    def _paint_title(self, painter: QPainter, zoom: float) -> None:
        """The name alone, as large as the box allows and the distance asks for."""
        head = self._lines[0]
        painting = LinePainting(painter, self._look)
        painting.title(QRectF(0, 0, self._box.width, self._box.height), head, 0.85 / zoom)
        colour = self._worst()
        if colour is not None:
            painter.fillRect(
                QRectF(0, self._box.head_height, 4, self._box.height - self._box.head_height), colour
            )

    def _paint_lines(self, painter: QPainter) -> None:
        painting = LinePainting(painter, self._look)
        visible = painter.clipBoundingRect() if painter.hasClipping() else QRectF()
        for line in self._lines:
            if visible.isNull() or (line.bottom >= visible.top() and line.top <= visible.bottom()):
                painting.line(line)
