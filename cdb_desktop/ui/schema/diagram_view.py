"""The diagram on the screen: zoom at the cursor, moving view and boxes, choosing by mouse and keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QTransform,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QGraphicsView, QToolTip, QWidget

from cdb_desktop.schema.diagram import Diagram
from cdb_desktop.schema.places import DOCUMENT, Place, TablePlace
from cdb_desktop.ui.schema.diagram_grip import Grip
from cdb_desktop.ui.schema.diagram_keys import beside, next_line
from cdb_desktop.ui.schema.diagram_scene import DiagramScene
from cdb_desktop.ui.schema.marks import meaning
from cdb_desktop.ui.theme.appearance import Appearance

_STEP = 1.25
_SMALLEST, _LARGEST = 0.02, 3.0
_TOOLS = 44  # pixels that the tools take at the top
_NEAR = 0.75  # the zoom at which what was looked for can be read
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
    with the factor.
    """

    chosen = Signal(object)
    moved = Signal(object, float, float)
    settled = Signal()
    rename_requested = Signal(object)
    zoom_changed = Signal(float)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.diagram")
        self.setAccessibleName(self.tr("Diagram of the schema"))
        self.drawing = DiagramScene(appearance, self.font(), self)
        self.setScene(self.drawing)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontAdjustForAntialiasing)
        self.setMouseTracking(True)
        # Files are let go on the window; a scene would take them and do nothing.
        for widget in (self, self.viewport()):
            widget.setAcceptDrops(False)
        # Dragging moves the view; bars would only say how much empty ground there is around.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._grip: Grip | None = None
        self._was_fitted = False
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
        """Shows a diagram; the view stays where it is, but for the first time."""
        first = not self.has_picture
        self.drawing.show_diagram(diagram, moving=moving and self.isVisible())
        self._make_room()
        if first:
            self._was_fitted = False
        if first or moving:
            self.fit()

    def choose(self, place: Place, *, reveal: bool) -> None:
        """Shows what is selected; ``reveal`` brings it into sight."""
        self.drawing.choose(place)
        found = self.drawing.line_of(place)
        ghost = self.drawing.ghosts.get(place.table) if isinstance(place, TablePlace) else None
        if ghost is not None and reveal:
            self.ensureVisible(ghost.sceneBoundingRect(), 60, 60)
        if found is None or not reveal:
            return
        item, line = found
        rect = item.mapRectToScene(QRectF(line.left, line.top, line.width, line.height))
        if self.zoom < _NEAR and not isinstance(place, TablePlace):
            self._zoom_to(_NEAR)
            self.centerOn(rect.center())
        else:
            self.ensureVisible(rect, 60, 60)

    def fit(self) -> None:
        """Shows the whole diagram, never larger than it is."""
        if not self.has_picture:
            return
        self._was_fitted = True
        bounds, size = self.drawing.bounds, self.viewport().size()
        room = QSize(size.width(), max(size.height() - _TOOLS, 1))
        zoom = min(room.width() / bounds.width(), room.height() / bounds.height(), 1.0)
        self.setTransform(QTransform.fromScale(zoom, zoom))
        self._make_room()
        self.centerOn(bounds.center() - QPointF(0, _TOOLS / zoom / 2))
        self.zoom_changed.emit(self.zoom)

    def zoom_in(self) -> None:
        """A step closer."""
        self._zoom_from_centre(_STEP)

    def zoom_out(self) -> None:
        """A step back."""
        self._zoom_from_centre(1 / _STEP)

    def line_rect(self, place: Place) -> QRectF | None:
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
        """Zooms at the cursor."""
        self._zoom_to(self.zoom * _STEP ** (event.angleDelta().y() / 120))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Takes hold of a box or of the ground, and chooses what was met."""
        found = self.drawing.line_at(self.mapToScene(event.position().toPoint()))
        is_left = event.button() == Qt.MouseButton.LeftButton
        if event.button() != Qt.MouseButton.RightButton:
            self._grip = Grip(event.position(), found[0] if found and is_left else None)
        place = found[1].place if found else self._ghost_at(event)
        if place is not None and event.button() != Qt.MouseButton.MiddleButton:
            self.chosen.emit(place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Moves what is held."""
        if self._grip is None or not self._grip.pull(event.position()):
            return
        self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        step = self._grip.step
        if self._grip.item is None:
            across, down = self.horizontalScrollBar(), self.verticalScrollBar()
            across.setValue(across.value() - round(step.x()))
            down.setValue(down.value() - round(step.y()))
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
            self._make_room()
            self.settled.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Renames what is met."""
        found = self.drawing.line_at(self.mapToScene(event.position().toPoint()))
        if found is not None:
            self.rename_requested.emit(found[1].place)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows go from line to line and from box to box."""
        key, place = Qt.Key(event.key()), self.drawing.look.selection
        if key in _ARROWS and not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            across, down = _ARROWS[key]
            found = next_line(self.drawing, place, down) if down else beside(self.drawing, place, across)
            if found is not None:
                self.chosen.emit(found)
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
        """A diagram that was shown as a whole stays so until somebody zooms."""
        super().resizeEvent(event)
        self._make_room()
        if self._was_fitted:
            self.fit()

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        """Tells what the marks of a line mean."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            found = self.drawing.line_at(self.mapToScene(event.pos()))
            marks = [meaning(mark) for mark in found[1].marks] if found else []
            QToolTip.showText(event.globalPos(), " · ".join(marks), self)
            return True
        return super().viewportEvent(event)

    def _ghost_at(self, event: QMouseEvent) -> Place | None:
        ghost = self.drawing.ghost_at(self.mapToScene(event.position().toPoint()))
        return None if ghost is None else ghost.place

    def _zoom_to(self, zoom: float) -> None:
        target = min(max(zoom, _SMALLEST), _LARGEST)
        self._was_fitted = False
        self.scale(target / self.zoom, target / self.zoom)
        self._make_room()
        self.zoom_changed.emit(self.zoom)

    def _zoom_from_centre(self, factor: float) -> None:
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
        self._zoom_to(self.zoom * factor)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)

    def _make_room(self) -> None:
        """Half a window around the boxes, so that each of them can be brought to the middle."""
        room = QPointF(self.viewport().width(), self.viewport().height()) / self.zoom / 2
        self.setSceneRect(self.drawing.bounds.adjusted(-room.x(), -room.y(), room.x(), room.y()))
