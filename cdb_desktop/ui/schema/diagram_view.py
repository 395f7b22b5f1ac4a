"""The diagram on the screen: zoom, moving the view and the boxes, selecting with mouse and keys.

Only the wheel, dragging the ground, the zoom actions, ``fit`` and ``choose`` with ``reveal`` move the view.
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
from PySide6.QtWidgets import QFrame, QGraphicsView, QToolTip, QWidget

from cdb_desktop.schema.diagram.model import Diagram, Edge
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef, TableRef
from cdb_desktop.ui.schema.diagram_grip import Grip
from cdb_desktop.ui.schema.diagram_keys import beside, next_line
from cdb_desktop.ui.schema.diagram_scene import DiagramScene
from cdb_desktop.ui.schema.marks import meaning
from cdb_desktop.ui.theme.appearance import Appearance

_STEP = 1.25
_SMALLEST, _LARGEST = 0.02, 3.0
_TOOLS = 44  # pixels that the tools take at the top
_NEAR = 0.75  # the zoom at which what was looked for can be read
_MARGIN = 60  # pixels around what is brought into sight
_CATCH = 5.0  # pixels beside a link at which it is still met
# Far larger than any diagram, so that no zoom and no dragging is cut off at a border.
_GROUND = QRectF(-1e6, -1e6, 2e6, 2e6)
_BY_KEY = (
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
    """Boxes and links of the schema.

    Signals: ``chosen`` with a place · ``moved`` with a table's key and its new corner, again and again while
    it is dragged · ``settled`` when it has been let go · ``rename_requested`` with a place · ``zoom_changed``
    with the factor · ``menu_requested`` with the place that was clicked (DOCUMENT for the ground), the Wire
    of the link if it was one, and the point on the screen.
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
        self.setAccessibleName(self.tr("Diagram of the schema"))
        self.drawing = DiagramScene(appearance, self.font(), self)
        self.setScene(self.drawing)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        # Qt's anchors rely on the last mouse move that it has seen itself, and a resize is no wish to move.
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setSceneRect(_GROUND)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontAdjustForAntialiasing)
        self.setMouseTracking(True)
        # Files are let go on the window; a scene would take them and do nothing.
        for widget in (self, self.viewport()):
            widget.setAcceptDrops(False)
        # Dragging moves the view; bars would only say how much empty ground there is around.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._grip: Grip | None = None
        self._was_painted = False
        self._anchor: tuple[QPointF, QPointF] | None = None
        self._has_ring = False

    @property
    def has_picture(self) -> bool:
        """Whether there are boxes to be seen."""
        return bool(self.drawing.tables)

    @property
    def zoom(self) -> float:
        """Pixels for each unit of the diagram."""
        return self.transform().m11()

    def show_diagram(self, diagram: Diagram, *, moving: bool = False) -> None:
        """Shows a diagram: the first one as a whole, later ones where the view is.

        ``moving`` lets the boxes glide to their places; if none of them would be in sight all are shown.
        """
        first = not self.has_picture
        self.drawing.show_diagram(diagram, moving=moving and self.isVisible())
        if first:
            self._was_painted = False
        if first or (moving and not self._shows_a_box()):
            self.fit()

    def choose(self, place: ElementRef, *, reveal: bool, readable: bool = False) -> None:
        """Shows what is selected.

        ``reveal`` scrolls as little as needed to bring it into sight; ``readable`` also zooms in if its text
        would be too small.
        """
        self.drawing.choose(place)
        if not reveal:
            return
        found = self.drawing.line_of(place)
        ghost = self.drawing.ghosts.get(place.table) if isinstance(place, TableRef) else None
        if found is not None:
            item, line = found
            rect = item.mapRectToScene(QRectF(line.left, line.top, line.width, line.height))
        elif ghost is not None:
            rect = ghost.sceneBoundingRect()
        else:
            return
        if readable and self.zoom < _NEAR:
            self._zoom_to(_NEAR, QPointF(self.viewport().rect().center()))
            self.centerOn(rect.center())
        else:
            self.ensureVisible(rect, _MARGIN, _MARGIN)

    def fit(self) -> None:
        """Shows the whole diagram, never larger than it is."""
        if not self.has_picture:
            return
        bounds, size = self.drawing.bounds, self.viewport().size()
        room = QSize(size.width(), max(size.height() - _TOOLS, 1))
        zoom = min(room.width() / bounds.width(), room.height() / bounds.height(), 1.0)
        self.setTransform(QTransform.fromScale(zoom, zoom))
        self.centerOn(bounds.center() - QPointF(0, _TOOLS / zoom / 2))
        self.zoom_changed.emit(self.zoom)

    def zoom_in(self) -> None:
        """A step closer."""
        self._zoom_from_centre(_STEP)

    def zoom_out(self) -> None:
        """A step back."""
        self._zoom_from_centre(1 / _STEP)

    def line_rect(self, place: ElementRef) -> QRectF | None:
        """Where a place is in the viewport, None where it is not in the diagram."""
        found = self.drawing.line_of(place)
        if found is None:
            return None
        item, line = found
        rect = item.mapRectToScene(QRectF(line.left, line.top, line.width, line.height))
        return QRectF(self.mapFromScene(rect).boundingRect())

    def sizeHint(self) -> QSize:  # noqa: N802
        """Whatever is left of the page."""
        return QSize(480, 320)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Zooms; what is under the pointer stays there."""
        self._zoom_to(self.zoom * _STEP ** (event.angleDelta().y() / 120), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Takes hold of a box or of the ground, and selects what is there; the right button is the menu's."""
        if event.button() == Qt.MouseButton.RightButton:
            return
        found = self.drawing.line_at(self.mapToScene(event.position().toPoint()))
        is_left = event.button() == Qt.MouseButton.LeftButton
        self._grip = Grip(event.position(), found[0] if found and is_left else None)
        place = found[1].place if found else self._ghost_at(event)
        if place is not None and event.button() != Qt.MouseButton.MiddleButton:
            self.chosen.emit(place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Moves what is held."""
        self._anchor = None
        if self._grip is None or not self._grip.pull(event.position()):
            return
        self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._grip.item is None:
            self._drag_ground(self._grip.step)
        else:
            corner = self._grip.corner(self.zoom)
            self.moved.emit(self._grip.item.box.table, corner.x(), corner.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Lets go; a click on the ground, which was not pulled, chooses nothing."""
        grip, self._grip = self._grip, None
        self.viewport().unsetCursor()
        if grip is None:
            return
        is_click = grip.item is None and not grip.is_pulled
        if is_click and event.button() == Qt.MouseButton.LeftButton and self._ghost_at(event) is None:
            self.chosen.emit(DOCUMENT)
        if grip.item is not None and grip.is_pulled:
            self.settled.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Renames what was clicked."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        found = self.drawing.line_at(self.mapToScene(event.position().toPoint()))
        if found is not None:
            self.rename_requested.emit(found[1].place)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Selects what was clicked and asks for its menu; by key it is the menu of what is selected."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            wire = None
            place, at = self._selected_for_menu()
        else:
            place, wire = self._place_at(self.mapToScene(event.pos()))
            at = event.globalPos()
            self.chosen.emit(place)
        self.menu_requested.emit(place, wire, at)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows go from line to line and from box to box."""
        key, place = Qt.Key(event.key()), self.drawing.look.selection
        if key in _ARROWS and not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            across, down = _ARROWS[key]
            found = next_line(self.drawing, place, down) if down else beside(self.drawing, place, across)
            if found is not None:
                self.chosen.emit(found)
                # Who walks by key has to see where.
                self.choose(found, reveal=True)
        else:
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Shows that the keys go here, to those who came by key."""
        super().focusInEvent(event)
        self._has_ring = event.reason() in _BY_KEY
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Shows that they go elsewhere."""
        super().focusOutEvent(event)
        self._has_ring = False
        self.viewport().update()

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:  # noqa: N802
        """A ring around the diagram while the keys go here."""
        super().drawForeground(painter, rect)
        if self._has_ring:
            painter.resetTransform()
            painter.setPen(QColor(self.drawing.look.tokens.accent))
            painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Until the diagram has been seen it is fitted to the size that the view is given."""
        super().resizeEvent(event)
        if not self._was_painted:
            self.fit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """From now on the view stays where it is."""
        self._was_painted = self._was_painted or self.has_picture
        super().paintEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        """Tells what the marks of a line mean."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            found = self.drawing.line_at(self.mapToScene(event.pos()))
            marks = [meaning(mark) for mark in found[1].marks] if found else []
            QToolTip.showText(event.globalPos(), " · ".join(marks), self)
            return True
        return super().viewportEvent(event)

    def _ghost_at(self, event: QMouseEvent) -> ElementRef | None:
        ghost = self.drawing.ghost_at(self.mapToScene(event.position().toPoint()))
        return None if ghost is None else ghost.place

    def _place_at(self, point: QPointF) -> tuple[ElementRef, Edge | None]:
        """What is at a point of the scene, and a link that passes there."""
        found, ghost = self.drawing.line_at(point), self.drawing.ghost_at(point)
        if found is not None:
            return found[1].place, None
        wire = self.drawing.link_at(point, _CATCH / self.zoom)
        if wire is not None:
            return wire.ref, wire
        return (DOCUMENT if ghost is None else ghost.place), None

    def _selected_for_menu(self) -> tuple[ElementRef, QPoint]:
        """The selection, and where its line is on the screen; the ground where none is in the diagram."""
        place, port = self.drawing.look.selection, self.viewport()
        self.choose(place, reveal=True)
        rect = self.line_rect(place)
        if rect is None and isinstance(place, TableRef) and place.table in self.drawing.ghosts:
            ghost = self.drawing.ghosts[place.table]
            rect = QRectF(self.mapFromScene(ghost.sceneBoundingRect()).boundingRect())
        if rect is None:
            return DOCUMENT, port.mapToGlobal(port.rect().center())
        at = rect.toRect().intersected(port.rect()).bottomLeft()
        return place, port.mapToGlobal(at)

    def _shows_a_box(self) -> bool:
        seen = self.mapToScene(self.viewport().rect()).boundingRect()
        boxes = self.drawing.diagram.boxes
        return any(seen.intersects(QRectF(box.x, box.y, box.width, box.height)) for box in boxes)

    def _zoom_to(self, zoom: float, fixed: QPointF) -> None:
        """Zooms so that what is at ``fixed``, a point of the viewport, stays there."""
        target = min(max(zoom, _SMALLEST), _LARGEST)
        point = self._under(fixed)
        self.setTransform(QTransform.fromScale(target, target))
        self._scroll_by(self.viewportTransform().map(point) - fixed)
        self.zoom_changed.emit(self.zoom)

    def _under(self, fixed: QPointF) -> QPointF:
        """The point of the scene under a point of the viewport.

        While the pointer rests it stays the same: scrolling is by whole pixels, and a parting of half a
        pixel grows with every notch of the wheel.
        """
        if self._anchor is not None:
            place, point = self._anchor
            if place == fixed and (self.viewportTransform().map(point) - fixed).manhattanLength() < 2:
                return point
        point = self.viewportTransform().inverted()[0].map(fixed)
        self._anchor = (fixed, point)
        return point

    def _zoom_from_centre(self, factor: float) -> None:
        self._zoom_to(self.zoom * factor, QPointF(self.viewport().rect().center()))

    def _drag_ground(self, step: QPointF) -> None:
        """Scrolls until the middle of the view leaves the diagram; from farther away only towards it."""
        port, bounds = self.viewport(), self.drawing.bounds
        middle = QPointF(port.width(), port.height()) / 2
        before = self.viewportTransform().inverted()[0].map(middle)
        wanted = before - step / self.zoom
        left, right = min(bounds.left(), before.x()), max(bounds.right(), before.x())
        top, bottom = min(bounds.top(), before.y()), max(bounds.bottom(), before.y())
        found = QPointF(min(max(wanted.x(), left), right), min(max(wanted.y(), top), bottom))
        self._scroll_by((found - before) * self.zoom)

    def _scroll_by(self, way: QPointF) -> None:
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(across.value() + round(way.x()))
        down.setValue(down.value() + round(way.y()))
