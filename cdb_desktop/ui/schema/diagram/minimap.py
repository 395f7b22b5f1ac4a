"""The minimap: the whole diagram in a corner, with a frame around what is visible."""

from __future__ import annotations

from collections import defaultdict

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt, QTimer
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.ui.schema.diagram.style import group_color, mixed, solid_head_color, translucent
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, TIGHT

_LARGEST = QSizeF(200, 140)
_SMALLEST = QSizeF(72, 48)
_SHARE = 0.4  # of the width and height of the panel
_DELAY = 80  # milliseconds after the last change of the diagram
_STATE = 0.5  # of the color of a change or problem, in boxes
_LEAST_BOX = 2.0  # pixels
_HEAD = 0.6  # of the color of a head, in boxes
_REGION = 0.35  # opacity of the color of a group
_LEAST_FRAME = QSizeF(14, 10)
_STEP = 0.25  # of the visible part, with an arrow key
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class Minimap(QWidget):
    """Shows all boxes, and moves the visible part with pointer or arrow keys. Hidden if all is visible."""

    def __init__(self, appearance: Appearance, view: DiagramView, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.minimap")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._appearance = appearance
        self._view = view
        self._is_wanted = False
        self._room, self._covered = QRect(), QRect()
        self._bounds = QRectF()
        self._picture = QPixmap()
        self._grip: QPointF | None = None
        self._rebuild = QTimer(self, singleShot=True, interval=_DELAY)
        self._rebuild.timeout.connect(self._build)
        view.diagram_scene.content_changed.connect(self._schedule)
        view.zoom_changed.connect(self._follow)
        view.resized.connect(self._follow)
        for bar in (view.horizontalScrollBar(), view.verticalScrollBar()):
            bar.valueChanged.connect(self._follow)
        self.setAccessibleName(tr("Minimap of the diagram"))
        self.setToolTip(tr("Drag the frame, or click, to move the visible part"))
        self.hide()

    def set_wanted(self, *, is_wanted: bool) -> None:
        """Whether the user wants to see it."""
        self._is_wanted = is_wanted
        self._build()

    def place(self, room: QRect, covered: QRect) -> None:
        """Moves it to the lower right corner of ``room``, above ``covered`` if that is in its way."""
        if (room, covered) == (self._room, self._covered):
            return
        self._room, self._covered = room, covered
        before = self.size()
        # A bar that opens moves the minimap, but does not change what it shows.
        if self._picture.isNull() or not self._take_place() or self.size() != before:
            self._build()
        else:
            self._follow()

    @property
    def frame(self) -> QRectF:
        """The frame around the visible part, in pixels of the minimap; large enough to be taken."""
        visible = self._visible.intersected(self._bounds)
        corner = (visible.topLeft() - self._bounds.topLeft()) * self._scale
        rect = QRectF(corner, visible.size() * self._scale).translated(TIGHT, TIGHT)
        middle, size = rect.center(), rect.size().expandedTo(_LEAST_FRAME)
        rect.setSize(size)
        rect.moveCenter(middle)
        return rect

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position()
        self._grip = self._visible.center() - self._scene_point(at)
        if not self.frame.contains(at):
            self._grip = QPointF()
            self._show(at)
        self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._grip is not None:
            self._show(event.position())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:  # noqa: N802
        self._grip = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._follow()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        step = _ARROWS.get(Qt.Key(event.key()))
        if step is None or event.modifiers() & Qt.KeyboardModifier.AltModifier:
            event.ignore()
            return
        visible = self._visible
        by = QPointF(step[0] * visible.width(), step[1] * visible.height()) * _STEP
        self._center_on(visible.center() + by)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, self._picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(tokens.accent), 1.5))
            painter.setBrush(translucent(QColor(tokens.accent), 0.12))
            painter.drawRoundedRect(self.frame.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
            painter.setPen(QPen(QColor(tokens.accent if self.hasFocus() else tokens.handle), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)

    @property
    def _visible(self) -> QRectF:
        """What is visible of the scene."""
        port = QRectF(self._view.viewport().rect())
        return self._view.viewportTransform().inverted()[0].mapRect(port)

    @property
    def _scale(self) -> float:
        """Pixels per unit of the scene."""
        if self._bounds.isEmpty():
            return 1.0
        across = (self.width() - 2 * TIGHT) / self._bounds.width()
        return float(min(across, (self.height() - 2 * TIGHT) / self._bounds.height()))

    def _scene_point(self, at: QPointF) -> QPointF:
        return (at - QPointF(TIGHT, TIGHT)) / self._scale + self._bounds.topLeft()

    def _show(self, at: QPointF) -> None:
        self._center_on(self._scene_point(at) + (self._grip or QPointF()))

    def _center_on(self, point: QPointF) -> None:
        bounds = self._bounds
        x = min(max(point.x(), bounds.left()), bounds.right())
        self._view.centerOn(x, min(max(point.y(), bounds.top()), bounds.bottom()))

    def _schedule(self) -> None:
        self._rebuild.start()

    def _follow(self) -> None:
        """Shows another visible part; hides itself if everything is visible."""
        if self._rebuild.isActive():
            return
        is_useful = self._is_wanted and not self._picture.isNull()
        is_useful = is_useful and (self._grip is not None or not self._visible.contains(self._bounds))
        self.setVisible(is_useful)
        if is_useful:
            self.update()

    def _build(self) -> None:
        """Paints all boxes again, and takes its place."""
        self._rebuild.stop()
        diagram = self._view.diagram_scene.diagram
        rects = [QRectF(box.x, box.y, box.width, box.height) for box in (*diagram.boxes, *diagram.ghosts)]
        self._picture = QPixmap()
        if self._is_wanted and rects:
            left, top = min(rect.left() for rect in rects), min(rect.top() for rect in rects)
            right, bottom = max(rect.right() for rect in rects), max(rect.bottom() for rect in rects)
            self._bounds = QRectF(QPointF(left, top), QPointF(right, bottom))
            if self._take_place():
                self._paint_boxes()
        self._follow()

    def _take_place(self) -> bool:
        """Moves and resizes itself; returns whether there is enough space."""
        room = self._room.adjusted(GAP, GAP, -GAP, -GAP)
        most = _LARGEST.boundedTo(QSizeF(room.width() * _SHARE, room.height() * _SHARE))
        inner = QSizeF(most.width() - 2 * TIGHT, most.height() - 2 * TIGHT)
        fitting = self._bounds.size().scaled(inner, Qt.AspectRatioMode.KeepAspectRatio)
        size = (
            QSizeF(fitting.width() + 2 * TIGHT, fitting.height() + 2 * TIGHT).expandedTo(_SMALLEST).toSize()
        )
        rect = QRect(room.right() - size.width(), room.bottom() - size.height(), size.width(), size.height())
        if rect.adjusted(-GAP, 0, 0, 0).intersects(self._covered):
            rect.moveBottom(self._covered.top() - GAP)
        if not room.contains(rect):
            return False
        self.setGeometry(rect)
        return True

    def _scaled(self, rect: QRectF) -> QRectF:
        """A rectangle of the scene, in pixels of the minimap."""
        corner = (rect.topLeft() - self._bounds.topLeft()) * self._scale + QPointF(TIGHT, TIGHT)
        return QRectF(corner, rect.size() * self._scale)

    def _paint_boxes(self) -> None:
        scene, tokens, ratio = self._view.diagram_scene, self._appearance.tokens, self.devicePixelRatioF()
        style = scene.diagram_style
        self._picture = QPixmap(self.size() * ratio)
        self._picture.setDevicePixelRatio(ratio)
        self._picture.fill(Qt.GlobalColor.transparent)
        found: dict[str, list[QRectF]] = defaultdict(list)
        hits = scene.hit_tables
        selected = scene.item_of(style.selection)
        chosen = None if selected is None else selected.box.table
        of_kind: dict[object, str] = {}
        scale, left, top = self._scale, self._bounds.left(), self._bounds.top()
        for box in scene.diagram.boxes:
            state = style.state_color(TableRef(box.table))
            if box.table == chosen:
                color = tokens.accent
            elif box.table in hits:
                color = tokens.mark
            elif state is not None:
                color = mixed(state, QColor(tokens.ground), _STATE).name()
            elif group_of_box(box.table) is not None:
                color = solid_head_color(style, box.table).name()
            else:
                kind = style.kinds.get(box.table)
                if kind not in of_kind:
                    of_kind[kind] = mixed(
                        solid_head_color(style, box.table), QColor(tokens.handle), _HEAD
                    ).name()
                color = of_kind[kind]
            width, height = max(box.width * scale, _LEAST_BOX), max(box.height * scale, _LEAST_BOX)
            x, y = (box.x - left) * scale + TIGHT, (box.y - top) * scale + TIGHT
            found[color].append(QRectF(x, y, width, height))
        with QPainter(self._picture) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.raised))
            painter.drawRoundedRect(QRectF(self.rect()), 5, 5)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            for key, region in scene.regions.regions.items():
                group = style.groups.by_key.get(key)
                if group is not None:
                    painter.setBrush(translucent(group_color(group.color, tokens), _REGION))
                    corner = QPointF(region.left, region.top)
                    rect = QRectF(corner, QPointF(region.right, region.bottom))
                    painter.drawRect(self._scaled(rect))
            for color, rects in found.items():
                painter.setBrush(QColor(color))
                painter.drawRects(rects)
