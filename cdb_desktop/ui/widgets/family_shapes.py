"""The shapes of event families, so that no meaning depends on color alone."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPen, QPixmap, QPolygonF

from cdb_desktop.ui.theme.measures import ICON
from cdb_desktop.ui.theme.tokens import Tokens, color
from cdb_desktop.vocabulary.event_types import EventFamily

_FORMAT = QImage.Format.Format_ARGB32_Premultiplied

SHAPE_SIZE = 13  # pixels; the square around a shape
_SIZE = 9.0
_DOT = 1.6
_HOLLOW = frozenset({EventFamily.READING, EventFamily.FAILURE, EventFamily.SESSION, EventFamily.EXPORT})
_CORNERS: dict[EventFamily, tuple[tuple[float, float], ...]] = {
    EventFamily.DELETING: ((0, -1.15), (1.15, 0), (0, 1.15), (-1.15, 0)),
    EventFamily.FAILURE: ((0, -1), (1.1, 0.9), (-1.1, 0.9)),
    EventFamily.EXPORT: ((0, 1), (1.1, -0.9), (-1.1, -0.9)),
    EventFamily.SESSION: ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
}


def transparent_image(width: float, height: float, ratio: float) -> QImage:
    """A transparent image for a screen of this device pixel ratio.

    An image instead of a pixmap, since caches may outlive the application.
    """
    result = QImage(-int(-width * ratio // 1), -int(-height * ratio // 1), _FORMAT)
    result.setDevicePixelRatio(ratio)
    result.fill(Qt.GlobalColor.transparent)
    return result


def family_color(family: EventFamily, tokens: Tokens) -> QColor:
    """The color of a family."""
    return QColor(getattr(tokens, family.value))


def paint_shape(painter: QPainter, centre: QPointF, family: EventFamily, pen_color: QColor) -> None:
    """Paints ○ reading, ● writing, ◆ deleting, △ failure, □ session, ▽ export, · system around ``centre``."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    hollow = family in _HOLLOW
    painter.setPen(QPen(pen_color, 1.5) if hollow else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if hollow else pen_color)
    half = _SIZE / 2 - (0.75 if hollow else 0)
    if family in _CORNERS:
        corners = [QPointF(centre.x() + x * half, centre.y() + y * half) for x, y in _CORNERS[family]]
        painter.drawPolygon(QPolygonF(corners))
    else:
        radius = _DOT if family is EventFamily.SYSTEM else half
        painter.drawEllipse(QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius))
    painter.restore()


@lru_cache(maxsize=64)
def shape_image(family: EventFamily, color_name: str, ratio: float) -> QImage:
    """The shape of a family in a square of SHAPE_SIZE; ``ratio`` is the device pixel ratio."""
    result = transparent_image(SHAPE_SIZE, SHAPE_SIZE, ratio)
    with QPainter(result) as painter:
        paint_shape(painter, QPointF(SHAPE_SIZE / 2, SHAPE_SIZE / 2), family, color(color_name))
    return result


def shape_icon(family: EventFamily, tokens: Tokens, ratio: float) -> QIcon:
    """The shape of a family as an icon; ``ratio`` is the device pixel ratio."""
    pixmap = QPixmap(round(ICON * ratio), round(ICON * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        paint_shape(painter, QPointF(ICON / 2, ICON / 2), family, family_color(family, tokens))
    return QIcon(pixmap)
