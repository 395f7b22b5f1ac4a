"""Paints the whole diagram at small zooms: boxes, links, and as many names as there is space for.

At these zooms a view shows up to thousands of boxes. Their items are hidden, since calling Python for each
of them takes several times as long as a frame may; here each kind of thing is painted by one call.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.model import Box, Diagram, Role, RoutedEdge
from cdb_desktop.schema.document.element_ref import ElementRef, TableRef, table_key_of
from cdb_desktop.ui.schema.diagram.regions import GroupRegions
from cdb_desktop.ui.schema.diagram.style import (
    HIT_FILL,
    DiagramStyle,
    box_rect,
    mixed,
    name_lines,
    solid_head_color,
    thin_pen,
    translucent,
)
from cdb_desktop.ui.theme.measures import CAPTION, scaled

_FAR_AWAY = QRectF(-1e6, -1e6, 2e6, 2e6)
_HALO = 0.85  # opacity of the ground behind names that are wider than their boxes
_APART, _CLOSE = (26.0, 14.0), (6.0, 2.0)  # pixels between names, of many and of few boxes
_FEW = 60  # boxes
_BUCKET = 128.0  # pixels
_EDGE = 3.0  # pixels from names to the edge of the view
_NAMES_IN_GROUPS = 0.1  # the zoom from which tables in groups have names
_MANY_LINKS = 200
_STATE = 0.4  # of the color of a change or problem, in boxes


@dataclass(frozen=True, slots=True)
class _Name:
    """The name of a table in lines, and its size in pixels; it is in the middle of the box."""

    table: int
    text: str
    size: tuple[float, float]


class OverviewItem(QGraphicsItem):
    """All boxes and links of a diagram with few details."""

    def __init__(self, style: DiagramStyle, regions: GroupRegions) -> None:
        super().__init__()
        self._style = style
        self._regions = regions
        self._boxes: dict[int, Box] = {}
        self._ghosts: tuple[Box, ...] = ()
        self._links: dict[int, RoutedEdge] = {}
        self._degrees: Counter[int] = Counter()
        self._apart: dict[int, RoutedEdge] = {}
        self._dragged: frozenset[int] = frozenset()
        self._lines: QPainterPath | None = None
        self._names: tuple[float, list[_Name]] | None = None
        self._rects: dict[str, list[QRectF]] | None = None
        self._shown: object = None  # what the names and rectangles were made of
        # The last transform and the rectangles of names in the view, as they were painted.
        self._transform = QTransform()
        self._name_rects: list[tuple[int, QRectF]] = []
        self._picture = QPixmap()
        self._pictured: object = None  # what the picture shows
        self.hit_tables: frozenset[int] = frozenset()

    def show_diagram(self, diagram: Diagram, *, is_dragging: bool = False) -> None:
        """Shows a diagram. While a box is being dragged the same names are shown."""
        links, degrees = {link.edge.ref.column: link for link in diagram.links}, self._degrees
        if links != self._links:
            degrees = Counter(end for link in diagram.links for end in (link.edge.source, link.edge.target))
        # Rows are not shown, so most edits change nothing here.
        shapes = [(box.table, box.name, box.x, box.y, box.width, box.height) for box in diagram.boxes]
        state = (shapes, degrees, self._style.kinds, self._style.groups)
        is_same = state == self._shown and not self._dragged
        # Other routes of the links change neither boxes nor names, which take longer than the lines.
        if state != self._shown and not is_dragging:
            self._names = None
        if not is_same:
            self._rects = None
        is_same = is_same and (links, diagram.ghosts) == (self._links, self._ghosts)
        self._shown = state
        self._boxes = dict(diagram.by_table)
        self._ghosts = diagram.ghosts
        self._links = links
        self._degrees = degrees
        self._apart = {}
        if not is_dragging:
            self.hit_tables = self._tables_of(self._style.hits)
        self._dragged = frozenset()
        if not is_same:
            self._name_rects = []
            self._lines = self._pictured = None
            self.update()

    def move_boxes(self, boxes: Mapping[int, Box], links: Iterable[RoutedEdge]) -> None:
        """Shows boxes and their links elsewhere while they are dragged."""
        moved = {link.edge.ref.column: link for link in links}
        if boxes.keys() != self._dragged or moved.keys() != self._apart.keys():
            self._lines = self._rects = self._pictured = None
        self._boxes.update(boxes)
        self._dragged = frozenset(boxes)
        self._apart = moved
        self.update()

    def show_state(self) -> None:
        """Shows other changes, problems or colors."""
        self._names = self._rects = self._pictured = None
        self.hit_tables = self._tables_of(self._style.hits)
        self.update()

    def _tables_of(self, refs: Iterable[ElementRef]) -> frozenset[int]:
        """The top-level tables of elements."""
        found = {table_key_of(ref) for ref in refs}
        return frozenset(table for table, box in self._boxes.items() if found and _holds(box, found))

    def show_selection(self) -> None:
        """Shows another selection, whose name is more important than others."""
        self._names = None
        self.update()

    def forget_names(self) -> None:
        """Forgets where names are painted; called when the zoom has changed."""
        self._names, self._name_rects = None, []

    def name_at(self, point: QPointF) -> int | None:
        """The table whose name is painted at a point of the scene; it may be wider than its box."""
        at = self._transform.map(point)
        return next((table for table, rect in reversed(self._name_rects) if rect.contains(at)), None)

    def name_size(self, table: int) -> QSizeF | None:
        """The size of the name of a table in pixels, None if there is no space for it."""
        names = () if self._names is None else self._names[1]
        return next((QSizeF(*name.size) for name in names if name.table == table), None)

    def boundingRect(self) -> QRectF:  # noqa: N802
        return _FAR_AWAY

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Paints links, boxes and names.

        The first two are kept as a picture, so that a drag paints only what moves.
        """
        zoom = painter.worldTransform().m11()
        port, ratio = painter.viewport(), painter.device().devicePixelRatio()
        state = (painter.worldTransform(), port, ratio)
        if not self._dragged:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            self._paint_resting(painter)
        else:
            if state != self._pictured:
                self._picture = QPixmap(port.size() * ratio)
                self._picture.setDevicePixelRatio(ratio)
                self._picture.fill(QColor(self._style.tokens.ground))
                with QPainter(self._picture) as own:
                    own.setWorldTransform(painter.worldTransform())
                    self._regions.paint_regions(own)
                    self._paint_resting(own)
                self._pictured = state
            painter.save()
            painter.resetTransform()
            painter.drawPixmap(port.topLeft(), self._picture)
            painter.restore()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            self._paint_dragged(painter)
        self._paint_chosen(painter)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        self._paint_names(painter, zoom)

    def _paint_resting(self, painter: QPainter) -> None:
        """Paints all links and boxes but those that are being dragged."""
        if self._lines is None:
            self._lines = _path(link for key, link in self._links.items() if key not in self._apart)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._link_pen())
        painter.drawPath(self._lines)
        if self._rects is None:
            self._rects = defaultdict(list)
            for table, box in self._boxes.items():
                if table not in self._dragged:
                    self._rects[self._color(table)].append(box_rect(box))
        painter.setPen(thin_pen(self._style.tokens.handle, 1.0))
        for color, rects in self._rects.items():
            painter.setBrush(QColor(color))
            painter.drawRects(rects)
        if self._ghosts:
            pen = thin_pen(self._style.tokens.muted, 1.0)
            pen.setStyle(Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRects([box_rect(box) for box in self._ghosts])

    def _paint_dragged(self, painter: QPainter) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._link_pen())
        painter.drawPath(_path(self._apart.values()))
        painter.setPen(thin_pen(self._style.tokens.handle, 1.0))
        for table in self._dragged:
            painter.setBrush(QColor(self._color(table)))
            painter.drawRect(box_rect(self._boxes[table]))

    def _paint_chosen(self, painter: QPainter) -> None:
        """Paints highlighted links and the outline of the selection."""
        accent, linked = self._style.tokens.accent, self._style.linked
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(thin_pen(accent, 2.0))
        if linked:
            chosen = (
                self._apart.get(key, link)
                for key, link in self._links.items()
                if link.edge.ref in linked and TableRef(link.edge.linked) in linked
            )
            painter.drawPath(_path(chosen))
        selection, box = self._style.selection, self._boxes.get(self._style.selected_box or 0)
        if box is not None:
            painter.drawRects([box_rect(box)])
        elif isinstance(selection, TableRef):
            painter.drawRects([box_rect(ghost) for ghost in self._ghosts if ghost.table == selection.table])
        several = self._style.chosen_boxes
        if several:
            painter.drawRects([box_rect(box) for key, box in self._boxes.items() if key in several])

    def _link_pen(self) -> QPen:
        # Bundles of many lines would be darker than anything else, but each has to be seen alone.
        many = len(self._links) > _MANY_LINKS
        return thin_pen(self._style.tokens.handle if many else self._style.tokens.edge, 1.0)

    def _color(self, table: int) -> str:
        """The color of a box, opaque, since links lie behind the boxes."""
        found = self._style.state_color(TableRef(table))
        if table in self.hit_tables:
            return mixed(QColor(self._style.tokens.mark), QColor(self._style.tokens.ground), HIT_FILL).name()
        if found is None:
            return solid_head_color(self._style, table).name()
        return mixed(found, QColor(self._style.tokens.ground), _STATE).name()

    def _paint_names(self, painter: QPainter, zoom: float) -> None:
        if self._names is None or self._names[0] != zoom:
            self._names = (zoom, list(self._placed(zoom)))
        tokens, transform = self._style.tokens, painter.worldTransform()
        visible = QRectF(painter.viewport())
        painter.save()
        painter.resetTransform()
        painter.setFont(scaled(self._style.fonts.font(Role.TABLE), CAPTION))
        text = QColor(tokens.text)
        self._transform, self._name_rects = QTransform(transform), []
        for name in self._names[1]:
            box = self._boxes[name.table]
            middle, half = transform.map(box_rect(box).center()), box.width * zoom / 2
            width, height = name.size
            rect = QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)
            if rect.intersects(visible):
                if visible.left() < middle.x() + half and middle.x() - half < visible.right():
                    # A name that is wider than its box is not cut off at the edge of the view.
                    farthest = visible.right() - _EDGE - width
                    rect.moveLeft(max(min(rect.left(), farthest), visible.left() + _EDGE))
                # Between pixels the same name would be blurred in some places and sharp in others.
                rect.moveTo(round(rect.left()), round(rect.top()))
                self._name_rects.append((name.table, rect.adjusted(-3, 0, 3, 0)))
                if width > 2 * half or height > box.height * zoom:
                    # In the color of the box, which is below.
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(translucent(QColor(self._color(name.table)), _HALO))
                    painter.drawRoundedRect(rect.adjusted(-3, 0, 3, 0), 3, 3)
                painter.setPen(text)
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, name.text)
        painter.restore()

    def _placed(self, zoom: float) -> Iterator[_Name]:
        """The names that do not cover one another, the more important ones first."""
        metrics = QFontMetricsF(scaled(self._style.fonts.font(Role.TABLE), CAPTION))
        taken: dict[tuple[int, int], list[QRectF]] = defaultdict(list)
        between = _CLOSE if len(self._boxes) <= _FEW else _APART
        for rect in self._regions.label_rects(zoom):
            for cell in _cells(rect):
                taken[cell].append(rect)
        is_far = bool(self._regions) and zoom < _NAMES_IN_GROUPS and len(self._boxes) > _FEW
        for box in sorted(self._boxes.values(), key=self._importance):
            ref = TableRef(box.table)
            if group_of_box(box.table) is not None:
                continue  # it has a label
            is_selected = box.table == self._style.selected_box
            if is_far and self._style.state_color(ref) is None and not is_selected:
                continue
            sign = self._style.signs.get(ref, "") + ("!" if ref in self._style.severities else "")
            if ref in self._style.sides:
                sign = self._style.sides[ref].text
            lines = name_lines(
                f"{sign} {box.name}".strip(), max(box.width * zoom, _BUCKET / 2), metrics.horizontalAdvance
            )
            size = max(map(metrics.horizontalAdvance, lines)), metrics.height() * len(lines)
            rect = QRectF(QPointF(), QPointF(size[0] + between[0], size[1] + between[1]))
            rect.moveCenter(box_rect(box).center() * zoom)
            cells = list(_cells(rect))
            if not any(rect.intersects(other) for cell in cells for other in taken.get(cell, ())):
                for cell in cells:
                    taken[cell].append(rect)
                yield _Name(box.table, "\n".join(lines), size)

    def _importance(self, box: Box) -> tuple[bool, bool, bool, int, int]:
        ref = TableRef(box.table)
        return (
            box.table != self._style.selected_box and ref != self._style.hit,
            box.table not in self.hit_tables,
            self._style.state_color(ref) is None,
            -self._degrees[box.table],
            box.table,
        )


def _path(links: Iterable[RoutedEdge]) -> QPainterPath:
    result = QPainterPath()
    for link in links:
        first, *rest = link.path
        result.moveTo(*first)
        for point in rest:
            result.lineTo(*point)
    return result


def _holds(box: Box, tables: Collection[int | None]) -> bool:
    """Whether a box is one of these tables, or contains one."""
    return box.table in tables or any(_holds(nested, tables) for nested in box.nested)


def _cells(rect: QRectF) -> Iterator[tuple[int, int]]:
    for column in range(int(rect.left() // _BUCKET), int(rect.right() // _BUCKET) + 1):
        for row in range(int(rect.top() // _BUCKET), int(rect.bottom() // _BUCKET) + 1):
            yield column, row
