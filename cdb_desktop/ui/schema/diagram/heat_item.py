"""Paints the use of tables over their boxes: a gauge of levels, the number of rows, and a bar of the size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.heat import LARGEST, WARMEST, TableHeat
from cdb_desktop.schema.diagram.model import Box, Role
from cdb_desktop.ui.schema.diagram.style import KEYS, DiagramStyle, heat_color, mixed
from cdb_desktop.ui.theme.tokens import Tokens

_EVERYWHERE = QRectF(-1e6, -1e6, 2e6, 2e6)
_BEFORE = 2.0  # boxes that are being dragged
_BAR = 4.0  # pixels: height of the bar of the size
GAUGE = (19.0, 12.0)  # pixels: width and height of a gauge
_TAG, _INSET = 16.0, 4.0  # pixels: height of the tag with gauge and rows, and the space around them


class _BoxItem(Protocol):
    """An item of a table."""

    @property
    def box(self) -> Box: ...


class HeatItem(QGraphicsItem):
    """The use of all tables, in front of their boxes; sizes are pixels at every zoom."""

    def __init__(self, style: DiagramStyle, tables: Mapping[int, _BoxItem]) -> None:
        super().__init__()
        self._style = style
        self._tables = tables
        self.setZValue(_BEFORE)

    def boundingRect(self) -> QRectF:  # noqa: N802
        return _EVERYWHERE

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Paints the bars of all visible tables, and the tags unless boxes are too small."""
        heat = self._style.heat or {}
        transform, zoom = painter.worldTransform(), painter.worldTransform().m11()
        visible = QRectF(painter.viewport())
        painter.save()
        painter.resetTransform()
        bars: list[QRectF] = []
        for table, item in self._tables.items():
            box = item.box
            rect = transform.mapRect(QRectF(box.x, box.y, box.width, box.height))
            found = heat.get(table, TableHeat())
            if not rect.adjusted(0, -_TAG, 0, 0).intersects(visible):
                continue
            if found.size:
                width = rect.width() * found.size / LARGEST
                bars.append(QRectF(rect.left(), rect.bottom() - _BAR, width, _BAR))
            if zoom >= KEYS:
                self._paint_tag(painter, rect, found)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._style.tokens.muted))
        painter.drawRects(bars)
        painter.restore()

    def _paint_tag(self, painter: QPainter, box: QRectF, heat: TableHeat) -> None:
        """Paints a tag on the upper right corner of a box; the rows if there is space for them."""
        fonts, tokens = self._style.fonts, self._style.tokens
        text = rows_text(heat.rows)
        width = GAUGE[0] + 2 * _INSET
        text_width = fonts.width(text, Role.TYPE)
        has_text = width + text_width + _INSET <= box.width()
        if has_text:
            width += text_width + _INSET
        tag = QRectF(box.right() - width, box.top() - _TAG + 2, width, _TAG)
        painter.setPen(QPen(QColor(tokens.handle), 1))
        painter.setBrush(QColor(tokens.ground))
        painter.drawRoundedRect(tag, 3, 3)
        paint_gauge(painter, tag.topLeft() + QPointF(_INSET, (_TAG - GAUGE[1]) / 2), heat.level, tokens)
        if has_text:
            painter.setFont(fonts.font(Role.TYPE))
            painter.setPen(QColor(tokens.text))
            rest = tag.adjusted(GAUGE[0] + 2 * _INSET, 0, 0, 0)
            painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)


def rows_text(rows: int | None) -> str:
    """The number of rows for a tag; never 0 if it is unknown."""
    if rows is None:
        return tr("? rows")
    return tr("{count:1 row|{count} rows}", count=rows)


def paint_gauge(painter: QPainter, corner: QPointF, level: int | None, tokens: Tokens) -> None:
    """Paints rising bars, as many of them filled as the level says; a question mark if it is unknown."""
    step, height = GAUGE[0] / WARMEST, GAUGE[1]
    if level is None:
        painter.setPen(QColor(tokens.muted))
        room = QRectF(corner.x(), corner.y(), *GAUGE)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, "?")
        return
    color = heat_color(level, tokens)
    filled = mixed(QColor(color.name()), QColor(tokens.ground), 0.85)
    for at in range(WARMEST):
        tall = height * (at + 1) / WARMEST
        bar = QRectF(corner.x() + at * step, corner.y() + height - tall, step - 1.5, tall)
        painter.setPen(QPen(QColor(tokens.edge), 0.8))
        painter.setBrush(filled if at < level else QColor(tokens.ground))
        painter.drawRect(bar)
