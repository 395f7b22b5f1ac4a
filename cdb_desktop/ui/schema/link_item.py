"""A link in the diagram: a curve from a row to a table's head, with crow's feet that say how many."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from cdb_desktop.schema.diagram.model import RoutedEdge
from cdb_desktop.ui.schema.look import FAR, Look

_REACH = 12.0  # of the signs at the ends
_SPREAD = 5.0
_BEHIND, _BEFORE = -2.0, -1.0


class LinkItem(QGraphicsItem):
    """One link, behind the boxes; one that is looked at stands before the others."""

    def __init__(self, link: RoutedEdge, look: Look) -> None:
        super().__init__()
        self._look = look
        self._is_chosen = False
        self.setZValue(_BEHIND)
        self._take(link)

    @property
    def link(self) -> RoutedEdge:
        """What is shown."""
        return self._link

    def show_link(self, link: RoutedEdge) -> None:
        """Shows another state of the same link."""
        if link != self._link:
            self.prepareGeometryChange()
            self._take(link)
            self.update()

    def choose(self, *, on: bool) -> None:
        """Whether it belongs to what is selected."""
        if on != self._is_chosen:
            self._is_chosen = on
            self.setZValue(_BEFORE if on else _BEHIND)
            self.update()

    def is_near(self, point: QPointF, reach: float) -> bool:
        """Whether the curve passes a point of the scene within ``reach``."""
        stroker = QPainterPathStroker()
        stroker.setWidth(2 * reach)
        return stroker.createStroke(self._path).contains(point)

    def boundingRect(self) -> QRectF:  # noqa: N802
        """The curve with room for the signs."""
        return self._bounds

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """The curve, and from near the signs at its ends."""
        tokens = self._look.tokens
        pen = QPen(
            QColor(tokens.accent if self._is_chosen else tokens.handle), 1.6 if self._is_chosen else 1.2
        )
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._path)
        if option.levelOfDetailFromTransform(painter.worldTransform()) >= FAR:
            painter.setBrush(QColor(tokens.ground))
            self._paint_ends(painter)

    def _take(self, link: RoutedEdge) -> None:
        self._link = link
        start, *rest = (QPointF(x, y) for x, y in link.path)
        path = QPainterPath(start)
        for one, other, end in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
            path.cubicTo(one, other, end)
        self._path = path
        room = _SPREAD + 2
        self._bounds = path.boundingRect().adjusted(-room, -room, room, room)

    def _paint_ends(self, painter: QPainter) -> None:
        wire, path = self._link.edge, self._link.path
        _source_end(painter, path[0], 1.0 if path[1][0] >= path[0][0] else -1.0, unique=wire.unique)
        _target_end(painter, path[-1], 1.0 if path[-2][0] >= path[-1][0] else -1.0, required=wire.required)


def _source_end(painter: QPainter, at: tuple[float, float], way: float, *, unique: bool) -> None:
    """None or many rows, or none or one where values do not repeat."""
    x, y = at
    far = x + way * _REACH
    if unique:
        painter.drawLine(QLineF(x + way * 6, y - _SPREAD, x + way * 6, y + _SPREAD))
    else:
        painter.drawLines([QLineF(far, y, x, y - _SPREAD), QLineF(far, y, x, y + _SPREAD)])
    painter.drawEllipse(QPointF(far + way * 3, y), 3, 3)


def _target_end(painter: QPainter, at: tuple[float, float], way: float, *, required: bool) -> None:
    """Exactly one row, or none or one where the link may be empty."""
    x, y = at
    near, far = x + way * 6, x + way * 10
    painter.drawLine(QLineF(near, y - _SPREAD, near, y + _SPREAD))
    if required:
        painter.drawLine(QLineF(far, y - _SPREAD, far, y + _SPREAD))
    else:
        painter.drawEllipse(QPointF(far + way * 2, y), 3, 3)
