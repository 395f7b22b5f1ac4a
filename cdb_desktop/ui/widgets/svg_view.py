"""A view of one SVG picture that can be moved and zoomed."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QWheelEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtSvgWidgets import QGraphicsSvgItem
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView, QWidget

_STEP = 1.25
_SMALLEST, _LARGEST = 0.05, 8.0
_BORDER = 24.0


class SvgView(QGraphicsView):
    """Ctrl and wheel zoom, dragging moves.

    Signals: ``zoom_changed`` with the factor.
    """

    zoom_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Files are dropped on the window; a scene would accept them and do nothing.
        for widget in (self, self.viewport()):
            widget.setAcceptDrops(False)
        self.setScene(QGraphicsScene(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
        self._renderer: QSvgRenderer | None = None
        self.source = b""  # the SVG, empty before there is one

    @property
    def has_picture(self) -> bool:
        """Whether there is a picture."""
        return self._renderer is not None

    @property
    def zoom(self) -> float:
        """Pixels for each unit of the picture."""
        return self.transform().m11()

    def show_picture(self, svg: bytes) -> bool:
        """Replaces the picture; returns False and changes nothing if ``svg`` is not valid."""
        renderer = QSvgRenderer(QByteArray(svg))
        if not renderer.isValid():
            return False
        first = not self.has_picture
        scene = self.scene()
        scene.clear()
        item = QGraphicsSvgItem()
        item.setSharedRenderer(renderer)
        # A cached bitmap would be blurred by every zoom.
        item.setCacheMode(QGraphicsSvgItem.CacheMode.NoCache)
        scene.addItem(item)
        bounds = item.boundingRect()
        scene.setSceneRect(bounds.adjusted(-_BORDER, -_BORDER, _BORDER, _BORDER))
        self._renderer, self.source = renderer, svg
        if first:
            self.fit()
        return True

    def fit(self) -> None:
        """Shows the whole picture, at most at its own size."""
        self.fitInView(self.sceneRect(), Qt.AspectRatioMode.KeepAspectRatio)
        if self.zoom > 1:
            self.resetTransform()
        self.zoom_changed.emit(self.zoom)

    def zoom_in(self) -> None:
        """Zooms in by a step."""
        self._zoom_by(_STEP)

    def zoom_out(self) -> None:
        """Zooms out by a step."""
        self._zoom_by(1 / _STEP)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Zooms with Ctrl, else scrolls."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom_by(_STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:  # noqa: N802
        """Paints a white sheet below the picture, whose texts are dark in every theme."""
        super().drawBackground(painter, rect)
        if not self.has_picture:
            return
        sheet = self.sceneRect()
        path = QPainterPath()
        path.addRoundedRect(sheet, 6, 6)
        painter.fillPath(path, QColor(Qt.GlobalColor.white))

    def _zoom_by(self, factor: float) -> None:
        target = min(max(self.zoom * factor, _SMALLEST), _LARGEST)
        self.scale(target / self.zoom, target / self.zoom)
        self.zoom_changed.emit(self.zoom)
