"""The diagram's view: zooming, scrolling, moving boxes, selecting with mouse and keyboard.

Only the wheel, dragging the background, the zoom actions, ``fit`` and ``choose`` with ``reveal`` scroll.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTransform,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QGraphicsView, QToolTip, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.model import Diagram, Edge, mark_text
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef, TableRef
from cdb_desktop.ui.schema.diagram.scene import DiagramScene
from cdb_desktop.ui.schema.diagram.style import link_text
from cdb_desktop.ui.schema.diagram.table_item import TableItem
from cdb_desktop.ui.theme.appearance import Appearance

_STEP = 1.25
_SMALLEST, _LARGEST = 0.02, 3.0
_TOOLBAR = 44  # pixels that the toolbar covers at the top
_READABLE = 0.75  # the zoom from which texts are readable
_MARGIN = 60  # pixels around what is scrolled to
_PAINTED_AROUND = 24.0  # units beside a link in which its symbols are
_LINK_REACH = 5.0  # pixels beside a link that still belong to it
# Far larger than any diagram, so that no border limits zooming and dragging.
_SCENE_RECT = QRectF(-1e6, -1e6, 2e6, 2e6)
_KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class DiagramView(QGraphicsView):
    """Shows the boxes and links of the schema.

    Signals: ``chosen`` with the ElementRef that is clicked · ``moved`` with a table's key and its new corner
    while it is dragged · ``settled`` when it has been dropped · ``rename_requested`` with an ElementRef ·
    ``zoom_changed`` with the factor · ``menu_requested`` with the ElementRef that was clicked (DOCUMENT for
    the background), the Edge of the link if it was one, and the point on the screen.
    """

    chosen = Signal(object)
    moved = Signal(object, float, float)
    settled = Signal()
    rename_requested = Signal(object)
    zoom_changed = Signal(float)
    menu_requested = Signal(object, object, QPoint)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.diagram")
        self.setAccessibleName(tr("Diagram of the schema"))
        self.diagram_scene = DiagramScene(appearance, self.font(), self)
        self.setScene(self.diagram_scene)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setMouseTracking(True)
        # Qt's anchors depend on the last mouse move that Qt has seen; a resize must not scroll.
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setSceneRect(_SCENE_RECT)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontAdjustForAntialiasing)
        self.setMouseTracking(True)
        # Files are dropped on the window; a scene would accept them and do nothing.
        for widget in (self, self.viewport()):
            widget.setAcceptDrops(False)
        # The scene is mostly empty, so scroll bars would mean nothing.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._drag: DragState | None = None
        self._was_painted = False
        self._anchor: tuple[QPointF, QPointF] | None = None
        self._has_ring = False

    @property
    def has_picture(self) -> bool:
        """Whether the diagram has boxes."""
        return bool(self.diagram_scene.tables)

    @property
    def zoom(self) -> float:
        """Pixels per unit of the diagram."""
        return self.transform().m11()

    def show_diagram(self, diagram: Diagram, *, moving: bool = False) -> None:
        """Shows a diagram: the first one as a whole, later ones at the current position.

        ``moving`` animates the boxes; if none of them would be visible, the whole diagram is shown.
        """
        first = not self.has_picture
        self.diagram_scene.show_diagram(diagram, moving=moving and self.isVisible())
        if first:
            self._was_painted = False
        if first or (moving and not self._shows_any_box()):
            self.fit()

    def choose(self, ref: ElementRef, *, reveal: bool, readable: bool = False) -> None:
        """Selects an element.

        ``reveal`` scrolls as little as needed to make it visible; ``readable`` also zooms in if its text
        would be too small.
        """
        self.diagram_scene.choose(ref)
        if not reveal:
            return
        found = self.diagram_scene.line_of(ref)
        removed = self.diagram_scene.removed_item(ref)
        if found is not None:
            item, line = found
            rect = item.mapRectToScene(QRectF(line.left, line.top, line.width, line.height))
        elif removed is not None:
            rect = removed.sceneBoundingRect()
        else:
            return
        if readable and self.zoom < _READABLE:
            self._zoom_to(_READABLE, QPointF(self.viewport().rect().center()))
            self.centerOn(rect.center())
        else:
            self.ensureVisible(rect, _MARGIN, _MARGIN)

    def fit(self) -> None:
        """Shows the whole diagram, at most at its original size."""
        if not self.has_picture:
            return
        bounds, size = self.diagram_scene.bounds, self.viewport().size()
        room = QSize(size.width(), max(size.height() - _TOOLBAR, 1))
        zoom = min(room.width() / bounds.width(), room.height() / bounds.height(), 1.0)
        self.setTransform(QTransform.fromScale(zoom, zoom))
        self.centerOn(bounds.center() - QPointF(0, _TOOLBAR / zoom / 2))
        self._show_zoom()

    @property
    def place(self) -> tuple[float, int, int]:
        """The zoom and the position of the upper left corner, for ``go_to``."""
        return self.zoom, self.horizontalScrollBar().value(), self.verticalScrollBar().value()

    def go_to(self, place: tuple[float, int, int]) -> None:
        """Shows again what was shown at a place."""
        zoom, across, down = place
        self.setTransform(QTransform.fromScale(zoom, zoom))
        self.horizontalScrollBar().setValue(across)
        self.verticalScrollBar().setValue(down)
        self._show_zoom()

    def zoom_in(self) -> None:
        """Zooms in by one step."""
        self._zoom_around_center(_STEP)

    def zoom_out(self) -> None:
        """Zooms out by one step."""
        self._zoom_around_center(1 / _STEP)

    def line_rect(self, ref: ElementRef) -> QRectF | None:
        """The rectangle of an element in the viewport, None if it is not in the diagram."""
        found = self.diagram_scene.line_of(ref)
        if found is None:
            return None
        item, line = found
        rect = item.mapRectToScene(QRectF(line.left, line.top, line.width, line.height))
        return QRectF(self.mapFromScene(rect).boundingRect())

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(480, 320)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Zooms around the pointer."""
        self._zoom_to(self.zoom * _STEP ** (event.angleDelta().y() / 120), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Selects what is clicked and starts dragging it; the right button opens the menu instead."""
        if event.button() == Qt.MouseButton.RightButton:
            return
        found = self.diagram_scene.line_at(self.mapToScene(event.position().toPoint()))
        is_left = event.button() == Qt.MouseButton.LeftButton
        self._drag = DragState(event.position(), found[0] if found and is_left else None)
        ref = found[1].ref if found else self._removed_at(event)
        if ref is not None and event.button() != Qt.MouseButton.MiddleButton:
            self.chosen.emit(ref)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Drags the box or the background; without a button, highlights the link under the pointer."""
        self._anchor = None
        if self._drag is None:
            self.diagram_scene.point_at(self._link_at(event.position().toPoint()))
        if self._drag is None or not self._drag.move(event.position()):
            return
        self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._drag.item is None:
            self._drag_background(self._drag.step)
        else:
            self.diagram_scene.is_dragging = True
            self._drag.item.setZValue(1)
            corner = self._drag.corner(self.zoom)
            self.moved.emit(self._drag.item.box.table, corner.x(), corner.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Ends dragging; a click on the background selects nothing."""
        drag, self._drag = self._drag, None
        self.diagram_scene.is_dragging = False
        self.viewport().unsetCursor()
        if drag is None:
            return
        if drag.item is not None:
            drag.item.setZValue(0)
        is_click = drag.item is None and not drag.is_drag
        if is_click and event.button() == Qt.MouseButton.LeftButton and self._removed_at(event) is None:
            self.chosen.emit(DOCUMENT)
        if drag.item is not None and drag.is_drag:
            self.settled.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Requests a new name for what was clicked."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        found = self.diagram_scene.line_at(self.mapToScene(event.position().toPoint()))
        if found is not None:
            self.rename_requested.emit(found[1].ref)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Selects what was clicked and requests its menu; with the keyboard the menu of the selection."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            edge = None
            ref, at = self._selected_for_menu()
        else:
            ref, edge = self._ref_at(self.mapToScene(event.pos()))
            at = event.globalPos()
            self.chosen.emit(ref)
        self.menu_requested.emit(ref, edge, at)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrow keys select the next line or box."""
        key, ref = Qt.Key(event.key()), self.diagram_scene.diagram_style.selection
        if key in _ARROWS and not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            across, down = _ARROWS[key]
            scene = self.diagram_scene
            found = next_line(scene, ref, down) if down else box_beside(scene, ref, across)
            if found is not None:
                self.chosen.emit(found)
                # Clicks do not scroll, but with the keyboard the selection may leave the view.
                self.choose(found, reveal=True)
        else:
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Shows the focus ring if the focus came by keyboard."""
        super().focusInEvent(event)
        self._has_ring = event.reason() in _KEYBOARD_REASONS
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Hides the focus ring."""
        super().focusOutEvent(event)
        self._has_ring = False
        self.viewport().update()

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:  # noqa: N802
        """Paints the focus ring."""
        super().drawForeground(painter, rect)
        if self._has_ring:
            painter.resetTransform()
            painter.setPen(QColor(self.diagram_scene.diagram_style.tokens.accent))
            painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Fits the diagram until it has been painted for the first time."""
        super().resizeEvent(event)
        if not self._was_painted:
            self.fit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        self._was_painted = self._was_painted or self.has_picture
        exposed = self.viewportTransform().inverted()[0].mapRect(QRectF(event.rect()))
        room = _PAINTED_AROUND
        self.diagram_scene.diagram_style.visible = exposed.adjusted(-room, -room, room, room)
        super().paintEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        """Shows what the marks of a line mean as a tooltip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip(event.pos()), self)
            return True
        if event.type() == QEvent.Type.Leave:
            self.diagram_scene.point_at(None)
        return super().viewportEvent(event)

    def _tip(self, at: QPoint) -> str:
        """What the marks of a line mean, or what a link connects and its rule."""
        found = self.diagram_scene.line_at(self.mapToScene(at))
        if found is not None:
            marks = " · ".join(mark_text(mark) for mark in found[1].marks)
            style, ref = self.diagram_scene.diagram_style, found[1].ref
            return "\n".join(filter(None, (marks, style.note(ref), style.use_note(ref))))
        edge = self._link_at(at)
        if edge is None:
            return ""
        source, row = (
            self.diagram_scene.line_of(TableRef(edge.ref.table)),
            self.diagram_scene.line_of(edge.ref),
        )
        target = self.diagram_scene.line_of(TableRef(edge.linked))
        names = [each[1].name if each else "" for each in (source, row, target)]
        return link_text(edge, *names)

    def _link_at(self, at: QPoint) -> Edge | None:
        """The link at a point of the viewport, unless a box covers it."""
        point = self.mapToScene(at)
        if self.diagram_scene.line_at(point) is not None:
            return None
        return self.diagram_scene.link_at(point, _LINK_REACH / self.zoom)

    def _removed_at(self, event: QMouseEvent) -> ElementRef | None:
        removed = self.diagram_scene.removed_item_at(self.mapToScene(event.position().toPoint()))
        return None if removed is None else removed.ref

    def _ref_at(self, point: QPointF) -> tuple[ElementRef, Edge | None]:
        """The element at a point of the scene, and the link at that point."""
        found, removed = self.diagram_scene.line_at(point), self.diagram_scene.removed_item_at(point)
        if found is not None:
            return found[1].ref, None
        edge = self.diagram_scene.link_at(point, _LINK_REACH / self.zoom)
        if edge is not None:
            return edge.ref, edge
        return (DOCUMENT if removed is None else removed.ref), None

    def _selected_for_menu(self) -> tuple[ElementRef, QPoint]:
        """The selection and the position for its menu; DOCUMENT if the selection is not in the diagram."""
        ref, port = self.diagram_scene.diagram_style.selection, self.viewport()
        self.choose(ref, reveal=True)
        rect = self.line_rect(ref)
        removed = self.diagram_scene.removed_item(ref)
        if rect is None and removed is not None:
            rect = QRectF(self.mapFromScene(removed.sceneBoundingRect()).boundingRect())
        if rect is None:
            return DOCUMENT, port.mapToGlobal(port.rect().center())
        at = rect.toRect().intersected(port.rect()).bottomLeft()
        return ref, port.mapToGlobal(at)

    def _shows_any_box(self) -> bool:
        seen = self.mapToScene(self.viewport().rect()).boundingRect()
        boxes = self.diagram_scene.diagram.boxes
        return any(seen.intersects(QRectF(box.x, box.y, box.width, box.height)) for box in boxes)

    def _zoom_to(self, zoom: float, fixed: QPointF) -> None:
        """Zooms around ``fixed``, a point of the viewport."""
        target = min(max(zoom, _SMALLEST), _LARGEST)
        point = self._scene_point(fixed)
        self.setTransform(QTransform.fromScale(target, target))
        self._scroll_by(self.viewportTransform().map(point) - fixed)
        self._show_zoom()

    def _show_zoom(self) -> None:
        self.diagram_scene.show_zoom(self.zoom)
        self.zoom_changed.emit(self.zoom)

    def _scene_point(self, fixed: QPointF) -> QPointF:
        """The point of the scene under a point of the viewport.

        It stays the same while the pointer rests: scrolling is by whole pixels, and a difference of half a
        pixel grows with every notch of the wheel.
        """
        if self._anchor is not None:
            ref, point = self._anchor
            if ref == fixed and (self.viewportTransform().map(point) - fixed).manhattanLength() < 2:
                return point
        point = self.viewportTransform().inverted()[0].map(fixed)
        self._anchor = (fixed, point)
        return point

    def _zoom_around_center(self, factor: float) -> None:
        self._zoom_to(self.zoom * factor, QPointF(self.viewport().rect().center()))

    def _drag_background(self, step: QPointF) -> None:
        """Scrolls, but keeps the center of the view inside the diagram or moves it towards the diagram."""
        port, bounds = self.viewport(), self.diagram_scene.bounds
        middle = QPointF(port.width(), port.height()) / 2
        before = self.viewportTransform().inverted()[0].map(middle)
        wanted = before - step / self.zoom
        left, right = min(bounds.left(), before.x()), max(bounds.right(), before.x())
        top, bottom = min(bounds.top(), before.y()), max(bounds.bottom(), before.y())
        found = QPointF(min(max(wanted.x(), left), right), min(max(wanted.y(), top), bottom))
        self._scroll_by((found - before) * self.zoom)

    def _scroll_by(self, direction: QPointF) -> None:
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(across.value() + round(direction.x()))
        down.setValue(down.value() + round(direction.y()))


class DragState:
    """A mouse press and how far it was dragged; ``item`` is None on the background."""

    def __init__(self, start: QPointF, item: TableItem | None) -> None:
        self.item = item
        self.is_drag = False
        self.step = QPointF()
        self._start = start
        self._last = start
        self._corner = item.pos() if item else QPointF()

    def move(self, to: QPointF) -> bool:
        """Takes a mouse move; ``step`` is the distance since the last one. Returns whether this is a drag."""
        far = (to - self._start).manhattanLength() >= QApplication.startDragDistance()
        self.is_drag = self.is_drag or far
        self.step = to - self._last
        self._last = to
        return self.is_drag

    def corner(self, zoom: float) -> QPointF:
        """The new position of the box."""
        return self._corner + (self._last - self._start) / zoom


def next_line(scene: DiagramScene, ref: ElementRef, down: int) -> ElementRef | None:
    """The element of the line above or below; after the last line of a box that of the next box."""
    found = scene.line_of(ref)
    if found is None:
        return _first(scene)
    item, line = found
    at = item.lines.index(line) + down
    if 0 <= at < len(item.lines):
        return item.lines[at].ref
    other = _nearest(scene, item, QPointF(0, down))
    if other is None:
        return None
    return other.lines[0 if down > 0 else -1].ref


def box_beside(scene: DiagramScene, ref: ElementRef, across: int) -> ElementRef | None:
    """The table of the nearest box at the left or right."""
    found = scene.line_of(ref)
    if found is None:
        return _first(scene)
    other = _nearest(scene, found[0], QPointF(across, 0))
    return other.lines[0].ref if other else None


def _first(scene: DiagramScene) -> ElementRef | None:
    items = sorted(scene.tables.values(), key=lambda item: (item.pos().x(), item.pos().y()))
    return items[0].lines[0].ref if items else None


def _nearest(scene: DiagramScene, item: TableItem, direction: QPointF) -> TableItem | None:
    """The nearest box in a direction; distance across it counts three times."""
    here = item.sceneBoundingRect().center()
    best: tuple[float, TableItem] | None = None
    for other in scene.tables.values():
        gone = other.sceneBoundingRect().center() - here
        ahead = gone.x() * direction.x() + gone.y() * direction.y()
        across = abs(gone.x() * direction.y()) + abs(gone.y() * direction.x())
        cost = ahead + 3 * across
        if other is not item and ahead > 1 and (best is None or cost < best[0]):
            best = (cost, other)
    return best[1] if best else None
