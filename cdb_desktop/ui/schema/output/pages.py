"""Divides a picture among sheets of paper, and paints the sheets with marks for putting them together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QLineF, QMarginsF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.schema.output.picture import NO_LISTENER, DiagramPicture, PaintListener, Steps, saved
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION

MILLIMETERS_PER_INCH = 25.4
_MARGIN, _FOOT = 10.0, 7.0  # millimeters; printers cannot print up to the edge of the paper
_OVERLAP = 10.0  # millimeters that neighbors have in common, to be glued
_MARK, _GAP = 5.0, 1.5  # length of the marks, and from the drawing to them
_HAIRLINE = 0.15  # millimeters
_LARGEST = 1.5  # of a diagram that is fitted to a page
_GRID_WIDTH = 0.4
_NUMBER = 2.4  # size of the numbers in the overview


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: the part of the picture on it, and its place from 0, 0 at the upper left."""

    number: int
    part: QRectF
    row: int
    column: int


class PagePlan:
    """The sheets for a picture. Lengths are millimeters, parts are in units of the picture."""

    def __init__(self, bounds: QRectF, paper: QSizeF, dots: float, scale: float | None = None) -> None:
        """``dots``: units per inch at 100 %. ``scale``: 1 is 100 %, None fits all to one sheet."""
        self.paper = paper
        inner = paper.shrunkBy(QMarginsF(_MARGIN, _MARGIN, _MARGIN, _MARGIN + _FOOT))
        self.room = QRectF(QPointF(_MARGIN, _MARGIN), inner)
        unit = MILLIMETERS_PER_INCH / dots
        if scale is None:
            across, down = inner.width() / bounds.width(), inner.height() / bounds.height()
            self.zoom = min(across, down, _LARGEST * unit)
            self.columns = self.rows = 1
        else:
            self.zoom = scale * unit
            self.columns = _needed(bounds.width() * self.zoom, inner.width())
            self.rows = _needed(bounds.height() * self.zoom, inner.height())
        self.bounds = bounds
        self.sheets = tuple(self._sheets())
        self.scale = self.zoom / unit

    @property
    def is_divided(self) -> bool:
        """Whether there is more than one sheet; then the first page is an overview of all."""
        return len(self.sheets) > 1

    @property
    def page_count(self) -> int:
        """The number of pages with the overview."""
        return len(self.sheets) + self.is_divided

    def _sheets(self) -> Iterator[Sheet]:
        size = self.room.size() / self.zoom
        overlap = _OVERLAP / self.zoom
        # The picture is in the middle of all sheets.
        width = self.columns * size.width() - (self.columns - 1) * overlap
        height = self.rows * size.height() - (self.rows - 1) * overlap
        start = self.bounds.center() - QPointF(width / 2, height / 2)
        for row in range(self.rows):
            for column in range(self.columns):
                corner = start + QPointF(column * (size.width() - overlap), row * (size.height() - overlap))
                number = 1 + row * self.columns + column
                yield Sheet(number, QRectF(corner, size), row, column)


class SheetPainter:
    """Paints the pages of a plan on a device with a resolution of its own."""

    def __init__(
        self,
        plan: PagePlan,
        picture: DiagramPicture,
        dots: float,
        font: QFont,
        listener: PaintListener = NO_LISTENER,
    ) -> None:
        """``dots`` per inch are those of the device; the picture's fonts are made for it (`PaperFonts`).

        ``font`` is that of page numbers. The ``listener`` is called for each page.
        """
        self._plan = plan
        self._picture = picture
        self._font = font
        self._listener = listener
        self._dot = dots / MILLIMETERS_PER_INCH

    @property
    def page_count(self) -> int:
        """The number of pages with the overview."""
        return self._plan.page_count

    def page(self, painter: QPainter, number: int) -> Steps:
        """Paints a page step by step; if the plan is divided, page 0 is the overview."""
        plan = self._plan
        if plan.is_divided and number == 0:
            yield from self._overview(painter)
            return
        sheet = plan.sheets[number - plan.is_divided]
        yield from self._part(painter, sheet.part, plan.room)
        self._marks(painter, sheet)
        text = tr("Page {number} of {count}", number=sheet.number, count=len(plan.sheets))
        if plan.is_divided:
            place = tr("row {row}, column {column}", row=sheet.row + 1, column=sheet.column + 1)
            text = f"{text} · {place}"
        self._foot(painter, text if plan.is_divided else "")

    def _part(self, painter: QPainter, part: QRectF, room: QRectF) -> Steps:
        """Paints a part of the picture into a rectangle of the page.

        The scale is that of the view, not of the items, which would paint fewer details otherwise.
        """
        target = self._device(room)
        with saved(painter):
            painter.setClipRect(target)
            painter.setWindow(part.toRect())
            painter.setViewport(target.toRect())
            painter.fillRect(part.toAlignedRect(), QColor(self._picture.tokens.ground))
            yield from self._picture.steps(painter, part, self._listener)

    def _overview(self, painter: QPainter) -> Steps:
        plan, picture = self._plan, self._picture
        whole = QRectF(plan.sheets[0].part.topLeft(), plan.sheets[-1].part.bottomRight())
        zoom = min(plan.room.width() / whole.width(), plan.room.height() / whole.height())
        room = QRectF(QPointF(), whole.size() * zoom)
        room.moveCenter(plan.room.center())
        yield from self._part(painter, whole, room)
        painter.save()
        accent = QColor(picture.tokens.accent)
        painter.setFont(scaled(self._font, _NUMBER, QFont.Weight.Bold))
        for sheet in plan.sheets:
            part = QRectF(
                room.topLeft() + (sheet.part.topLeft() - whole.topLeft()) * zoom, sheet.part.size() * zoom
            )
            rect = self._device(part)
            painter.setPen(self._pen(picture.tokens.accent, _GRID_WIDTH))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect)
            painter.setPen(accent)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, str(sheet.number))
        painter.restore()
        text = tr(
            "Overview: {count} pages, {columns} across and {rows} down",
            count=len(plan.sheets),
            columns=plan.columns,
            rows=plan.rows,
        )
        self._foot(painter, text)

    def _marks(self, painter: QPainter, sheet: Sheet) -> None:
        """Paints where to cut, and dashed where the neighbor begins."""
        plan = self._plan
        if not plan.is_divided:
            return
        room = plan.room
        left, right, top, bottom = room.left(), room.right(), room.top(), room.bottom()
        cuts = [
            line
            for x in (left, right)
            for line in (
                QLineF(x, top - _GAP - _MARK, x, top - _GAP),
                QLineF(x, bottom + _GAP, x, bottom + _GAP + _MARK),
            )
        ]
        cuts += [
            line
            for y in (top, bottom)
            for line in (
                QLineF(left - _GAP - _MARK, y, left - _GAP, y),
                QLineF(right + _GAP, y, right + _GAP + _MARK, y),
            )
        ]
        begins = []
        if sheet.column < plan.columns - 1:
            begins.append(QLineF(right - _OVERLAP, top, right - _OVERLAP, bottom))
        if sheet.row < plan.rows - 1:
            begins.append(QLineF(left, bottom - _OVERLAP, right, bottom - _OVERLAP))
        pen = self._pen(self._picture.tokens.muted, _HAIRLINE)
        painter.setPen(pen)
        painter.drawLines([self._line(line) for line in cuts])
        pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawLines([self._line(line) for line in begins])

    def _foot(self, painter: QPainter, text: str) -> None:
        heading = self._picture.heading
        room = self._plan.room
        line = self._device(
            QRectF(room.left() + _MARK, room.bottom() + _GAP, room.width() - 2 * _MARK, _FOOT - _GAP)
        )
        painter.setFont(scaled(self._font, CAPTION))
        painter.setPen(QColor(self._picture.tokens.muted))
        if heading is not None and text:
            painter.drawText(
                line,
                Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
                f"{heading.title} · {heading.details}",
            )
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _device(self, rect: QRectF) -> QRectF:
        """A rectangle of the page in dots."""
        return QRectF(rect.topLeft() * self._dot, rect.size() * self._dot)

    def _line(self, line: QLineF) -> QLineF:
        return QLineF(line.p1() * self._dot, line.p2() * self._dot)

    def _pen(self, color: str, millimeters: float) -> QPen:
        return QPen(QColor(color), millimeters * self._dot)


def _needed(length: float, room: float) -> int:
    """How many sheets with overlaps are as long as ``length``."""
    return max(ceil((length - _OVERLAP) / (room - _OVERLAP) - 1e-6), 1)
