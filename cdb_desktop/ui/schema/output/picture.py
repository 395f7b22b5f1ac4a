"""The diagram as a picture with heading and legend, for files and the clipboard, and divided among sheets."""

import asyncio
import time
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from math import ceil, sqrt

from PySide6.QtCore import QLineF, QMarginsF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.model import Box, Diagram, Role, RoutedEdge
from cdb_desktop.schema.diagram.placement import SpaceAbove
from cdb_desktop.schema.document.element_ref import DOCUMENT, TableRef
from cdb_desktop.ui.schema.diagram.heat_item import UsePainter
from cdb_desktop.ui.schema.diagram.legend import LegendDrawing
from cdb_desktop.ui.schema.diagram.link_item import LinkItem
from cdb_desktop.ui.schema.diagram.regions import GroupBoxItem, GroupRegions
from cdb_desktop.ui.schema.diagram.scene import DiagramScene
from cdb_desktop.ui.schema.diagram.style import KEYS, DiagramFonts, DiagramStyle, box_rect
from cdb_desktop.ui.schema.diagram.table_item import RemovedTableItem, TableItem, beyond_rect
from cdb_desktop.ui.theme.measures import CAPTION, TITLE, scaled
from cdb_desktop.ui.theme.tokens import Tokens

_MARGIN = 40.0  # around the boxes
_APART = 24.0  # between heading, diagram and legend
_NORMAL, _LARGEST = 1600.0, 6.0  # size of a diagram with a heading of normal size, and how large it may be
_INTERSECT = Qt.ClipOperation.IntersectClip
_AT_ONCE = 0.012  # seconds of painting before the event loop runs


class PaintListener:
    """What is called while a picture is painted."""

    def begin(self) -> None:
        """Called before the diagram, which follows the heading."""

    def item(self, item: QGraphicsItem | None) -> None:
        """Called before each item, and with None after the last one."""

    def end(self) -> None:
        """Called after the diagram."""


NO_LISTENER = PaintListener()


Steps = Generator[float, None, None]


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a picture, and what it shows when.

    ``state`` is what the marks of the diagram are about that it shows for a time, empty without any.
    """

    title: str
    details: str
    state: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines below the title."""
        return tuple(filter(None, (self.details, self.state)))


class DiagramPicture:
    """What is painted, in units of the diagram: 1 is a pixel at 100 %."""

    def __init__(
        self,
        diagram: Diagram,
        style: DiagramStyle,
        *,
        area: QRectF | None = None,
        heading: Heading | None = None,
        has_legend: bool = True,
    ) -> None:
        """``area`` is the visible part of the diagram, None for all of it."""
        self.diagram = diagram
        self.style = style
        self.tokens = style.tokens
        left, top, right, bottom = diagram.bounds
        whole = QRectF(QPointF(left, top), QPointF(right, bottom))
        self._regions = GroupRegions(style)
        self._regions.show_diagram(diagram)
        whole = whole.united(self._regions.bounds)
        self.is_part = area is not None
        self.area = area or whole.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)
        self.heading = heading
        self._legend = LegendDrawing(style) if has_legend else None
        # In a large picture a heading of normal size could not be read when the whole is visible.
        size = sqrt(self.area.width() * self.area.height())
        self._zoom = min(max(size / _NORMAL, 1.0), _LARGEST)
        self._title_font = scaled(style.fonts.font(Role.TABLE), TITLE)

    @property
    def bounds(self) -> QRectF:
        """The rectangle of diagram, heading and legend."""
        found, room = QRectF(self.area), _APART * self._zoom
        if self.heading is not None:
            size = self._heading_size(self.heading) + QSizeF(room, 0)
            found = found.united(QRectF(self._heading_at(self.heading) - QPointF(0, room), size))
        if self._legend is not None:
            size = QSizeF(self._legend.size) * self._zoom
            found = found.united(QRectF(self._legend_at(), size + QSizeF(room, room)))
        return found

    def steps(
        self, painter: QPainter, part: QRectF | None = None, listener: PaintListener = NO_LISTENER
    ) -> Steps:
        """Paints the picture, or the items in a part of it, step by step. Yields how much is done, 0 to 1.

        The painter's coordinates are those of the picture.
        """
        shown = part or self.bounds
        if self.heading is not None and shown.top() < self.area.top():
            self._paint_heading(painter, self.heading)
        with saved(painter):
            if self.is_part:
                painter.setClipRect(self.area, _INTERSECT)
            shown = shown.intersected(self.area)
            # Links outside are not painted.
            self.style.visible = shown
            parts = self._parts()
            listener.begin()
            self.paint_regions(painter)
            for number, each in enumerate(parts):
                if _rect(each).intersects(shown):
                    item = self._item(each)
                    listener.item(item)
                    _paint_item(painter, item)
                yield number / len(parts)
            listener.item(None)
            if self.style.heat is not None:
                yield from self._use_steps(painter, shown)
            self.paint_labels(painter)
        listener.end()
        if self._legend is not None and (part is None or part.bottom() > self.area.bottom()):
            self._paint_legend(painter, self._legend)
        yield 1.0

    def paint_regions(self, painter: QPainter) -> None:
        """Paints the regions of groups, which are behind everything else."""
        self._regions.paint_regions(painter)

    def paint_labels(self, painter: QPainter) -> None:
        """Paints the labels of groups, which are in front of boxes."""
        # As large as the heading; below that zoom collapsed groups would have labels besides their names.
        self._regions.paint_labels(painter, max(1 / self._zoom, KEYS))

    def paint_frame(self, painter: QPainter) -> None:
        """Paints heading and legend only."""
        if self.heading is not None:
            self._paint_heading(painter, self.heading)
        if self._legend is not None:
            self._paint_legend(painter, self._legend)

    def _parts(self) -> list[Box | RoutedEdge]:
        """Boxes and links in painting order: paths and numbers of bundles are in front of other links."""
        diagram, path = self.diagram, self.style.path
        links = sorted(diagram.links, key=lambda link: (link.edge.ref in path, bool(link.bundled)))
        return [*diagram.ghosts, *links, *diagram.boxes]

    def _item(self, part: Box | RoutedEdge) -> QGraphicsItem:
        if isinstance(part, RoutedEdge):
            item = LinkItem(part, self.style)
            item.set_highlighted(on=part.edge.ref in self.style.path)
            return item
        if group_of_box(part.table) is not None:
            return GroupBoxItem(part, self.style)
        is_there = part.table in self.diagram.by_table
        return TableItem(part, self.style) if is_there else RemovedTableItem(part, self.style)

    def _use_steps(self, painter: QPainter, shown: QRectF) -> Steps:
        """Paints the use of the tables, as on the screen in front of all boxes."""
        uses, above = UsePainter(painter, self.style), SpaceAbove(self.diagram.boxes)
        for box in self.diagram.boxes:
            if _rect(box).intersects(shown):
                rect = box_rect(box)
                beyond = beyond_rect(box, self.style, 1.0)
                uses.paint_size(rect, box.table)
                reserved = 0.0 if beyond.isEmpty() else box.width - beyond.left()
                uses.paint_tag(rect, box.table, above.of(box), reserved)
                yield 1.0

    def _heading_size(self, heading: Heading) -> QSizeF:
        fonts = self.style.fonts
        title = fonts.width(heading.title, Role.TABLE) * TITLE
        width = max(title, *(fonts.width(line, Role.NAME) for line in heading.lines), 0.0)
        height = fonts.height(Role.TABLE) * TITLE + fonts.height(Role.NAME) * len(heading.lines)
        return QSizeF(width, height + _APART) * self._zoom

    def _heading_at(self, heading: Heading) -> QPointF:
        return QPointF(self.area.left() + _MARGIN, self.area.top() - self._heading_size(heading).height())

    def _legend_at(self) -> QPointF:
        return QPointF(self.area.left() + _MARGIN, self.area.bottom() + (_APART if self.is_part else 0))

    def _paint_heading(self, painter: QPainter, heading: Heading) -> None:
        fonts, tokens = self.style.fonts, self.tokens
        painter.save()
        painter.translate(self._heading_at(heading))
        painter.scale(self._zoom, self._zoom)
        height = fonts.height(Role.TABLE) * TITLE
        painter.setFont(self._title_font)
        painter.setPen(QColor(tokens.text))
        painter.drawText(QPointF(0, height * _BASELINE), heading.title)
        painter.setFont(fonts.font(Role.NAME))
        painter.setPen(QColor(tokens.muted))
        for number, line in enumerate(heading.lines):
            top = height + number * fonts.height(Role.NAME)
            painter.drawText(QPointF(0, fonts.baseline(Role.NAME, top, fonts.height(Role.NAME))), line)
        painter.restore()

    def _paint_legend(self, painter: QPainter, legend: LegendDrawing) -> None:
        painter.save()
        painter.translate(self._legend_at())
        painter.scale(self._zoom, self._zoom)
        legend.paint(painter)
        painter.restore()


_BASELINE = 0.8  # of a line's height


def file_style(scene: DiagramScene, tokens: Tokens, fonts: DiagramFonts | None = None) -> DiagramStyle:
    """The style of a scene for files: in other colors, without the selection and what it highlights.

    What a search has found and the path between two tables stay: the legend explains them.
    """
    style = scene.diagram_style
    path = [link.edge for link in scene.diagram.links if link.edge.ref in style.path]
    linked = {ref for edge in path for ref in (edge.ref, TableRef(edge.linked))}
    return replace(
        style,
        tokens=tokens,
        fonts=fonts or style.fonts,
        selection=DOCUMENT,
        chosen_boxes=frozenset(),
        linked=frozenset(linked),
        hit=DOCUMENT,
        visible=None,
        is_file=True,
    )


class PaperFonts(DiagramFonts):
    """The fonts of the diagram for a device of another resolution, with the measures of the screen."""

    def __init__(self, font: QFont, factor: float) -> None:
        """``factor`` is the resolution of the screen relative to that of the device."""
        super().__init__(font)
        self._painted = {role: scaled(super(PaperFonts, self).font(role), factor) for role in Role}

    def font(self, role: Role) -> QFont:
        """The font that looks on the device as it was measured on the screen."""
        return self._painted[role]


def part_of(diagram: Diagram, tables: Collection[int]) -> Diagram:
    """Some top-level tables with the links between them."""
    return replace(
        diagram,
        boxes=tuple(box for box in diagram.boxes if box.table in tables),
        links=tuple(
            link for link in diagram.links if link.edge.source in tables and link.edge.target in tables
        ),
        ghosts=tuple(box for box in diagram.ghosts if box.table in tables),
    )


async def run_steps(steps: Steps, report: Callable[[float], None]) -> None:
    """Runs steps so that the window reacts meanwhile; reports how much is done."""
    began = time.perf_counter()
    with closing(steps):
        for done in steps:
            if time.perf_counter() - began > _AT_ONCE:
                report(done)
                await asyncio.sleep(0)
                began = time.perf_counter()


@contextmanager
def saved(painter: QPainter) -> Iterator[None]:
    """Restores the state of a painter afterwards, also if steps are cancelled in between."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()


def _rect(part: Box | RoutedEdge) -> QRectF:
    """The rectangle of a box or link with everything around it."""
    if isinstance(part, Box):
        rect = box_rect(part)
    else:
        xs, ys = [x for x, _ in part.path], [y for _, y in part.path]
        rect = QRectF(QPointF(min(xs), min(ys)), QPointF(max(xs), max(ys)))
    return rect.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)


def _paint_item(painter: QPainter, item: QGraphicsItem) -> None:
    painter.save()
    painter.setTransform(item.sceneTransform(), combine=True)
    option = QStyleOptionGraphicsItem()
    option.exposedRect = item.boundingRect()
    item.paint(painter, option, None)
    painter.restore()


MILLIMETERS_PER_INCH = 25.4
_PAPER_MARGIN, _FOOT = 10.0, 7.0  # millimeters; printers cannot print up to the edge of the paper
_OVERLAP = 10.0  # millimeters that neighbors have in common, to be glued
_MARK, _GAP = 5.0, 1.5  # length of the marks, and from the drawing to them
_HAIRLINE = 0.15  # millimeters
_LARGEST_FIT = 1.5  # of a diagram that is fitted to a page
_GRID_WIDTH = 0.4
_NUMBER = 2.4  # size of the numbers in the overview


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: the part of the picture on it, and its place from 0, 0 at the upper left."""

    number: int
    part: QRectF
    row: int
    column: int


class PagePlan:
    """The sheets for a picture. Lengths are millimeters, parts are in units of the picture."""

    def __init__(self, bounds: QRectF, paper: QSizeF, dots: float, scale: float | None = None) -> None:
        """``dots``: units per inch at 100 %. ``scale``: 1 is 100 %, None fits all to one sheet."""
        self.paper = paper
        inner = paper.shrunkBy(QMarginsF(_PAPER_MARGIN, _PAPER_MARGIN, _PAPER_MARGIN, _PAPER_MARGIN + _FOOT))
        self.room = QRectF(QPointF(_PAPER_MARGIN, _PAPER_MARGIN), inner)
        unit = MILLIMETERS_PER_INCH / dots
        if scale is None:
            across, down = inner.width() / bounds.width(), inner.height() / bounds.height()
            self.zoom = min(across, down, _LARGEST_FIT * unit)
            self.columns = self.rows = 1
        else:
            self.zoom = scale * unit
            self.columns = _needed(bounds.width() * self.zoom, inner.width())
            self.rows = _needed(bounds.height() * self.zoom, inner.height())
        self.bounds = bounds
        self.sheets = tuple(self._sheets())
        self.scale = self.zoom / unit

    @property
    def is_divided(self) -> bool:
        """Whether there is more than one sheet; then the first page is an overview of all."""
        return len(self.sheets) > 1

    @property
    def page_count(self) -> int:
        """The number of pages with the overview."""
        return len(self.sheets) + self.is_divided

    def _sheets(self) -> Iterator[Sheet]:
        size = self.room.size() / self.zoom
        overlap = _OVERLAP / self.zoom
        # The picture is in the middle of all sheets.
        width = self.columns * size.width() - (self.columns - 1) * overlap
        height = self.rows * size.height() - (self.rows - 1) * overlap
        start = self.bounds.center() - QPointF(width / 2, height / 2)
        for row in range(self.rows):
            for column in range(self.columns):
                corner = start + QPointF(column * (size.width() - overlap), row * (size.height() - overlap))
                number = 1 + row * self.columns + column
                yield Sheet(number, QRectF(corner, size), row, column)


class SheetPainter:
    """Paints the pages of a plan on a device with a resolution of its own."""

    def __init__(
        self,
        plan: PagePlan,
        picture: DiagramPicture,
        dots: float,
        font: QFont,
        listener: PaintListener = NO_LISTENER,
    ) -> None:
        """``dots`` per inch are those of the device; the picture's fonts are made for it (`PaperFonts`).

        ``font`` is that of page numbers. The ``listener`` is called for each page.
        """
        self._plan = plan
        self._picture = picture
        self._font = font
        self._listener = listener
        self._dot = dots / MILLIMETERS_PER_INCH

    @property
    def page_count(self) -> int:
        """The number of pages with the overview."""
        return self._plan.page_count

    def page(self, painter: QPainter, number: int) -> Steps:
        """Paints a page step by step; if the plan is divided, page 0 is the overview."""
        plan = self._plan
        if plan.is_divided and number == 0:
            yield from self._overview(painter)
            return
        sheet = plan.sheets[number - plan.is_divided]
        yield from self._part(painter, sheet.part, plan.room)
        self._marks(painter, sheet)
        text = tr("Page {number} of {count}", number=sheet.number, count=len(plan.sheets))
        if plan.is_divided:
            place = tr("row {row}, column {column}", row=sheet.row + 1, column=sheet.column + 1)
            text = f"{text} · {place}"
        self._foot(painter, text if plan.is_divided else "")

    def _part(self, painter: QPainter, part: QRectF, room: QRectF) -> Steps:
        """Paints a part of the picture into a rectangle of the page.

        The scale is that of the view, not of the items, which would paint fewer details otherwise.
        """
        target = self._device(room)
        with saved(painter):
            painter.setClipRect(target)
            painter.setWindow(part.toRect())
            painter.setViewport(target.toRect())
            painter.fillRect(part.toAlignedRect(), QColor(self._picture.tokens.ground))
            yield from self._picture.steps(painter, part, self._listener)

    def _overview(self, painter: QPainter) -> Steps:
        plan, picture = self._plan, self._picture
        whole = QRectF(plan.sheets[0].part.topLeft(), plan.sheets[-1].part.bottomRight())
        zoom = min(plan.room.width() / whole.width(), plan.room.height() / whole.height())
        room = QRectF(QPointF(), whole.size() * zoom)
        room.moveCenter(plan.room.center())
        yield from self._part(painter, whole, room)
        painter.save()
        accent = QColor(picture.tokens.accent)
        painter.setFont(scaled(self._font, _NUMBER, QFont.Weight.Bold))
        for sheet in plan.sheets:
            part = QRectF(
                room.topLeft() + (sheet.part.topLeft() - whole.topLeft()) * zoom, sheet.part.size() * zoom
            )
            rect = self._device(part)
            painter.setPen(self._pen(picture.tokens.accent, _GRID_WIDTH))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect)
            painter.setPen(accent)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, str(sheet.number))
        painter.restore()
        text = tr(
            "Overview: {count} pages, {columns} across and {rows} down",
            count=len(plan.sheets),
            columns=plan.columns,
            rows=plan.rows,
        )
        self._foot(painter, text)

    def _marks(self, painter: QPainter, sheet: Sheet) -> None:
        """Paints where to cut, and dashed where the neighbor begins."""
        plan = self._plan
        if not plan.is_divided:
            return
        room = plan.room
        left, right, top, bottom = room.left(), room.right(), room.top(), room.bottom()
        beside_x = (left - _GAP - _MARK, left - _GAP), (right + _GAP, right + _GAP + _MARK)
        beside_y = (top - _GAP - _MARK, top - _GAP), (bottom + _GAP, bottom + _GAP + _MARK)
        cuts = [QLineF(x, start, x, end) for x in (left, right) for start, end in beside_y]
        cuts += [QLineF(start, y, end, y) for y in (top, bottom) for start, end in beside_x]
        begins = []
        if sheet.column < plan.columns - 1:
            begins.append(QLineF(right - _OVERLAP, top, right - _OVERLAP, bottom))
        if sheet.row < plan.rows - 1:
            begins.append(QLineF(left, bottom - _OVERLAP, right, bottom - _OVERLAP))
        pen = self._pen(self._picture.tokens.muted, _HAIRLINE)
        painter.setPen(pen)
        painter.drawLines([self._line(line) for line in cuts])
        pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawLines([self._line(line) for line in begins])

    def _foot(self, painter: QPainter, text: str) -> None:
        heading = self._picture.heading
        room = self._plan.room
        line = self._device(
            QRectF(room.left() + _MARK, room.bottom() + _GAP, room.width() - 2 * _MARK, _FOOT - _GAP)
        )
        painter.setFont(scaled(self._font, CAPTION))
        painter.setPen(QColor(self._picture.tokens.muted))
        if heading is not None and text:
            painter.drawText(
                line,
                Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
                f"{heading.title} · {heading.details}",
            )
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _device(self, rect: QRectF) -> QRectF:
        """A rectangle of the page in dots."""
        return QRectF(rect.topLeft() * self._dot, rect.size() * self._dot)

    def _line(self, line: QLineF) -> QLineF:
        return QLineF(line.p1() * self._dot, line.p2() * self._dot)

    def _pen(self, color: str, millimeters: float) -> QPen:
        return QPen(QColor(color), millimeters * self._dot)


def _needed(length: float, room: float) -> int:
    """How many sheets with overlaps are as long as ``length``."""
    return max(ceil((length - _OVERLAP) / (room - _OVERLAP) - 1e-6), 1)
