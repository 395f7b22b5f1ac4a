"""What the pointer does in the diagram with its button pressed: moving or selecting boxes, drawing links.

Links are drawn from handles beside rows and heads.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from PySide6.QtCore import QObject, QPoint, QPointF, QRectF, QSizeF, Qt, QTimer
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QApplication, QGraphicsView, QWidget

from cdb_desktop.foundation.i18n import message, tr
from cdb_desktop.schema.diagram.graph_builder import is_stand_in
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.model import Role
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.edits.columns import LinkProposal
from cdb_desktop.ui.schema.diagram.scene import DiagramScene
from cdb_desktop.ui.schema.diagram.style import ROWS, translucent
from cdb_desktop.ui.schema.diagram.table_item import BoxLine, TableItem
from cdb_desktop.ui.theme.measures import CAPTION, TIGHT, scaled

# What a link from an element to a table would be; the last argument is whether as a new column.
ProposeLink = Callable[[TableRef | ColumnRef, int, bool], LinkProposal]

_RADIUS, _REACH = 4.5, 7.0  # pixels: of a handle, and around its center
_OUTSIDE = 4.0  # pixels from the side of a row to the center of its handle
HANDLE_REACH = _OUTSIDE + _REACH  # pixels beside a box in which its handles are shown
_END = 14.0  # pixels across that a handle and the end of a link take
_LEAST_MIDDLE = 8.0  # pixels from the top of a box to the handles of its head
_LEAST_HEIGHT = 14.0  # pixels of a box with a handle
_TINT, _BAND_TINT = 0.25, 0.12
_POINTER = QPointF(16, 20)  # from the pointer to the text
_ROUND = 4.0


class LinkHandles:
    """The handles of the row under the pointer and of the selected one, at both of its sides."""

    def __init__(self, view: QGraphicsView, scene: DiagramScene) -> None:
        self._view = view
        self._scene = scene
        self._is_enabled = False
        self._pointed: ElementRef | None = None
        self._at: QPointF | None = None
        self._painted: list[QPointF] = []

    def update(self) -> None:
        """Paints the handles again: where they were painted last, and where they are now."""
        for center in (*self._painted, *(center for _, center in self._handles())):
            rect = QRectF(center, center).adjusted(-_REACH, -_REACH, _REACH, _REACH)
            self._view.viewport().update(rect.toAlignedRect())

    def set_enabled(self, *, on: bool) -> None:
        """Shows handles, or none if the document cannot be edited."""
        if on != self._is_enabled:
            self._is_enabled = on
            self._view.viewport().update()

    def point_at(self, at: QPointF | None, line: BoxLine | None) -> bool:
        """Takes where the pointer is, None outside, and the line there. Returns whether it is on a handle."""
        before = self._pointed, self._at is None
        self._pointed = None if line is None else line.ref
        source = None if at is None else self.source_at(at)
        self._at = None if source is None else at
        if before != (self._pointed, self._at is None):
            self._view.viewport().update()
        return source is not None

    def source_at(self, at: QPointF) -> TableRef | ColumnRef | None:
        """The table or column whose handle is at a point of the viewport."""
        reached = [
            ((center - at).manhattanLength(), number, ref)
            for number, (ref, center) in enumerate(self._handles())
            if _is_near(center, at)
        ]
        return min(reached)[2] if reached else None

    def paint(self, painter: QPainter) -> None:
        """Paints the handles in pixels of the viewport."""
        tokens = self._scene.diagram_style.tokens
        painter.setPen(QPen(QColor(tokens.accent), 1.5))
        pointed = None if self._at is None else self.source_at(self._at)
        handles = list(self._handles())
        self._painted = [center for _, center in handles]
        for ref, center in handles:
            is_pointed = ref == pointed and self._at is not None and _is_near(center, self._at)
            painter.setBrush(QColor(tokens.accent if is_pointed else tokens.ground))
            painter.drawEllipse(center, _RADIUS, _RADIUS)

    def _handles(self) -> Iterator[tuple[TableRef | ColumnRef, QPointF]]:
        if not self._is_enabled or self._scene.chosen_boxes or self._scene.is_moving:
            return
        for ref in dict.fromkeys((self._pointed, self._scene.diagram_style.selection)):
            found = None if ref is None else self._scene.line_of(ref)
            if found is None:
                continue
            item, line = found
            zoom = self._view.transform().m11()
            if zoom < ROWS:
                line = item.lines[0]
                if item.box.height * zoom < _LEAST_HEIGHT:
                    continue
            if isinstance(line.ref, TableRef | ColumnRef) and not is_stand_in(line.ref):
                centers = handle_centers(self._view, item, line)
                size = self._scene.name_size(item.box.table)
                if size is not None:
                    # Far out the name may be wider than the box.
                    reach = max((size.width() - item.box.width * zoom) / 2, 0.0)
                    centers = centers[0] - QPointF(reach, 0), centers[1] + QPointF(reach, 0)
                for center in centers if ref == self._pointed else self._uncovering(item, centers):
                    yield line.ref, center

    def _uncovering(self, item: TableItem, centers: Sequence[QPointF]) -> Sequence[QPointF]:
        """The handles that cover no end of a link; all of them if each would cover one."""
        transform = self._view.viewportTransform()
        links = self._scene.links_at(item.box.table)
        ends = [transform.map(QPointF(*end)) for link in links for end in (link.path[0], link.path[-1])]
        free = [
            center
            for center in centers
            if not any(
                abs(end.x() - center.x()) < _END and abs(end.y() - center.y()) < 2 * _RADIUS for end in ends
            )
        ]
        return free or centers


def _is_near(center: QPointF, at: QPointF) -> bool:
    return abs(center.x() - at.x()) <= _REACH and abs(center.y() - at.y()) <= _REACH


def handle_centers(view: QGraphicsView, item: TableItem, line: BoxLine) -> tuple[QPointF, QPointF]:
    """The centers of the left and the right handle of a line in the viewport."""
    transform = view.viewportTransform()
    # At small zooms heads are painted higher than they are.
    middle = max(line.middle, _LEAST_MIDDLE / transform.m11()) if line.depth == 0 else line.middle
    left = transform.map(item.mapToScene(QPointF(line.left, middle)))
    right = transform.map(item.mapToScene(QPointF(line.right, middle)))
    return left - QPointF(_OUTSIDE, 0), right + QPointF(_OUTSIDE, 0)


class Gesture:
    """Something that begins with a press; it is a drag once the pointer has moved far enough."""

    def __init__(self, view: QGraphicsView, scene: DiagramScene, start: QPointF) -> None:
        self._view = view
        self._scene = scene
        self._begin = self._to = start
        # A point of the scene, so that it stays there when the view is scrolled or zoomed.
        self.start = view.mapToScene(start.toPoint())
        self.is_drag = False

    def move(self, to: QPointF, _modifiers: Qt.KeyboardModifier) -> None:
        """Takes a move of the pointer to a point of the view."""
        self._to = to
        far = (to - self._begin).manhattanLength() >= QApplication.startDragDistance()
        self.is_drag = self.is_drag or far

    @property
    def distance(self) -> QPointF:
        """From the press to the pointer, in units of the scene."""
        return (self._to - self._begin) / self._view.transform().m11()

    def finish(self) -> None:
        """Paints what is below again."""
        self._view.viewport().update()

    def cancel(self) -> None:
        """Ends without an effect."""
        self.finish()

    def paint(self, painter: QPainter) -> None:
        """Paints a preview in pixels of the viewport."""


class RubberBand(Gesture):
    """Selects the boxes that a rectangle touches, ``found``; ``kept`` are selected before and stay so."""

    def __init__(
        self, view: QGraphicsView, scene: DiagramScene, start: QPointF, kept: frozenset[int]
    ) -> None:
        super().__init__(view, scene, start)
        self._kept = kept
        self._before = scene.chosen_boxes
        self.found = kept

    def move(self, to: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        super().move(to, modifiers)
        self._view.viewport().update()
        if self.is_drag:
            rect = QRectF(self.start, self._view.mapToScene(to.toPoint())).normalized()
            tables = self._scene.tables.items()
            touched = (key for key, item in tables if rect.intersects(item.sceneBoundingRect()))
            self.found = self._kept | frozenset(touched)
            self._scene.choose_boxes(self.found)

    def cancel(self) -> None:
        self._scene.choose_boxes(self._before)
        super().cancel()

    def paint(self, painter: QPainter) -> None:
        if not self.is_drag:
            return
        accent = QColor(self._scene.diagram_style.tokens.accent)
        painter.setPen(QPen(accent, 1.0, Qt.PenStyle.DashLine))
        painter.setBrush(translucent(accent, _BAND_TINT))
        start = self._view.mapFromScene(self.start)
        painter.drawRect(QRectF(QPointF(start), self._to).normalized())


class BoxDrag(Gesture):
    """A box that is moved, or the background if ``item`` is None; ``step`` is by how far in the last move."""

    def __init__(
        self, view: QGraphicsView, scene: DiagramScene, start: QPointF, item: TableItem | None
    ) -> None:
        super().__init__(view, scene, start)
        self.item = item
        self.step = QPointF()
        self.corner_before = item.pos() if item else QPointF()

    def move(self, to: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        self.step = to - self._to
        super().move(to, modifiers)

    @property
    def corner(self) -> QPointF:
        """The new position of the box."""
        return self.corner_before + self.distance


class LinkDrag(Gesture):
    """A link that is being drawn from a handle: its line, its target, and what it would be.

    ``proposal`` is what releasing the button here does, None away from tables.
    """

    def __init__(
        self,
        view: QGraphicsView,
        scene: DiagramScene,
        source: TableRef | ColumnRef,
        start: QPointF,
        propose: ProposeLink,
    ) -> None:
        super().__init__(view, scene, start)
        self.source = source
        self._propose = propose
        self._target: tuple[TableItem, BoxLine] | None = None
        self._proposed: dict[tuple[int, bool], LinkProposal] = {}
        self.proposal: LinkProposal | None = None

    def move(self, to: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        super().move(to, modifiers)
        self._view.viewport().update()
        self._target, self.proposal = None, None
        point = self._view.mapToScene(to.toPoint())
        removed = self._scene.removed_at(point)
        found = self._scene.line_at(point)
        table = None if found is None else self._target_of(*found)
        if found is not None and table is not None:
            self._target = found
            as_new = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
            key = (table, as_new)
            if key not in self._proposed:
                self._proposed[key] = self._propose(self.source, table, as_new)
            self.proposal = self._proposed[key]
        elif found is None and removed is not None:
            self.proposal = LinkProposal(
                message("{table} is removed.", table=self._scene.removed_tables[removed.table].box.name)
            )

    def cancel(self) -> None:
        self.proposal = None
        super().cancel()

    def paint(self, painter: QPainter) -> None:
        if not self.is_drag:
            return
        tokens = self._scene.diagram_style.tokens
        is_refused = self.proposal is not None and self.proposal.edit is None
        color = QColor(tokens.danger if is_refused else tokens.accent)
        end = self._to
        if self._target is not None:
            end = self._paint_target(painter, *self._target, color)
        start = self._view.viewportTransform().map(self.start)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color, 2.0, Qt.PenStyle.DashLine))
        painter.drawPath(_curve(start, end))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawEllipse(end, _RADIUS - 1, _RADIUS - 1)
        self._paint_texts(painter, list(self._texts()))

    def _target_of(self, item: TableItem, line: BoxLine) -> int | None:
        """The table that a line belongs to; in the box where the line began only heads are targets."""
        own = self._scene.item_of(self.source)
        if line.ref == self.source or (item is own and not isinstance(line.ref, TableRef)):
            return None
        return table_key_of(line.ref) if group_of_box(item.box.table) is None else None

    def _paint_target(self, painter: QPainter, item: TableItem, line: BoxLine, color: QColor) -> QPointF:
        """Highlights the box and the head of the target. Returns where the preview ends."""
        table = table_key_of(line.ref)
        head = item.line_of(TableRef(table)) if table is not None else None
        head = head or item.lines[0]
        transform = self._view.viewportTransform()
        box = QRectF(0, 0, item.box.width, item.box.height)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color, 2.0))
        painter.drawRoundedRect(transform.mapRect(item.mapRectToScene(box)), _ROUND, _ROUND)
        row = item.rect_of(head, transform.m11())
        painter.fillRect(transform.mapRect(item.mapRectToScene(row)), translucent(color, _TINT))
        start = transform.map(self.start)
        ends = [
            transform.map(item.mapToScene(QPointF(x, row.center().y()))) for x in (row.left(), row.right())
        ]
        return min(ends, key=lambda each: abs(each.x() - start.x()))

    def _texts(self) -> Iterator[tuple[str, str]]:
        """The lines of the text beside the pointer, with their colors."""
        tokens = self._scene.diagram_style.tokens
        proposal = self.proposal
        if proposal is None:
            yield tr("Release over a table to link to it; Esc cancels"), tokens.muted
            return
        yield str(proposal.text), tokens.danger if proposal.edit is None else tokens.text
        if proposal.note is not None:
            yield str(proposal.note), tokens.muted
        elif isinstance(self.source, ColumnRef) and proposal.ref == self.source:
            yield tr("With Ctrl: as a new column"), tokens.muted

    def _paint_texts(self, painter: QPainter, lines: list[tuple[str, str]]) -> None:
        tokens = self._scene.diagram_style.tokens
        font = scaled(self._scene.diagram_style.fonts.font(Role.NAME), CAPTION)
        metrics = QFontMetricsF(font)
        width = max(metrics.horizontalAdvance(text) for text, _ in lines) + 4 * TIGHT
        pitch = metrics.height()
        rect = QRectF(self._to + _POINTER, QSizeF(width, pitch * len(lines) + 2 * TIGHT))
        port = QRectF(self._view.viewport().rect()).adjusted(TIGHT, TIGHT, -TIGHT, -TIGHT)
        if rect.bottom() > port.bottom():
            rect.moveBottom(self._to.y() - TIGHT)
        rect.moveLeft(max(min(rect.left(), port.right() - width), port.left()))
        painter.setPen(QPen(QColor(tokens.line), 1.0))
        painter.setBrush(QColor(tokens.raised))
        painter.drawRoundedRect(rect, _ROUND, _ROUND)
        painter.setFont(font)
        for number, (text, color) in enumerate(lines):
            painter.setPen(QColor(color))
            top = rect.top() + TIGHT + number * pitch
            painter.drawText(QPointF(rect.left() + 2 * TIGHT, top + metrics.ascent()), text)


def _curve(start: QPointF, end: QPointF) -> QPainterPath:
    path = QPainterPath(start)
    bend = max(abs(end.x() - start.x()) / 2, 24.0) * (1 if end.x() >= start.x() else -1)
    path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
    return path


_EDGE = 12  # pixels beside an edge in which it scrolls
_INTERVAL = 30  # milliseconds

# Scrolls by pixels; the pointer stays at a point with the modifier keys of its last move.
Scroll = Callable[[QPoint, QPointF, Qt.KeyboardModifier], None]


class EdgeScroll(QObject):
    """Calls ``scroll`` again and again; the nearer the pointer is to the edge, the farther it goes."""

    def __init__(self, viewport: QWidget, scroll: Scroll) -> None:
        super().__init__(viewport)
        self._viewport = viewport
        self._scroll = scroll
        self._at = QPointF()
        self._modifiers = Qt.KeyboardModifier.NoModifier
        self._timer = QTimer(self, interval=_INTERVAL)
        self._timer.timeout.connect(self._step)

    def follow(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Scrolls or stops, depending on where the pointer is."""
        self._at, self._modifiers = at, modifiers
        if self._direction() == QPoint():
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def stop(self) -> None:
        """Ends scrolling."""
        self._timer.stop()

    def _direction(self) -> QPoint:
        inner = self._viewport.rect().adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        x, y = round(self._at.x()), round(self._at.y())
        across = min(x - inner.left(), 0) or max(x - inner.right(), 0)
        down = min(y - inner.top(), 0) or max(y - inner.bottom(), 0)
        return QPoint(across, down)

    def _step(self) -> None:
        self._scroll(self._direction(), self._at, self._modifiers)


def next_line(scene: DiagramScene, ref: ElementRef, down: int) -> ElementRef | None:
    """The element of the line above or below; after the last line of a box that of the next box."""
    found = scene.line_of(ref)
    if found is None:
        return _first(scene)
    item, line = found
    at = item.lines.index(line) + down
    if 0 <= at < len(item.lines):
        return item.lines[at].ref
    other = nearest(scene.tables.values(), item, QPointF(0, down))
    if other is None:
        return None
    return other.lines[0 if down > 0 else -1].ref


def box_beside(scene: DiagramScene, ref: ElementRef, direction: QPointF) -> ElementRef | None:
    """The table of the nearest box in a direction."""
    found = scene.line_of(ref)
    if found is None:
        return _first(scene)
    other = nearest(scene.tables.values(), found[0], direction)
    return other.lines[0].ref if other else None


def _first(scene: DiagramScene) -> ElementRef | None:
    items = sorted(scene.tables.values(), key=lambda item: (item.pos().x(), item.pos().y()))
    return items[0].lines[0].ref if items else None


def nearest(items: Iterable[TableItem], item: TableItem, direction: QPointF) -> TableItem | None:
    """The nearest box in a direction; distance across it counts three times."""
    here = item.sceneBoundingRect().center()
    best: tuple[float, TableItem] | None = None
    for other in items:
        gone = other.sceneBoundingRect().center() - here
        ahead = gone.x() * direction.x() + gone.y() * direction.y()
        across = abs(gone.x() * direction.y()) + abs(gone.y() * direction.x())
        cost = ahead + 3 * across
        if other is not item and ahead > 1 and (best is None or cost < best[0]):
            best = (cost, other)
    return best[1] if best else None
