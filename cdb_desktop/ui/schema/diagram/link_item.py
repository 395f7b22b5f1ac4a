"""Paints a link: a curve from a row to the head of a table, with crow's foot notation at its ends."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from cdb_desktop.schema.diagram.model import RoutedEdge
from cdb_desktop.ui.schema.diagram.style import FAR, DiagramStyle

_END_LENGTH = 12.0  # of the symbols at the ends
_SPREAD = 5.0
_BEHIND, _BEFORE = -2.0, -1.0


class LinkItem(QGraphicsItem):
    """One link, behind the boxes; highlighted links are before the others."""

    def __init__(self, link: RoutedEdge, style: DiagramStyle) -> None:
        super().__init__()
        self._style = style
        self._is_highlighted = False
        self.setZValue(_BEHIND)
        self._set_link(link)

    @property
    def link(self) -> RoutedEdge:
        """The link that is shown."""
        return self._link

    def show_link(self, link: RoutedEdge) -> None:
        """Replaces the link by a newer state of it."""
        if link != self._link:
            self.prepareGeometryChange()
            self._set_link(link)
            self.update()

    def set_highlighted(self, *, on: bool) -> None:
        """Highlights the link."""
        if on != self._is_highlighted:
            self._is_highlighted = on
            self.setZValue(_BEFORE if on else _BEHIND)
            self.update()

    def is_near(self, point: QPointF, reach: float) -> bool:
        """Whether the curve is within ``reach`` of a point of the scene."""
        stroker = QPainterPathStroker()
        stroker.setWidth(2 * reach)
        return stroker.createStroke(self._path).contains(point)

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The curve with the symbols at its ends."""
        return self._bounds

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Paints the curve, and the symbols unless they would be too small."""
        tokens = self._style.tokens
        pen = QPen(
            QColor(tokens.accent if self._is_highlighted else tokens.handle),
            1.6 if self._is_highlighted else 1.2,
        )
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._path)
        if option.levelOfDetailFromTransform(painter.worldTransform()) >= FAR:
            painter.setBrush(QColor(tokens.ground))
            self._paint_ends(painter)

    def _set_link(self, link: RoutedEdge) -> None:
        self._link = link
        start, *rest = (QPointF(x, y) for x, y in link.path)
        path = QPainterPath(start)
        for one, other, end in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
            path.cubicTo(one, other, end)
        self._path = path
        room = _SPREAD + 2
        self._bounds = path.boundingRect().adjusted(-room, -room, room, room)

    def _paint_ends(self, painter: QPainter) -> None:
        edge, path = self._link.edge, self._link.path
        _source_end(painter, path[0], 1.0 if path[1][0] >= path[0][0] else -1.0, unique=edge.unique)
        _target_end(painter, path[-1], 1.0 if path[-2][0] >= path[-1][0] else -1.0, required=edge.required)


def _source_end(painter: QPainter, at: tuple[float, float], direction: float, *, unique: bool) -> None:
    """Paints the symbol for 0 to n rows, or for 0 or 1 if the column is unique."""
    x, y = at
    far = x + direction * _END_LENGTH
    if unique:
        painter.drawLine(QLineF(x + direction * 6, y - _SPREAD, x + direction * 6, y + _SPREAD))
    else:
        painter.drawLines([QLineF(far, y, x, y - _SPREAD), QLineF(far, y, x, y + _SPREAD)])
    painter.drawEllipse(QPointF(far + direction * 3, y), 3, 3)


def _target_end(painter: QPainter, at: tuple[float, float], direction: float, *, required: bool) -> None:
    """Paints the symbol for exactly 1 row, or for 0 or 1 if the column may be empty."""
    x, y = at
    near, far = x + direction * 6, x + direction * 10
    painter.drawLine(QLineF(near, y - _SPREAD, near, y + _SPREAD))
    if required:
        painter.drawLine(QLineF(far, y - _SPREAD, far, y + _SPREAD))
    else:
        painter.drawEllipse(QPointF(far + direction * 2, y), 3, 3)
