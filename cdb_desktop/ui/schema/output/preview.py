"""Shows how the output will look: boxes and links in their colors, and the pages."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.schema.diagram.style import mixed, solid_head_color
from cdb_desktop.ui.schema.output.pages import PagePlan
from cdb_desktop.ui.schema.output.picture import DiagramPicture
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP

_SMALL, _FAINT = 0.1, 0.45  # the zoom at which lines would be darker than boxes, and their strength then
_MOST_NUMBERS = 40  # pages that have a number in the preview


class OutputPreview(QWidget):
    """A small picture of the output."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.output.preview")
        self._appearance = appearance
        self._picture: DiagramPicture | None = None
        self._plan: PagePlan | None = None
        self._lines = QPainterPath()
        self.setMinimumSize(320, 280)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(440, 320)

    def show_picture(self, picture: DiagramPicture, plan: PagePlan | None) -> None:
        """Shows a picture, and the pages that it is divided among."""
        self._picture, self._plan = picture, plan
        self._lines = QPainterPath()
        for link in picture.diagram.links:
            first, *rest = link.path
            self._lines.moveTo(*first)
            for point in rest:
                self._lines.lineTo(*point)
        pages = 1 if plan is None else plan.page_count
        text = tr("Preview: {pages:one page|{pages} pages}", pages=pages)
        self.setAccessibleName(text)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        picture, tokens = self._picture, self._appearance.tokens
        if picture is None:
            return
        whole = self._whole(picture)
        room = QRectF(self.rect()).adjusted(GAP, GAP, -GAP, -GAP)
        zoom = min(room.width() / whole.width(), room.height() / whole.height())
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.raised))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(room.center())
            painter.scale(zoom, zoom)
            painter.translate(-whole.center())
            painter.fillRect(whole, QColor(picture.tokens.ground))
            painter.setClipRect(whole)
            self._paint_diagram(painter, picture, _FAINT if zoom < _SMALL else 1.0)
            painter.setClipping(False)
            self._paint_pages(painter)
            painter.setPen(_pen(tokens.edge))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(whole)

    def _whole(self, picture: DiagramPicture) -> QRectF:
        """The picture, or the pages that it is on."""
        plan = self._plan
        if plan is None:
            return picture.bounds
        if plan.is_divided:
            return QRectF(plan.sheets[0].part.topLeft(), plan.sheets[-1].part.bottomRight())
        paper = QRectF(QPointF(), QSizeF(plan.paper) / plan.zoom)
        paper.moveCenter(picture.bounds.center())
        return paper

    def _paint_diagram(self, painter: QPainter, picture: DiagramPicture, strength: float) -> None:
        tokens = picture.tokens
        color = mixed(QColor(tokens.handle), QColor(tokens.ground), strength)
        painter.save()
        painter.setClipRect(picture.area, Qt.ClipOperation.IntersectClip)
        picture.paint_regions(painter)
        painter.setPen(_pen(color.name()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._lines)
        for box in picture.diagram.boxes:
            painter.setBrush(QColor(tokens.ground))
            painter.drawRect(QRectF(box.x, box.y, box.width, box.height))
            painter.fillRect(
                QRectF(box.x, box.y, box.width, box.head_height), solid_head_color(picture.style, box.table)
            )
        picture.paint_labels(painter)
        painter.restore()
        picture.paint_frame(painter)

    def _paint_pages(self, painter: QPainter) -> None:
        plan = self._plan
        if plan is None or not plan.is_divided:
            return
        accent = self._appearance.tokens.accent
        for sheet in plan.sheets:
            painter.setPen(_pen(accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(sheet.part)
        if len(plan.sheets) > _MOST_NUMBERS:
            return
        transform = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        for sheet in plan.sheets:
            painter.setPen(QColor(accent))
            rect = transform.mapRect(sheet.part)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, str(sheet.number))
        painter.restore()


def _pen(color: str) -> QPen:
    pen = QPen(QColor(color), 1.0)
    pen.setCosmetic(True)
    return pen
