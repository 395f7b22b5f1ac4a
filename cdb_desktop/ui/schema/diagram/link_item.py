"""Paints a link: a line from a row to the head of a table, with crow's foot notation at its ends."""

from itertools import pairwise
from math import hypot

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsRectItem, QStyleOptionGraphicsItem, QWidget

from cdb_desktop.schema.diagram.model import Point, Role, RoutedEdge, rounded
from cdb_desktop.ui.schema.diagram.style import ROWS, DiagramStyle

_END_LENGTH = 12.0  # of the symbols at the ends
_SPREAD = 4.0
_CIRCLE = 3.0
_COUNT_AT = 16.0  # from a box to the number of bundled links
_BEHIND, _BEFORE = -2.0, -1.0
_WIDTH, _STRONG = 1.2, 2.0


class LinkItem(QGraphicsRectItem):
    """One ``link``, behind the boxes; highlighted links are before the others.

    Its rectangle is the line with the symbols at its ends: Qt asks all items for it in every frame, and need
    not call Python for that.
    """

    _path: QPainterPath | None

    def __init__(self, link: RoutedEdge, style: DiagramStyle, parent: QGraphicsItem | None = None) -> None:
        super().__init__(parent)
        self.setPen(Qt.PenStyle.NoPen)
        self._style = style
        self._is_highlighted = False
        self._set_link(link)
        self._set_height()

    def show_link(self, link: RoutedEdge) -> None:
        """Replaces the link by a newer state of it."""
        if link is not self.link and link != self.link:
            self._set_link(link)
            self._set_height()
            self.update()

    def set_highlighted(self, *, on: bool) -> None:
        """Highlights the link."""
        if on != self._is_highlighted:
            self._is_highlighted = on
            self._set_height()
            self.update()

    def distance(self, point: QPointF, reach: float) -> float:
        """How far the link is from a point of the scene; infinite if farther than ``reach``."""
        x, y = point.x(), point.y()
        if not self.rect().adjusted(-reach, -reach, reach, reach).contains(point):
            return float("inf")
        path = self.link.path
        found = min(_distance(x, y, one, other) for one, other in pairwise(path))
        return found if found <= reach else float("inf")

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Paints the line, and the symbols unless they would be too small.

        On the screen the line is equally wide at every zoom; in a file it is as wide as at 100 %.
        """
        if self._style.visible is not None and not self._is_in(self._style.visible):
            return
        zoom = option.levelOfDetailFromTransform(painter.worldTransform())
        tokens = self._style.tokens
        color = QColor(tokens.accent if self._is_highlighted else tokens.edge)
        pen = QPen(color, _STRONG if self._is_highlighted else _WIDTH)
        if self.link.edge.ref in self._style.removed:
            pen.setStyle(Qt.PenStyle.DashLine)
        pen.setCosmetic(widget is not None)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._path is None:
            self._path = curve(self.link)
        painter.drawPath(self._path)
        if zoom >= ROWS:
            painter.setBrush(QColor(tokens.ground))
            edge, path, visible = self.link.edge, self.link.path, self._style.visible
            if edge.has_source_sign and (visible is None or visible.contains(*path[0])):
                paint_source_end(painter, path[0], _direction(path[0], path[1]), edge.unique)
            if edge.has_target_sign and (visible is None or visible.contains(*path[-1])):
                paint_target_end(painter, path[-1], _direction(path[-1], path[-2]), edge.required)
            if self.link.bundled:
                self._paint_count(painter, color)

    def _set_height(self) -> None:
        # The number of a bundle is in front of its other links.
        self.setZValue((_BEFORE if self._is_highlighted else _BEHIND) + (0.5 if self.link.bundled else 0.0))

    def _is_in(self, rect: QRectF) -> bool:
        """Whether a part of the link is in a rectangle; a link may lead around all that is visible."""
        left, top, right, bottom = rect.left(), rect.top(), rect.right(), rect.bottom()
        # Without min and max, as it is called for hundreds of links in every frame.
        for (x, y), (far, low) in pairwise(self.link.path):
            is_across = (x <= right or far <= right) and (x >= left or far >= left)
            if is_across and (y <= bottom or low <= bottom) and (y >= top or low >= top):
                return True
        return False

    def _set_link(self, link: RoutedEdge) -> None:
        self.link = link
        self._path = None
        xs, ys = zip(*link.path, strict=True)
        left, top, room = min(xs), min(ys), _SPREAD + _COUNT_AT
        self.setRect(left - room, top - room, max(xs) - left + 2 * room, max(ys) - top + 2 * room)

    def _paint_count(self, painter: QPainter, color: QColor) -> None:
        """Paints above the end how many links share it."""
        fonts, (x, y) = self._style.fonts, self.link.path[-1]
        text = f"×{self.link.bundled}"
        width = fonts.width(text, Role.MARK)
        left = (
            x + _COUNT_AT if _direction(self.link.path[-1], self.link.path[-2]) > 0 else x - _COUNT_AT - width
        )
        height = fonts.height(Role.MARK)
        painter.fillRect(
            QRectF(left - 1, y - height / 2, width + 2, height), QColor(self._style.tokens.ground)
        )
        painter.setFont(fonts.font(Role.MARK))
        painter.setPen(color)
        painter.drawText(QPointF(left, fonts.baseline(Role.MARK, y - height / 2, height)), text)


def curve(link: RoutedEdge) -> QPainterPath:
    """The line of a link, with round corners."""
    points = rounded(link.path)
    x, y = points[0]
    path = QPainterPath(QPointF(x, y))
    for at in range(1, len(points), 3):
        one, other, end = points[at : at + 3]
        if x == end[0] or y == end[1]:
            path.lineTo(*end)
        else:
            path.cubicTo(*one, *other, *end)
        x, y = end
    return path


def _distance(x: float, y: float, one: Point, other: Point) -> float:
    """From a point to a horizontal or vertical segment."""
    across = max(min(one[0], other[0]) - x, 0.0, x - max(one[0], other[0]))
    down = max(min(one[1], other[1]) - y, 0.0, y - max(one[1], other[1]))
    return hypot(across, down)


def _direction(end: Point, following: Point) -> float:
    """Whether a link leaves its box to the right, 1, or to the left, -1."""
    return 1.0 if following[0] >= end[0] else -1.0


def paint_source_end(painter: QPainter, at: Point, direction: float, unique: bool) -> None:
    """Paints the symbol for 0 to n rows, or for 0 or 1 if the column is unique."""
    x, y = at
    far = x + direction * _END_LENGTH
    if unique:
        painter.drawLine(QLineF(x + direction * 6, y - _SPREAD, x + direction * 6, y + _SPREAD))
    else:
        painter.drawLines([QLineF(far, y, x, y - _SPREAD), QLineF(far, y, x, y + _SPREAD)])
    painter.drawEllipse(QPointF(far + direction * _CIRCLE, y), _CIRCLE, _CIRCLE)


def paint_target_end(painter: QPainter, at: Point, direction: float, required: bool) -> None:
    """Paints the symbol for exactly 1 row, or for 0 or 1 if the column may be empty."""
    x, y = at
    near, far = x + direction * 5, x + direction * 9
    painter.drawLine(QLineF(near, y - _SPREAD, near, y + _SPREAD))
    if required:
        painter.drawLine(QLineF(far, y - _SPREAD, far, y + _SPREAD))
    else:
        painter.drawEllipse(QPointF(far + direction * 2, y), _CIRCLE, _CIRCLE)
