"""Paints groups: regions with labels of one size on the screen, and the boxes of collapsed groups."""

from collections.abc import Callable, Iterator
from functools import cached_property

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from cdb_desktop.foundation.i18n import number_text, tr, visible
from cdb_desktop.schema.checks.validation import Severity
from cdb_desktop.schema.diagram.group_layout import TITLE, regions_of
from cdb_desktop.schema.diagram.groups import NO_GROUPS, Group, box_key, group_of_box
from cdb_desktop.schema.diagram.model import Box, Diagram, Role
from cdb_desktop.schema.document.element_ref import ElementRef, TableRef, table_key_of
from cdb_desktop.ui.schema.diagram.style import (
    HIT_FILL,
    KEYS,
    ROWS,
    DiagramStyle,
    box_color,
    box_rect,
    group_color,
    mixed,
    thin_pen,
)
from cdb_desktop.ui.schema.diagram.table_item import BoxLine, LinePainter, TableItem
from cdb_desktop.ui.schema.page.findings import severity_color, sign_color
from cdb_desktop.ui.theme.measures import CAPTION, scaled

_EVERYWHERE = QRectF(-1e6, -1e6, 2e6, 2e6)
_BEHIND, _BEFORE = -5.0, 3.0
_FILL, _DARK_FILL, _LINE = 0.09, 0.10, 0.75
LABEL = 0.30  # of the color of a group, in its label
_ROUND, _LABEL_ROUND = 8.0, 3.0
_INSET = 4.0  # pixels of a label from the corner of its region
_PADDING, _MARK = 6.0, 8.0  # within a label, and the width of its triangle
_GAP = 5.0
_NARROWEST = 56.0  # pixels of a label, however little space there is
_BADGE_AT = 7.0  # from the side of a box to the middle of a badge
_STACK = 4.0  # between the outlines that show that a box stands for several tables


class GroupRegions:
    """The ``regions`` of a diagram by the keys of the groups.

    ``item`` paints them behind everything, ``labels`` their names before it.
    """

    def __init__(self, style: DiagramStyle) -> None:
        self._style = style
        self._groups = NO_GROUPS
        self._boxes: dict[int, Box] = {}
        self.regions: dict[int, Box] = {}
        self._counts: dict[int, int] = {}
        self._collapsed: dict[int, Box] = {}
        self._drag: tuple[int, QPointF] | None = None
        self._shown: object = None  # what was painted last
        self._widths: tuple[float, dict[int, float]] | None = None  # of labels at a zoom
        self._labels: tuple[float, list[int]] | None = None  # the groups that have one at a zoom
        self.item = _Layer(_BEHIND, lambda painter, _zoom: self.paint_regions(painter))
        self.labels = _Layer(_BEFORE, self.paint_labels)

    def __bool__(self) -> bool:
        return bool(self.regions or self._collapsed)

    @property
    def bounds(self) -> QRectF:
        """The rectangle around all regions, empty without any."""
        found = QRectF()
        for region in self.regions.values():
            found = found.united(box_rect(region))
        return found

    def show_diagram(self, diagram: Diagram) -> None:
        """Shows the regions of a diagram."""
        self._groups = self._style.groups = diagram.arrangement.groups
        by_table = self._groups.by_table
        boxes = (*diagram.boxes, *diagram.ghosts)
        self._boxes = {box.table: box for box in boxes if box.table in by_table}
        self._counts = {}
        for table in self._boxes:
            key = by_table[table].key
            self._counts[key] = self._counts.get(key, 0) + 1
        self._collapsed = {}
        for group in self._groups.collapsed:
            if group.box in diagram.by_table:
                self._collapsed[group.key] = diagram.by_table[group.box]
        self._drag = None
        self._update()

    def move_box(self, box: Box) -> None:
        """Shows a box elsewhere while it is dragged."""
        group = group_of_box(box.table)
        if group in self._collapsed:
            self._collapsed[group] = box
            self.update()
        elif box.table in self._boxes:
            self._boxes[box.table] = box
            self._update()

    def show_drag(self, drag: tuple[int, QPointF] | None) -> None:
        """Shows where a region would be that is being dragged by a distance; None for none."""
        self._drag = drag
        self._update()

    def update(self) -> None:
        """Paints everything again."""
        self._widths = self._labels = None
        self.item.update()
        self.labels.update()

    def label_at(self, point: QPointF, transform: QTransform) -> int | None:
        """The group whose label is at a point of the viewport."""
        for key in self._labelled(transform.m11()):
            if self.label_rect(key, transform).contains(point):
                return key
        return None

    def region_at(self, point: QPointF) -> int | None:
        """The group in whose region a point of the scene is."""
        for key in reversed(self.regions):
            if box_rect(self.regions[key]).contains(point):
                return key
        return None

    def tip(self, key: int) -> str:
        """The name of a group, how many tables it has, and what a double click does."""
        group, box = self._groups.by_key[key], self._collapsed.get(key)
        tables = tr("{count:one table|{count} tables}", count=self._counts.get(key, 0))
        tables = tables if box is None else box.rows[0].name
        step = tr("Double-click to expand") if group.is_collapsed else tr("Double-click to collapse")
        return f"{group.name} · {tables}\n{step}"

    def label_rect(self, key: int, transform: QTransform) -> QRectF:
        """Where the label of a group is in the viewport."""
        own = self._own_rect(key, transform.m11())
        return own.translated(transform.map(self._anchor(key)))

    def label_rects(self, zoom: float) -> list[QRectF]:
        """Where all labels are at a zoom, relative to the origin of the scene in pixels."""
        transform = QTransform.fromScale(zoom, zoom)
        return [self.label_rect(key, transform) for key in self._labelled(zoom)]

    def height_above(self, zoom: float) -> float:
        """How many pixels labels reach above all regions at a zoom."""
        if not self.regions:
            return 0.0
        highest = min(rect.top() for rect in self.label_rects(zoom))
        return max(self.bounds.top() * zoom - highest, 0.0)

    def paint_regions(self, painter: QPainter) -> None:
        """Paints the regions without labels."""
        zoom = painter.worldTransform().m11()
        ground = QColor(self._style.tokens.ground)
        part = _DARK_FILL if ground.lightnessF() < 0.5 else _FILL
        is_near = zoom >= KEYS or self._style.is_file
        corner = _ROUND if is_near else 0.0
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=is_near)
        for key, region in self.regions.items():
            color = group_color(self._groups.by_key[key].color, self._style.tokens)
            painter.setPen(self._outline(key, color))
            painter.setBrush(mixed(color, ground, part))
            painter.drawRoundedRect(box_rect(region), corner, corner)
        if self._drag is not None and self._drag[0] in self.regions:
            key, by = self._drag
            color = group_color(self._groups.by_key[key].color, self._style.tokens)
            pen = thin_pen(color, 2.0)
            pen.setStyle(Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box_rect(self.regions[key]).translated(by), corner, corner)
        painter.restore()

    def paint_labels(self, painter: QPainter, zoom: float) -> None:
        """Paints the labels as they look at a zoom; in a file, at 1."""
        visible = self._style.visible
        for key in self._labelled(zoom):
            anchor, rect = self._anchor(key), self._own_rect(key, zoom)
            covered = QRectF(anchor + rect.topLeft() / zoom, rect.size() / zoom)
            if visible is not None and not visible.intersects(covered):
                continue
            painter.save()
            painter.translate(anchor)
            painter.scale(1 / zoom, 1 / zoom)
            self._paint_label(painter, key, zoom)
            painter.restore()

    def _labelled(self, zoom: float) -> list[int]:
        """The groups with a label: of two that would overlap only the more important one."""
        if self._labels is None or self._labels[0] != zoom:
            taken: list[QRectF] = []
            found: list[int] = []
            for key in sorted(self._named(zoom), key=self._importance):
                rect = self._own_rect(key, zoom).translated(self._anchor(key) * zoom)
                if not any(rect.intersects(other) for other in taken):
                    taken.append(rect)
                    found.append(key)
            self._labels = zoom, found
        return self._labels[1]

    def _named(self, zoom: float) -> list[int]:
        """The groups that have a label if there is room: those with a region, and small boxes."""
        return [*self.regions, *(self._collapsed if zoom < ROWS else ())]

    def _importance(self, key: int) -> tuple[bool, bool, int]:
        return not self._is_chosen(key), not self._has_hit(key), -len(self._groups.by_key[key].tables)

    def _has_hit(self, key: int) -> bool:
        """Whether the search has found something in a collapsed group."""
        return TableRef(box_key(key)) in self._style.hits

    def _anchor(self, key: int) -> QPointF:
        """The point of the scene at which the label of a group is."""
        box = self._collapsed.get(key)
        if box is not None:
            return QPointF(box.x, box.y + box.height / 2)
        region = self.regions[key]
        return QPointF(region.x, region.y)

    def _own_rect(self, key: int, zoom: float) -> QRectF:
        """The label relative to its anchor, in pixels: in the corner of a region, at the left of a box."""
        width, height = self._label_width(key, zoom), self._label_height()
        if key in self._collapsed:
            return QRectF(0, -height / 2, width, height)
        # In the strip above the tables; a label that is higher than the strip covers what is above it.
        return QRectF(_INSET, min(_INSET, TITLE * zoom - height - 2), width, height)

    def _update(self) -> None:
        self.regions = regions_of(self._boxes.values(), self._groups)
        state = (self._groups, self.regions, self._counts, dict(self._collapsed), self._drag)
        if state != self._shown:
            self._shown = state
            self.update()

    def _is_chosen(self, key: int) -> bool:
        return self._style.selection == TableRef(box_key(key))

    def _outline(self, key: int, color: QColor) -> QPen:
        tokens = self._style.tokens
        if self._is_chosen(key):
            return thin_pen(tokens.accent, 2.0, is_file=self._style.is_file)
        return thin_pen(mixed(color, QColor(tokens.ground), _LINE), 1.2, is_file=self._style.is_file)

    def _paint_label(self, painter: QPainter, key: int, zoom: float) -> None:
        tokens, group = self._style.tokens, self._groups.by_key[key]
        color, ground = group_color(group.color, tokens), QColor(tokens.ground)
        rect = self._own_rect(key, zoom)
        painter.setPen(QPen(QColor(tokens.accent) if self._is_chosen(key) else color, 1.2))
        fill = (
            mixed(QColor(tokens.mark), ground, HIT_FILL)
            if self._has_hit(key)
            else mixed(color, ground, LABEL)
        )
        painter.setBrush(fill)
        painter.drawRoundedRect(rect, _LABEL_ROUND, _LABEL_ROUND)
        mark = QPointF(rect.left() + _PADDING, rect.center().y())
        paint_triangle(painter, mark, QColor(tokens.text), is_open=key not in self._collapsed)
        font = scaled(self._style.fonts.font(Role.TABLE), CAPTION)
        metrics = self._metrics
        painter.setFont(font)
        painter.setPen(QColor(tokens.text))
        left = rect.left() + _PADDING + _MARK + _GAP
        text, room = self._text(group), rect.right() - _PADDING - left
        if metrics.horizontalAdvance(text) > room + 1:
            text = group.name
        shown = metrics.elidedText(visible(text), Qt.TextElideMode.ElideRight, room + 1)
        painter.drawText(
            QRectF(left, rect.top(), room + 2, rect.height()),
            Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine,
            shown,
        )

    @cached_property
    def _metrics(self) -> QFontMetricsF:
        """Of labels."""
        return QFontMetricsF(scaled(self._style.fonts.measured_font(Role.TABLE), CAPTION))

    def _text(self, group: Group) -> str:
        box = self._collapsed.get(group.key)
        # The first row of a box says how many tables it stands for.
        count = number_text(self._counts.get(group.key, 0)) if box is None else box.rows[0].name
        return f"{group.name}  {count}"

    def _label_width(self, key: int, zoom: float) -> float:
        if self._widths is None or self._widths[0] != zoom:
            self._widths = (zoom, dict(self._fitting_widths(zoom)))
        return self._widths[1][key]

    def _fitting_widths(self, zoom: float) -> Iterator[tuple[int, float]]:
        """The widths of all labels: of their texts, if they do not reach the next label at their right.

        A label may be wider than a small region or box, but not reach beyond all of them.
        """
        metrics, height = self._metrics, self._label_height()
        anchors = {key: self._anchor(key) * zoom for key in self._named(zoom)}
        farthest = self._farthest * zoom
        for key, at in anchors.items():
            group = self._groups.by_key[key]
            short, whole = (metrics.horizontalAdvance(text) for text in (group.name, self._text(group)))
            beside = (
                other.x() - _GAP
                for other in anchors.values()
                if abs(other.y() - at.y()) < height and other.x() > at.x()
            )
            room = min([*beside, farthest]) - at.x() - (2 * _INSET if key in self.regions else 0)
            room = max(room, _NARROWEST) - 2 * _PADDING - _MARK - _GAP
            yield key, min(whole if whole <= room else short, room) + 2 * _PADDING + _MARK + _GAP

    @property
    def _farthest(self) -> float:
        """The right edge of the last region or box of a group."""
        return max([self.bounds.right(), *(box.right for box in self._collapsed.values())])

    def _label_height(self) -> float:
        return self._metrics.height() + 4


class _Layer(QGraphicsItem):
    """Calls ``paint`` with the zoom, which is 1 in a file. It is everywhere: labels have sizes in pixels."""

    def __init__(self, height: float, paint: Callable[[QPainter, float], None]) -> None:
        super().__init__()
        self._paint = paint
        self.setZValue(height)

    def boundingRect(self) -> QRectF:  # noqa: N802
        return _EVERYWHERE

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        zoom = option.levelOfDetailFromTransform(painter.worldTransform())
        self._paint(painter, 1.0 if widget is None else zoom)


class GroupBoxItem(TableItem):
    """The box of a collapsed group: a stack of outlines with name and number of tables."""

    def line_of(self, ref: ElementRef) -> BoxLine | None:
        """The line of an element; the head for those of tables in the group."""
        return super().line_of(ref) or self.lines[0]

    @property
    def _is_selected(self) -> bool:
        """Also if what is selected is in the group."""
        return self._style.selected_box == self.box.table

    def line_at(self, point: QPointF, zoom: float) -> BoxLine | None:
        """The line at a point of the box; the head if only the label is shown."""
        return super().line_at(point, zoom if zoom >= ROWS else 0.0)

    def update_rect(self) -> None:
        """Adds the outlines to the rectangle."""
        super().update_rect()
        self.setRect(self.rect().adjusted(0, 0, 2 * _STACK, 2 * _STACK))

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        tokens = self._style.tokens
        painter.setPen(thin_pen(tokens.handle, is_file=self._style.is_file))
        painter.setBrush(QColor(tokens.ground))
        for step in (2 * _STACK, _STACK):
            rect = QRectF(step, step, self.box.width, self.box.height)
            painter.drawRoundedRect(rect, _ROUND / 2, _ROUND / 2)
        zoom = option.levelOfDetailFromTransform(painter.worldTransform())
        if zoom < ROWS and not self._style.is_file:
            # Its label is in front of it.
            painter.setBrush(box_color(self._style, self.box.table))
            painter.setPen(self._outline())
            painter.drawRoundedRect(QRectF(0, 0, self.box.width, self.box.height), _ROUND / 2, _ROUND / 2)
            return
        super().paint(painter, option, widget)
        self._paint_badges(painter)

    def _paint_badges(self, painter: QPainter) -> None:
        """Paints whether there are changes and problems in tables of the group."""
        style, box = self._style, self.box
        group = style.groups.by_key.get(group_of_box(box.table) or 0)
        if group is None:
            return
        painting = LinePainter(painter, style)
        middle = box.head_height / 2
        if any(table_key_of(ref) in group.tables for ref in style.signs):
            painting.badge(_BADGE_AT, middle, "~", sign_color("~", style.tokens))
        found = [style.severities[ref] for ref in style.severities if table_key_of(ref) in group.tables]
        if found:
            worst = Severity.ERROR if Severity.ERROR in found else found[0]
            painting.badge(box.width - _BADGE_AT, middle, "!", severity_color(worst, style.tokens))


def paint_triangle(painter: QPainter, left: QPointF, color: QColor, *, is_open: bool) -> None:
    """A triangle that points down, as of an open branch of a tree, or to the right."""
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.translate(left.x() + _MARK / 2, left.y())
    painter.rotate(0 if is_open else -90)
    painter.drawPolygon([QPointF(-_MARK / 2, -2), QPointF(_MARK / 2, -2), QPointF(0, _MARK / 2 - 1.5)])
    painter.restore()
