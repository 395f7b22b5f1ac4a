"""Selecting several boxes with a rubber band."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QApplication, QGraphicsView

from cdb_desktop.ui.schema.diagram.scene import DiagramScene
from cdb_desktop.ui.schema.diagram.style import translucent

_TINT = 0.12


class RubberBand:
    """Selects the boxes that a rectangle touches, ``found``; ``kept`` are selected before and stay so.

    It begins at a point of the scene, so that it stays there when the view is scrolled or zoomed.
    """

    def __init__(
        self, view: QGraphicsView, scene: DiagramScene, start: QPointF, kept: frozenset[int]
    ) -> None:
        self._view = view
        self._scene = scene
        self._begin = start
        self._start = view.mapToScene(start.toPoint())
        self._to = start
        self._kept = kept
        self._before = scene.chosen_boxes
        self.found = kept
        self.is_drag = False

    @property
    def start(self) -> QPointF:
        """The point of the scene at which it began."""
        return self._start

    def move(self, to: QPointF, _modifiers: Qt.KeyboardModifier) -> None:
        self._to = to
        far = (to - self._begin).manhattanLength() >= QApplication.startDragDistance()
        self.is_drag = self.is_drag or far
        if not self.is_drag:
            return
        rect = QRectF(self._start, self._view.mapToScene(to.toPoint())).normalized()
        touched = (
            key for key, item in self._scene.tables.items() if rect.intersects(item.sceneBoundingRect())
        )
        self.found = self._kept | frozenset(touched)
        self._scene.choose_boxes(self.found)
        self._view.viewport().update()

    def finish(self) -> None:
        self._view.viewport().update()

    def cancel(self) -> None:
        self._scene.choose_boxes(self._before)
        self._view.viewport().update()

    def paint(self, painter: QPainter) -> None:
        if not self.is_drag:
            return
        accent = QColor(self._scene.diagram_style.tokens.accent)
        painter.setPen(QPen(accent, 1.0, Qt.PenStyle.DashLine))
        painter.setBrush(translucent(accent, _TINT))
        start = self._view.mapFromScene(self._start)
        painter.drawRect(QRectF(QPointF(start), self._to).normalized())
