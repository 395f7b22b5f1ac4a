"""The diagram's view: zooming, scrolling, moving boxes, selecting and linking with mouse and keyboard.

Only the wheel, dragging the background or to the edge, the zoom actions, ``fit`` and ``choose`` with
``reveal`` scroll.
"""

from collections.abc import Collection, Iterable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTransform,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QGraphicsView, QToolTip, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.graph_builder import GraphBuilder
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.model import Diagram, Edge, Point, mark_text
from cdb_desktop.schema.diagram.placement import shifted_free
from cdb_desktop.schema.diagram.views import Viewport
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef, TableRef, table_key_of
from cdb_desktop.ui.schema.diagram.gestures import (
    HANDLE_REACH,
    BoxDrag,
    EdgeScroll,
    Gesture,
    LinkDrag,
    LinkHandles,
    ProposeLink,
    RubberBand,
    box_beside,
    nearest,
    next_line,
)
from cdb_desktop.ui.schema.diagram.scene import DiagramScene
from cdb_desktop.ui.schema.diagram.style import KEYS, ROWS, beyond_text, box_rect, group_link_text, link_text
from cdb_desktop.ui.schema.diagram.table_item import BoxLine, TableItem
from cdb_desktop.ui.theme.appearance import Appearance

_STEP = 1.25
_SMALLEST, _LARGEST = 0.02, 3.0
_TOOLBAR = 44  # pixels that the toolbar covers at the top
_AROUND = 8  # pixels around the whole diagram, besides the units that belong to it
_ASPECTS = (1.0, 2.2)
_READABLE = 0.75  # the zoom from which texts are readable
_MARGIN = 60  # pixels around what is scrolled to
_COPY_OFFSET = 40.0  # units from a box to its copy, if no box is there
_NEAR_STEP, _FAR_STEP = 8.0, 40.0  # units by which arrow keys move boxes
_PAINTED_AROUND = 24.0  # units beside a link in which its symbols are
_LINK_REACH = 5.0  # pixels beside a link that still belong to it
# Far larger than any diagram, so that no border limits zooming and dragging.
_SCENE_RECT = QRectF(-1e6, -1e6, 2e6, 2e6)
_KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
_DRAGGING = Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton
SELECTING = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class DiagramCanvas(QGraphicsView):
    """Shows the boxes and links of the schema, and finds places for new boxes.

    ``wanted_places`` are the corners at which tables go that the next edit adds, unless other boxes are
    there. ``chosen_center`` is the point of the scene that was chosen for new boxes.

    Signals: ``zoom_changed`` with the factor · ``resized``.
    """

    zoom_changed = Signal(float)
    resized = Signal()

    def __init__(
        self, appearance: Appearance, parent: QWidget | None = None, *, has_toolbar: bool = False
    ) -> None:
        """``has_toolbar`` is whether a toolbar covers the upper edge."""
        super().__init__(parent)
        self._covered = _TOOLBAR if has_toolbar else 0
        # Before anything else, as screen readers may ask for it at once.
        self.diagram_scene = DiagramScene(appearance, self.font(), self)
        # Makes the graphs that are shown; it knows the boxes of the last one.
        self.graph_builder = GraphBuilder(self.diagram_scene.diagram_style.fonts.measure)
        self.setObjectName("schema.diagram")
        self.setAccessibleName(tr("Diagram of the schema"))
        self.setScene(self.diagram_scene)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
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
        self._handles = LinkHandles(self, self.diagram_scene)
        self.wanted_places: dict[int, Point] = {}
        self.chosen_center: QPointF | None = None
        self._was_painted = False
        self._fitted: tuple[float, int, int] | None = None  # the place at which the whole was shown
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

    @property
    def aspect(self) -> float:
        """The width to the height of what `fit` fills, as far as diagrams look good in it."""
        size = self.viewport().size()
        found = size.width() / max(size.height() - self._covered, 1)
        return min(max(found, _ASPECTS[0]), _ASPECTS[1])

    @property
    def center(self) -> Point:
        """The point of the scene where new boxes go: in the middle of the view, unless one was chosen."""
        center = self.chosen_center or self.mapToScene(self.viewport().rect().center())
        return center.x(), center.y()

    def places_beside(self, tables: Collection[int]) -> dict[int, Point]:
        """Where copies of boxes go together, beside the originals and over no box, by the originals."""
        boxes = [item.box for item in self.diagram_scene.tables.values()]
        copied = [box for box in boxes if box.table in tables]
        if not copied:
            return {}
        corner = (min(box.x for box in copied) + _COPY_OFFSET, min(box.y for box in copied) + _COPY_OFFSET)
        return shifted_free(copied, boxes, corner, self.diagram_scene.diagram.links)

    def show_diagram(self, diagram: Diagram, *, moving: bool = False) -> None:
        """Shows a diagram: the first one as a whole, later ones at the current position.

        ``moving`` animates the boxes; if none of them would be visible, the whole diagram is shown.
        """
        first = not self.has_picture
        self._handles.update()
        self.diagram_scene.show_diagram(diagram, moving=moving and self.isVisible())
        self._handles.update()
        if first:
            self._was_painted = False
        if first or (moving and not self._shows_any_box()):
            self.fit()

    def prepare_zoom(self, zoom: float) -> None:
        """Called before a diagram that will be shown at another zoom.

        Details that are too small there are hidden at once, and not updated for nothing.
        """
        if zoom < KEYS:
            self.diagram_scene.show_zoom(zoom)

    def choose(self, ref: ElementRef, *, reveal: bool, readable: bool = False) -> None:
        """Selects an element.

        ``reveal`` scrolls as little as needed to make it visible; ``readable`` also zooms in if its text
        would be too small.
        """
        self._handles.update()
        self.diagram_scene.choose(ref)
        self._handles.update()
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
            self._zoom_to(_READABLE, self._middle)
            self.centerOn(rect.center())
        else:
            self.scroll_to(rect)

    def fit(self) -> None:
        """Shows the whole diagram, at most at its original size."""
        if not self.has_picture:
            return
        covered = float(self._covered)
        above = self.diagram_scene.regions.height_above(self._fitting_zoom(covered))
        if above > _AROUND:  # labels would be below the toolbar
            covered += above - _AROUND
        zoom = self._fitting_zoom(covered)
        self.setTransform(QTransform.fromScale(zoom, zoom))
        self.centerOn(self.diagram_scene.bounds.center() - QPointF(0, covered / zoom / 2))
        self._show_zoom()
        self._fitted = self.place

    def _fitting_zoom(self, covered: float) -> float:
        """The zoom at which the whole diagram fits below what is covered at the top."""
        bounds, size = self.diagram_scene.bounds, self.viewport().size()
        room = max(size.width() - 2 * _AROUND, 1), max(size.height() - covered - 2 * _AROUND, 1)
        return min(room[0] / bounds.width(), room[1] / bounds.height(), 1.0)

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

    @property
    def seen(self) -> QRectF:
        """The visible rectangle of the scene."""
        return self.mapToScene(self.viewport().rect()).boundingRect()

    @property
    def _middle(self) -> QPointF:
        return QPointF(self.viewport().rect().center())

    @property
    def visible_part(self) -> Viewport:
        """What is visible: the zoom and the point in the middle."""
        port = self.viewport()
        middle = QPointF(port.width(), port.height()) / 2
        center = self.viewportTransform().inverted()[0].map(middle)
        return Viewport(self.zoom, (center.x(), center.y()))

    def show_part(self, part: Viewport) -> None:
        """Shows a part that was visible before, or the whole diagram if there is no box in it."""
        zoom = min(max(part.zoom, _SMALLEST), _LARGEST)
        self.setTransform(QTransform.fromScale(zoom, zoom))
        self.centerOn(*part.center)
        self._show_zoom()
        if not self._shows_any_box():
            self.fit()

    def scroll_down(self, pixels: int) -> None:
        """Scrolls down, so that the boxes stay on the screen when the view moves; the whole stays in view."""
        if self.place != self._fitted:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + pixels)

    def show_tables(self, tables: Collection[int]) -> None:
        """Scrolls as little as needed to show boxes, and zooms out if they would not fit."""
        items = {self.diagram_scene.item_of(TableRef(table)) for table in tables}
        rect = _around(item for item in items if item is not None)
        if rect.isEmpty():
            return
        port, around = self.viewport().size(), 2 * _MARGIN
        fitting = min((port.width() - around) / rect.width(), (port.height() - around) / rect.height())
        if fitting < self.zoom:
            self._zoom_to(fitting, self._middle)
        self.scroll_to(rect)

    def scroll_to(self, rect: QRectF) -> None:
        """Scrolls as little as needed to show a part of the scene, and not at all if it is visible."""
        free = self.viewport().rect().adjusted(0, self._covered, 0, 0)
        if not free.contains(self.mapFromScene(rect).boundingRect()):
            self.ensureVisible(rect, _MARGIN, _MARGIN)

    def zoom_in(self) -> None:
        """Zooms in by one step."""
        self._zoom_to(self.zoom * _STEP, self._middle)

    def zoom_out(self) -> None:
        """Zooms out by one step."""
        self._zoom_to(self.zoom / _STEP, self._middle)

    def line_rect(self, ref: ElementRef) -> QRectF | None:
        """The rectangle of an element in the viewport, None if it is not in the diagram."""
        found, removed = self.diagram_scene.line_of(ref), self.diagram_scene.removed_item(ref)
        if removed is not None:
            return QRectF(self.mapFromScene(removed.sceneBoundingRect()).boundingRect())
        if found is None:
            return None
        item, line = found
        size = self.diagram_scene.name_size(item.box.table)
        if size is not None and line == item.lines[0]:
            rect = QRectF(QPointF(), size)
            rect.moveCenter(self.viewportTransform().map(item.sceneBoundingRect().center()))
            return rect
        return QRectF(self.mapFromScene(item.mapRectToScene(item.rect_of(line, self.zoom))).boundingRect())

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(480, 320)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self._has_ring = event.reason() in _KEYBOARD_REASONS
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self._has_ring = False
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Fits the diagram until it has been painted, and as long as the user has not zoomed or scrolled."""
        is_fitted = self.place == self._fitted
        super().resizeEvent(event)
        if is_fitted or not self._was_painted:
            self.fit()
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        self._was_painted = self._was_painted or self.has_picture
        exposed = self.viewportTransform().inverted()[0].mapRect(QRectF(event.rect()))
        room = _PAINTED_AROUND
        self.diagram_scene.diagram_style.visible = exposed.adjusted(-room, -room, room, room)
        super().paintEvent(event)

    def _shows_any_box(self) -> bool:
        seen = self.seen
        boxes = self.diagram_scene.diagram.boxes
        return any(seen.intersects(box_rect(box)) for box in boxes)

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


def _around(items: Iterable[TableItem]) -> QRectF:
    """The rectangle around boxes, empty without any."""
    rect = QRectF()
    for item in items:
        rect = rect.united(item.sceneBoundingRect())
    return rect


class DiagramView(DiagramCanvas):
    """The canvas with mouse and keyboard: selecting, moving boxes, and drawing links.

    Signals: ``chosen`` with the ElementRef that is clicked · ``moved`` with a table's key and its new corner
    while it is dragged · ``settled`` when it has been dropped · ``rename_requested`` with an ElementRef ·
    ``menu_requested`` with the ElementRef that was clicked (DOCUMENT for the background), the Edge of the
    link if it was one, and the point on the screen · ``nudged`` with the distance by which arrow keys move
    the selected boxes · ``link_drawn`` with the LinkProposal of a link that was drawn from a handle ·
    ``insert_requested`` with the point of the scene where a table is wanted · ``beyond_requested`` with the
    table whose mark of links with tables that are not shown was clicked, and the point on the screen.
    """

    chosen = Signal(object)
    moved = Signal(object, float, float)
    settled = Signal()
    rename_requested = Signal(object)
    menu_requested = Signal(object, object, QPoint)
    beyond_requested = Signal(object, QPoint)
    nudged = Signal(float, float)
    link_drawn = Signal(object)
    insert_requested = Signal(QPointF)

    def __init__(
        self, appearance: Appearance, parent: QWidget | None = None, *, has_toolbar: bool = False
    ) -> None:
        """``has_toolbar`` is whether a toolbar covers the upper edge."""
        super().__init__(appearance, parent, has_toolbar=has_toolbar)
        self._gesture: Gesture | None = None
        self._propose_link: ProposeLink | None = None
        self._edge_scroll = EdgeScroll(self.viewport(), self._scroll_in_gesture)

    @property
    def chosen_boxes(self) -> frozenset[int]:
        """The selected top-level tables if there are several, else empty."""
        return self.diagram_scene.chosen_boxes

    @property
    def moving_boxes(self) -> frozenset[int]:
        """The top-level tables that are moved together: all selected ones."""
        selection = self.diagram_scene.diagram_style.selection
        if self.chosen_boxes or not (isinstance(selection, TableRef) or self.zoom < KEYS):
            return self.chosen_boxes
        # Far out, where columns are not shown, the table is what seems to be selected.
        box = self.diagram_scene.diagram_style.selected_box if self.zoom < KEYS else table_key_of(selection)
        return frozenset(self.diagram_scene.tables.keys() & {box})

    @property
    def chosen_group(self) -> int | None:
        """The group that is selected itself."""
        style = self.diagram_scene.diagram_style
        found = group_of_box(table_key_of(style.selection) or 0)
        return found if found in style.groups.by_key else None

    def choose_boxes(self, tables: frozenset[int]) -> None:
        """Selects several boxes; one of them becomes the selection of the page."""
        scene = self.diagram_scene
        found = frozenset(tables & scene.tables.keys())
        scene.choose_boxes(found)
        selection = scene.diagram_style.selection
        tables_only = [table for table in found if group_of_box(table) is None]
        if not found:
            self.chosen.emit(DOCUMENT)
        elif tables_only and not (isinstance(selection, TableRef) and selection.table in found):
            self.chosen.emit(TableRef(min(tables_only)))

    def choose_all_boxes(self) -> None:
        """Selects all boxes."""
        self.choose_boxes(frozenset(self.diagram_scene.tables))

    def reveal_boxes(self, tables: Collection[int]) -> None:
        """Scrolls so that boxes are visible: all of them if they fit, else the selected one."""
        items = [item for key, item in self.diagram_scene.tables.items() if key in tables]
        rect, seen = _around(items), self.seen
        if rect.width() > seen.width() or rect.height() > seen.height():
            chosen = [item for item in items if item.box.table in self.moving_boxes]
            rect = _around((chosen or items)[:1])
        if items:
            self.scroll_to(rect)

    def reveal_tables(self, tables: Collection[int]) -> None:
        """Scrolls to the boxes of tables if none of them is visible."""
        items = {self.diagram_scene.item_of(TableRef(table)) for table in tables}
        boxes = [item.box for item in items if item is not None]
        seen = self.seen
        if not any(seen.intersects(box_rect(box)) for box in boxes):
            self.reveal_boxes({box.table for box in boxes})

    def set_propose_link(self, propose: ProposeLink | None) -> None:
        """Lets links be drawn from handles; None if the document cannot be edited."""
        self._propose_link = propose
        self._handles.set_enabled(on=propose is not None)

    @property
    def is_in_gesture(self) -> bool:
        """Whether a link is drawn, or something is dragged."""
        gesture = self._gesture
        return gesture is not None and (gesture.is_drag or not isinstance(gesture, BoxDrag))

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        self._zoom_to(self.zoom * _STEP ** (event.angleDelta().y() / 120), event.position())
        if self._gesture is None:
            self._point_at(event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.RightButton or event.buttons() & _DRAGGING & ~event.button():
            return
        point = self.mapToScene(event.position().toPoint())
        is_left = event.button() == Qt.MouseButton.LeftButton
        beyond = self.diagram_scene.beyond_at(point, self.zoom)
        if beyond is not None and is_left:
            self.beyond_requested.emit(beyond, event.globalPosition().toPoint())
            return
        found = self.diagram_scene.line_at(point)
        if is_left and self._begin_gesture(event, found):
            return
        item = found[0] if found and is_left else None
        self._gesture = BoxDrag(self, self.diagram_scene, event.position(), item)
        self._handles.point_at(None, None)
        ref = found[1].ref if found else self.diagram_scene.removed_at(point)
        if found is not None and found[0].box.table in self.chosen_boxes:
            return  # the box may be dragged with the others
        if ref is not None and event.button() != Qt.MouseButton.MiddleButton:
            self.chosen.emit(ref)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._anchor = None
        gesture = self._gesture
        if gesture is None:
            self._point_at(event.position())
            return
        gesture.move(event.position(), event.modifiers())
        if not isinstance(gesture, BoxDrag):
            self._edge_scroll.follow(event.position(), event.modifiers())
        elif gesture.is_drag:
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            if gesture.item is None:
                self._drag_background(gesture.step)
            else:
                self.diagram_scene.is_dragging = True
                gesture.item.setZValue(1)
                self.moved.emit(gesture.item.box.table, gesture.corner.x(), gesture.corner.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.buttons() & _DRAGGING:
            return  # another button than the one that drags
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            self._edge_scroll.stop()
            gesture.finish()
        if isinstance(gesture, BoxDrag):
            self._finish_drag(gesture, event)
        elif gesture is not None:
            self._handles.point_at(None, None)
            self._finish_gesture(gesture)

    def _finish_drag(self, drag: BoxDrag, event: QMouseEvent) -> None:
        self._release(drag)
        if drag.item is None:
            is_click = not drag.is_drag and event.button() == Qt.MouseButton.LeftButton
            point = self.mapToScene(event.position().toPoint())
            if is_click and self.diagram_scene.removed_at(point) is None:
                self.chosen.emit(DOCUMENT)
                self.choose(DOCUMENT, reveal=False)
        elif drag.is_drag:
            self.settled.emit()
        elif drag.item.box.table in self.chosen_boxes:
            found = self.diagram_scene.line_at(self.mapToScene(event.position().toPoint()))
            self.diagram_scene.choose_boxes(frozenset())
            self.chosen.emit(drag.item.lines[0].ref if found is None else found[1].ref)

    def _release(self, drag: BoxDrag) -> None:
        self.diagram_scene.is_dragging = False
        self.viewport().unsetCursor()
        if drag.item is not None:
            drag.item.setZValue(0)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() != Qt.MouseButton.LeftButton or event.modifiers() & SELECTING:
            return
        point = self.mapToScene(event.position().toPoint())
        found = self.diagram_scene.line_at(point)
        if found is not None:
            self.rename_requested.emit(found[1].ref)
        elif (
            self.diagram_scene.removed_at(point) is None and self._link_at(event.position().toPoint()) is None
        ):
            self.insert_requested.emit(point)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        if self.is_in_gesture:
            return
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            edge = None
            ref, at = self._selected_for_menu()
        else:
            ref, edge = self._ref_at(self.mapToScene(event.pos()))
            at = event.globalPos()
            found = self.diagram_scene.item_of(ref)
            if edge is not None or found is None or found.box.table not in self.chosen_boxes:
                self.chosen.emit(ref)
                self.choose(ref, reveal=False)  # a selected group, which the page does not know, is no longer
        self.menu_requested.emit(ref, edge, at)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key, ref = Qt.Key(event.key()), self.diagram_scene.diagram_style.selection
        if key == Qt.Key.Key_Escape and self._gesture is not None:
            self._cancel()
        elif key == Qt.Key.Key_Escape:
            self.diagram_scene.choose_boxes(frozenset())
            event.ignore()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.choose_all_boxes()
        elif key in _ARROWS and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            far = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            across, down = _ARROWS[key]
            step = _FAR_STEP if far else _NEAR_STEP
            self.nudged.emit(across * step, down * step)
        elif key in _ARROWS and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._extend(*_ARROWS[key])
        elif key in _ARROWS and not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            across, down = _ARROWS[key]
            scene = self.diagram_scene
            is_line = down and self.zoom >= KEYS
            found = next_line(scene, ref, down) if is_line else box_beside(scene, ref, QPointF(across, down))
            if found is not None:
                self.chosen.emit(found)
                # Clicks do not scroll, but with the keyboard the selection may leave the view.
                self.choose(found, reveal=True)
        else:
            event.ignore()

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:  # noqa: N802
        super().drawForeground(painter, rect)
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        if self._gesture is not None:
            self._gesture.paint(painter)
        else:
            self._handles.paint(painter)
        painter.restore()
        if self._has_ring:
            painter.resetTransform()
            painter.setPen(QColor(self.diagram_scene.diagram_style.tokens.accent))
            painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip(event.pos()), self)
            return True
        if event.type() == QEvent.Type.Leave:
            self.diagram_scene.point_at(None)
            self._handles.point_at(None, None)
        return super().viewportEvent(event)

    def _begin_gesture(self, event: QMouseEvent, found: tuple[TableItem, BoxLine] | None) -> bool:
        """Begins to draw a link or to select several boxes. Returns whether the press was one for it."""
        at, modifiers = event.position(), event.modifiers()
        source = None if modifiers & SELECTING else self._handles.source_at(at)
        if source is not None and self._propose_link is not None:
            self._gesture = LinkDrag(self, self.diagram_scene, source, at, self._propose_link)
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            adds = modifiers & Qt.KeyboardModifier.ControlModifier
            kept = self._boxes_of_selection() if adds else frozenset[int]()
            self._gesture = RubberBand(self, self.diagram_scene, at, kept)
        elif modifiers & Qt.KeyboardModifier.ControlModifier and found is not None:
            self._toggle(found[0].box.table)
        else:
            return False
        return True

    def _finish_gesture(self, gesture: Gesture) -> None:
        if isinstance(gesture, LinkDrag):
            if not gesture.is_drag:
                self.chosen.emit(gesture.source)
            elif gesture.proposal is not None:
                self.link_drawn.emit(gesture.proposal)
        elif isinstance(gesture, RubberBand) and gesture.is_drag:
            self.choose_boxes(self.chosen_boxes or gesture.found)
        else:
            found = self.diagram_scene.line_at(gesture.start)
            if found is not None:
                self._toggle(found[0].box.table)

    def _scroll_in_gesture(self, step: QPoint, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        if self._gesture is not None:
            self._scroll_by(QPointF(step))
            self._gesture.move(at, modifiers)

    def _cancel(self) -> None:
        """Ends a gesture without an effect, and puts a box that is being dragged back."""
        gesture, self._gesture = self._gesture, None
        self._edge_scroll.stop()
        self._handles.point_at(None, None)
        if gesture is not None:
            gesture.cancel()
        if isinstance(gesture, BoxDrag):
            self._release(gesture)
            if gesture.item is not None and gesture.is_drag:
                corner = gesture.corner_before
                self.moved.emit(gesture.item.box.table, corner.x(), corner.y())
                self.settled.emit()

    def _boxes_of_selection(self) -> frozenset[int]:
        """The selected boxes, or the one that contains the selection."""
        item = self.diagram_scene.item_of(self.diagram_scene.diagram_style.selection)
        return self.chosen_boxes or frozenset(() if item is None else (item.box.table,))

    def _extend(self, across: int, down: int) -> None:
        """Selects the nearest box in a direction as well."""
        scene = self.diagram_scene
        item = scene.item_of(scene.diagram_style.selection)
        tables = (each for key, each in scene.tables.items() if group_of_box(key) is None)
        other = None if item is None else nearest(tables, item, QPointF(across, down))
        if other is not None:
            scene.choose_boxes(self._boxes_of_selection() | {other.box.table})
            self.chosen.emit(TableRef(other.box.table))
            self.choose(TableRef(other.box.table), reveal=True)

    def _toggle(self, table: int) -> None:
        """Adds a box to the selected ones or takes it away; not that of a group."""
        if group_of_box(table) is not None:
            return
        scene, boxes = self.diagram_scene, self._boxes_of_selection() ^ {table}
        scene.choose_boxes(boxes)
        ref = TableRef(table if table in boxes else min(boxes, default=table))
        self.chosen.emit(ref if boxes else DOCUMENT)

    def _point_at(self, at: QPointF) -> None:
        """Highlights the link under the pointer, and shows the handles of the row there."""
        point = self.mapToScene(at.toPoint())
        found = self.diagram_scene.line_at(point)
        line = None if found is None else found[1]
        if line is None and self._propose_link is not None:
            line = self.diagram_scene.line_beside(point, HANDLE_REACH / self.zoom)
        is_on_handle = self._handles.point_at(at, line)
        if is_on_handle:
            self.viewport().setCursor(Qt.CursorShape.CrossCursor)
        elif self.viewport().cursor().shape() == Qt.CursorShape.CrossCursor:
            self.viewport().unsetCursor()
        link = None if found is not None else self._link_at(at.toPoint())
        self.diagram_scene.point_at(link)

    def _tip(self, at: QPoint) -> str:
        """What the marks of a line mean, or what a link connects and its rule."""
        beyond = self.diagram_scene.beyond_at(self.mapToScene(at), self.zoom)
        if beyond is not None:
            return beyond_text(self.diagram_scene.diagram_style.beyond[beyond])
        if self._handles.source_at(QPointF(at)) is not None:
            return tr("Drag to a table to link to it")
        found = self.diagram_scene.line_at(self.mapToScene(at))
        if found is not None:
            marks = " · ".join(mark_text(mark) for mark in found[1].marks)
            style, ref = self.diagram_scene.diagram_style, found[1].ref
            # Closer, all names are painted as a whole.
            name = " · ".join(filter(None, (found[1].name, found[1].type))) if self.zoom < ROWS else ""
            return "\n".join(filter(None, (name, marks, style.note(ref), style.use_note(ref))))
        edge = self._link_at(at)
        if edge is None:
            return ""
        if not edge.has_source_sign or not edge.has_target_sign:
            ends = [self.diagram_scene.tables[key].box.name for key in (edge.source, edge.target)]
            return group_link_text(edge, *ends)
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

    def _ref_at(self, point: QPointF) -> tuple[ElementRef, Edge | None]:
        """The element at a point of the scene, and the link at that point."""
        found = self.diagram_scene.line_at(point)
        if found is not None:
            return found[1].ref, None
        edge = self.diagram_scene.link_at(point, _LINK_REACH / self.zoom)
        return (self.diagram_scene.removed_at(point) or DOCUMENT, None) if edge is None else (edge.ref, edge)

    def _selected_for_menu(self) -> tuple[ElementRef, QPoint]:
        """The selection and the position for its menu; DOCUMENT if the selection is not in the diagram."""
        ref, port = self.diagram_scene.diagram_style.selection, self.viewport()
        self.choose(ref, reveal=True)
        rect = self.line_rect(ref)
        if rect is None:
            return DOCUMENT, port.mapToGlobal(port.rect().center())
        at = rect.toRect().intersected(port.rect()).bottomLeft()
        return ref, port.mapToGlobal(at)
