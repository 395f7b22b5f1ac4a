"""Mouse and keys on labels of groups, on boxes of collapsed groups, and on the rows for hidden columns.

It sees the events of the diagram before the view does, and leaves all others to it.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip

from cdb_desktop.schema.diagram.groups import box_key, group_of_box
from cdb_desktop.schema.diagram.reduced_graph import is_hidden_columns
from cdb_desktop.schema.document.element_ref import DOCUMENT, TableRef
from cdb_desktop.ui.schema.diagram.gestures import Gesture
from cdb_desktop.ui.schema.diagram.style import KEYS
from cdb_desktop.ui.schema.diagram.table_item import BoxLine, TableItem
from cdb_desktop.ui.schema.diagram.view import SELECTING, DiagramView

_LEFT, _RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
_MARK = 19.0  # pixels at the left of a label that collapse the group with one click
_LINK_REACH = 5.0  # pixels beside a link that still belong to it
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class GroupPointer(QObject):
    """What is done to groups in the diagram.

    Signals: ``toggled`` with a group that is to be collapsed or expanded · ``moved`` with a group and the
    distance by which it was dragged · ``columns_requested`` with a table whose hidden columns are to be
    shown.
    """

    toggled = Signal(int)
    moved = Signal(int, float, float)
    columns_requested = Signal(object)

    def __init__(self, view: DiagramView) -> None:
        super().__init__(view)
        self._view = view
        self._scene = view.diagram_scene
        self._drag: tuple[int, Gesture] | None = None
        self._is_on_label = False
        self._is_unfolding = False
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def choose(self, group: int) -> None:
        """Selects a group, and nothing else."""
        self._view.chosen.emit(DOCUMENT)
        self._view.choose(TableRef(box_key(group)), reveal=False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Handles what concerns groups. Returns whether the event did."""
        if isinstance(event, QKeyEvent):
            return watched is self._view and event.type() == QEvent.Type.KeyPress and self._press_key(event)
        if isinstance(event, QContextMenuEvent):
            return self._open_menu(event)
        if isinstance(event, QHelpEvent):
            return event.type() == QEvent.Type.ToolTip and self._show_tip(event)
        if not isinstance(event, QMouseEvent) or watched is not self._view.viewport():
            return False
        handlers = {
            QEvent.Type.MouseButtonPress: self._press,
            QEvent.Type.MouseMove: self._move,
            QEvent.Type.MouseButtonRelease: self._release,
            QEvent.Type.MouseButtonDblClick: self._double_click,
        }
        handler = handlers.get(event.type())
        return handler is not None and handler(event)

    def _press(self, event: QMouseEvent) -> bool:
        if self._drag is not None:
            return True  # another button
        if event.button() != _LEFT:
            return event.button() == _RIGHT and self._label_at(event) is not None
        label = self._label_at(event)
        if label is not None:
            self._view.setFocus(Qt.FocusReason.MouseFocusReason)
            self.choose(label)
            self._drag = label, Gesture(self._view, self._scene, event.position())
            return True
        found = self._line_at(event)
        if found is not None and is_hidden_columns(found[1].ref) and self._box_at(event) is None:
            self._is_unfolding = True
            self.columns_requested.emit(found[0].box.table)
            return True
        self._is_unfolding = False
        return False

    def _move(self, event: QMouseEvent) -> bool:
        if self._drag is None:
            if not event.buttons():
                self._show_cursor(on=self._label_at(event) is not None)
            return False
        label, gesture = self._drag
        gesture.move(event.position(), event.modifiers())
        if gesture.is_drag:
            self._view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            self._scene.regions.show_drag((label, gesture.distance))
        return True

    def _release(self, event: QMouseEvent) -> bool:
        if self._drag is None:
            # A press on the box was the view's, which now has its click too.
            found = self._box_at(event)
            if found is not None and event.button() == _LEFT and not event.modifiers() & SELECTING:
                self._view.choose(TableRef(box_key(found)), reveal=False)
            return False
        if event.buttons() & _LEFT:
            return True  # another button was released
        (label, gesture), self._drag = self._drag, None
        self._view.viewport().unsetCursor()
        self._scene.regions.show_drag(None)
        if gesture.is_drag:
            self.moved.emit(label, gesture.distance.x(), gesture.distance.y())
        else:
            rect = self._scene.regions.label_rect(label, self._view.viewportTransform())
            if event.position().x() - rect.left() <= _MARK:
                self.toggled.emit(label)
        return True

    def _double_click(self, event: QMouseEvent) -> bool:
        if event.button() != _LEFT or self._is_unfolding:
            # The first click has shown the columns, of which one is here now.
            return self._is_unfolding
        label = self._label_at(event)
        if label is not None:
            # On the triangle the first click was enough.
            rect = self._scene.regions.label_rect(label, self._view.viewportTransform())
            if event.position().x() - rect.left() > _MARK:
                self.toggled.emit(label)
            return True
        found = self._box_at(event)
        if found is None:
            return False
        self.toggled.emit(found)
        return True

    def _open_menu(self, event: QContextMenuEvent) -> bool:
        if self._drag is not None or self._view.is_in_gesture:
            return True
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            group = self._view.chosen_group
            if group is None:
                return False
            self._request_menu(group, self._point_of(group))
            return True
        at, regions = QPointF(event.pos()), self._scene.regions
        point = self._view.mapToScene(event.pos())
        found = regions.label_at(at, self._view.viewportTransform())
        line = self._scene.line_at(point)
        if found is None and line is not None:
            found = group_of_box(line[0].box.table)
        elif found is None:
            # Far out links are nearly everywhere.
            found = self._group_of_link(point) if self._view.zoom >= KEYS else None
            if found is None and self._is_free(point):
                found = regions.region_at(point)
        if found is None:
            return False
        self.choose(found)
        self._request_menu(found, event.globalPos())
        return True

    def _request_menu(self, group: int, at: QPoint) -> None:
        self._view.menu_requested.emit(TableRef(box_key(group)), None, at)

    def _is_free(self, point: QPointF) -> bool:
        """Whether there is neither a removed table nor a link that can be told from others at a point."""
        is_far = self._view.zoom < KEYS
        edge = None if is_far else self._scene.link_at(point, _LINK_REACH / self._view.zoom)
        return edge is None and self._scene.removed_item_at(point) is None

    def _group_of_link(self, point: QPointF) -> int | None:
        """The group from which or to which several links lead at a point, that cannot be edited together."""
        edge = self._scene.link_at(point, _LINK_REACH / self._view.zoom)
        if edge is None or edge.count == 1:
            return None
        source, target = group_of_box(edge.source), group_of_box(edge.target)
        return target if source is None else source

    def _press_key(self, event: QKeyEvent) -> bool:
        group, key = self._view.chosen_group, Qt.Key(event.key())
        if key == Qt.Key.Key_Escape and self._drag is not None:
            self._drag = None
            self._view.viewport().unsetCursor()
            self._scene.regions.show_drag(None)
            return True
        found = self._scene.line_of(self._scene.diagram_style.selection)
        if group is None and key in _ENTER and found is not None and is_hidden_columns(found[1].ref):
            self.columns_requested.emit(found[0].box.table)
            return True
        if group is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        if key in _ENTER:
            self.toggled.emit(group)
        elif key == Qt.Key.Key_Escape:
            self._view.choose(DOCUMENT, reveal=False)
        else:
            return False
        return True

    def _show_tip(self, event: QHelpEvent) -> bool:
        """Shows the whole name of a group, and how many tables it has."""
        regions = self._scene.regions
        label = regions.label_at(QPointF(event.pos()), self._view.viewportTransform())
        if label is None:
            return False
        QToolTip.showText(event.globalPos(), regions.tip(label), self._view)
        return True

    def _label_at(self, event: QMouseEvent) -> int | None:
        return self._scene.regions.label_at(event.position(), self._view.viewportTransform())

    def _line_at(self, event: QMouseEvent) -> tuple[TableItem, BoxLine] | None:
        return self._scene.line_at(self._view.mapToScene(event.position().toPoint()))

    def _box_at(self, event: QMouseEvent) -> int | None:
        """The collapsed group whose box is at the pointer."""
        found = self._line_at(event)
        return None if found is None else group_of_box(found[0].box.table)

    def _point_of(self, group: int) -> QPoint:
        """A point of the screen in the label or the box of a group."""
        regions, port, box = (
            self._scene.regions,
            self._view.viewport(),
            self._scene.tables.get(box_key(group)),
        )
        if box is not None:
            rect = self._view.mapFromScene(box.sceneBoundingRect()).boundingRect()
        elif group in regions.regions:
            rect = regions.label_rect(group, self._view.viewportTransform()).toRect()
        else:
            rect = port.rect()
        return port.mapToGlobal(rect.intersected(port.rect()).bottomLeft())

    def _show_cursor(self, *, on: bool) -> None:
        if on:
            self._view.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        elif self._is_on_label:
            self._view.viewport().unsetCursor()
        self._is_on_label = on
