"""A table in the diagram with all that is nested in it: one item that paints less the farther away it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram import Box, Mark, Role, Row
from cdb_desktop.schema.places import Place, TablePlace
from cdb_desktop.ui.schema.diagram.style import FAR, MARK, VERY_FAR, Look, paint_mark, veiled
from cdb_desktop.ui.schema.page.findings import fault_colour, sign_colour
from cdb_desktop.ui.theme.fonts import scaled

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

    def line_of(self, place: Place) -> Line | None:
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
        is_chosen = self._look.selection == TablePlace(self._box.table)
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
        place = TablePlace(self._box.table)
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
    def place(self) -> TablePlace:
        """What was removed."""
        return TablePlace(self._box.table)

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
        removed = tr("− removed")
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


@dataclass(frozen=True, slots=True)
class Line:
    """A head or a row; lengths are relative to the corner of the whole box, ``depth`` counts nesting."""

    place: Place
    role: Role
    left: float
    width: float
    top: float
    height: float
    name: str
    type: str
    marks: tuple[Mark, ...]
    depth: int

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height

    @property
    def middle(self) -> float:
        """Half of the height."""
        return self.top + self.height / 2


@dataclass(frozen=True, slots=True)
class Frame:
    """The outline of a nested box."""

    left: float
    top: float
    width: float
    height: float
    head_height: float
    depth: int


def lines_of(box: Box) -> tuple[Line, ...]:
    """All lines of a top-level box in the order in which they are seen."""
    return tuple(sorted(_lines(box, 0.0, 0.0, 0), key=lambda line: line.top))


def frames_of(box: Box) -> tuple[Frame, ...]:
    """The outlines of all boxes inside, outer ones first."""
    return tuple(_frames(box, 1))


def _lines(part: Box, left: float, top: float, depth: int) -> Iterator[Line]:
    role = Role.NESTED_TABLE if depth else Role.TABLE
    place, height = TablePlace(part.table), part.head_height
    yield Line(place, role, left, part.width, top, height, part.name, "", part.marks, depth)
    for row in part.rows:
        yield _row(row, left, part.width, depth)
    for nested in part.nested:
        yield from _lines(nested, nested.x, nested.y, depth + 1)


def _row(row: Row, left: float, width: float, depth: int) -> Line:
    return Line(row.place, Role.NAME, left, width, row.y, row.height, row.name, row.type, row.marks, depth)


def _frames(box: Box, depth: int) -> Iterator[Frame]:
    for nested in box.nested:
        yield Frame(nested.x, nested.y, nested.width, nested.height, nested.head_height, depth)
        yield from _frames(nested, depth + 1)
