"""Paints the use of tables over their boxes: a gauge of levels, the number of rows, and a bar of the size.

Also what the gauges mean, for the legends of screen and files.
"""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.heat import DAYS, LARGEST, WARMEST, HeatKind, TableHeat, united
from cdb_desktop.schema.diagram.model import Box, Role
from cdb_desktop.schema.diagram.placement import SpaceAbove
from cdb_desktop.ui.schema.diagram.style import KEYS, SIZE_BAR, DiagramStyle, box_rect, heat_color, mixed
from cdb_desktop.ui.schema.diagram.table_item import TableItem
from cdb_desktop.ui.theme.tokens import Tokens

_EVERYWHERE = QRectF(-1e6, -1e6, 2e6, 2e6)
_BEFORE = 2.0  # boxes that are being dragged
GAUGE = (19.0, 12.0)  # pixels: width and height of a gauge
_TAG, _INSET = 16.0, 4.0  # pixels: height of the tag with gauge and rows, and the space around them
_OVER = 3.0  # pixels of a box that its tag covers
_SMALLEST = 0.5  # of a tag; where there is less space above its box, it is inside


class HeatItem(QGraphicsItem):
    """The use of all tables, in front of their boxes; sizes are pixels at every zoom."""

    def __init__(self, style: DiagramStyle, tables: Mapping[int, TableItem]) -> None:
        super().__init__()
        self._style = style
        self._tables = tables
        self._boxes: list[Box] = []
        self._above = SpaceAbove(())
        self.setZValue(_BEFORE)

    def boundingRect(self) -> QRectF:  # noqa: N802
        return _EVERYWHERE

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        transform, zoom = painter.worldTransform(), painter.worldTransform().m11()
        visible = QRectF(painter.viewport())
        boxes = [item.box for item in self._tables.values()]
        if boxes != self._boxes:
            self._boxes, self._above = boxes, SpaceAbove(boxes)
        painter.save()
        painter.resetTransform()
        uses = UsePainter(painter, self._style)
        for table, item in self._tables.items():
            box = item.box
            rect = transform.mapRect(box_rect(box))
            if not rect.adjusted(0, -_TAG, 0, 0).intersects(visible):
                continue
            uses.paint_size(rect, table)
            if zoom >= KEYS:
                beyond = item.beyond_rect(zoom)
                reserved = 0.0 if beyond.isEmpty() else (box.width - beyond.left()) * zoom
                uses.paint_tag(rect, table, self._above.of(box) * zoom, reserved)
        painter.restore()


class UsePainter:
    """Paints the use of tables at their boxes, on the screen and in files."""

    def __init__(self, painter: QPainter, style: DiagramStyle) -> None:
        self._painter = painter
        self._style = style
        # Where no rows can be counted, the same question mark at each table would say nothing.
        self._has_rows = any(heat.rows is not None for heat in (style.heat or {}).values())

    def paint_size(self, box: QRectF, table: int) -> None:
        """Paints a bar at the bottom of a box that grows with the number of rows."""
        size = heat_of(self._style, table).size
        if size:
            bar = QRectF(box.left(), box.bottom() - SIZE_BAR, box.width() * size / LARGEST, SIZE_BAR)
            self._painter.fillRect(bar, QColor(self._style.tokens.muted))

    def paint_tag(self, box: QRectF, table: int, above: float, reserved: float = 0.0) -> None:
        """Paints a tag on the upper right corner of a box; the rows if there is space for them.

        ``above`` is the height of the free space above the box: the tag covers no neighbor. ``reserved`` is
        how much of the corner another mark takes.
        """
        scale, bottom = min((above + _OVER - 1) / _TAG, 1.0), box.top() + _OVER
        if scale < _SMALLEST:
            scale, bottom = _SMALLEST, box.top() + 1 + _SMALLEST * _TAG
        painter, fonts, tokens = self._painter, self._style.fonts, self._style.tokens
        heat = heat_of(self._style, table)
        text = rows_text(heat.rows) if self._has_rows else ""
        width = GAUGE[0] + 2 * _INSET
        text_width = fonts.width(text, Role.TYPE)
        right = box.right() - reserved - (_INSET if reserved else 0)
        has_text = bool(text) and scale == 1 and width + text_width + _INSET <= right - box.left()
        if has_text:
            width += text_width + _INSET
        painter.save()
        painter.translate(right, bottom)
        painter.scale(scale, scale)
        tag = QRectF(-width, -_TAG, width, _TAG)
        painter.setPen(QPen(QColor(tokens.handle), 1))
        painter.setBrush(QColor(tokens.ground))
        painter.drawRoundedRect(tag, 3, 3)
        painter.setFont(fonts.font(Role.TYPE))
        paint_gauge(painter, tag.topLeft() + QPointF(_INSET, (_TAG - GAUGE[1]) / 2), heat.level, tokens)
        if has_text:
            painter.setPen(QColor(tokens.text))
            rest = tag.adjusted(GAUGE[0] + 2 * _INSET, 0, 0, 0)
            painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)
        painter.restore()


def heat_of(style: DiagramStyle, table: int) -> TableHeat:
    """The use of a top-level table; for the box of a collapsed group, that of its tables."""
    heat = style.heat or {}
    group = style.groups.by_key.get(group_of_box(table) or 0)
    if group is None:
        return heat.get(table, TableHeat())
    return united(heat[key] for key in group.tables if key in heat)


def heat_texts(kind: HeatKind) -> Sequence[tuple[int | None, str]]:
    """Each level, the warmest first, with what it means; None is unknown."""
    if kind is HeatKind.WRITES:
        texts = [tr("{count:in the last day|in the last {count} days}", count=days) for days in DAYS]
        texts.append(tr("not in the period"))
    else:
        texts = [tr("most"), tr("many"), tr("some"), tr("few"), tr("none")]
    return [*((WARMEST - at, text) for at, text in enumerate(texts)), (None, tr("unknown"))]


def heat_title(kind: HeatKind) -> str:
    """What the levels are about."""
    return tr("Last write") if kind is HeatKind.WRITES else tr("Reads and searches")


def paint_level(painter: QPainter, room: QRectF, level: int | None, tokens: Tokens) -> None:
    """Paints a sample of a level for a legend: its gauge on the color of heads."""
    painter.fillRect(room, heat_color(level, tokens))
    paint_gauge(painter, room.center() - QPointF(GAUGE[0] / 2, GAUGE[1] / 2), level, tokens)


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
