"""Writes the diagram that is seen to a file: DOT and SVG by Graphviz, PDF and PNG as the screen paints it.

Box by box, so that the window goes on. While the service's own drawing is seen, that is what is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import sqrt
from pathlib import Path

from PySide6.QtCore import QBuffer, QMarginsF, QObject, QRectF
from PySide6.QtGui import QColor, QImage, QPageSize, QPaintDevice, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.schema.diagram.dot_export import diagram_dot
from cdb_desktop.schema.diagram.graphviz_process import GraphvizError, find_graphviz
from cdb_desktop.schema.document.element_ref import DOCUMENT
from cdb_desktop.ui.schema.aside import Aside
from cdb_desktop.ui.schema.diagram_scene import DiagramScene
from cdb_desktop.ui.schema.drawing_hand import hand_of
from cdb_desktop.ui.schema.file_dialog import ask_target, file_name
from cdb_desktop.ui.schema.file_words import unwritten
from cdb_desktop.ui.schema.ghost_item import GhostItem
from cdb_desktop.ui.schema.link_item import LinkItem
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.schema.store import Store
from cdb_desktop.ui.schema.table_item import TableItem
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks

Draw = Callable[[], Awaitable[bytes]]

_EXPORT = "schema.export"
_SHARP = 2.0  # pixels for each unit of the diagram
_MOST_PIXELS = 48_000_000
_AT_ONCE = 20  # items between two turns of the loop
_POINTS = 72  # for each inch
_PATIENCE = 60.0  # seconds for Graphviz; who waits can cancel


class DrawingExport(QObject):
    """Asks for a file and draws to it."""

    def __init__(self, store: Store, view: SchemaView, tasks: Tasks, aside: Aside) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._tasks = tasks
        self._aside = aside

    def ask(self) -> None:
        """Asks where to."""
        page = self._store.page
        if page is None:
            return
        if self._view.drawing.shows_svg:
            self._ask_for_picture(page)
            return
        kinds = {
            self.tr("Scalable drawing (*.svg)"): ".svg",
            self.tr("Source for Graphviz (*.dot)"): ".dot",
            self.tr("Document (*.pdf)"): ".pdf",
            self.tr("Picture (*.png)"): ".png",
        }
        title = self.tr("Export the diagram")
        ask_target(self._view, title, file_name(page), kinds, self.write).setObjectName(
            "schema.export.dialog"
        )

    def write(self, path: Path) -> None:
        """Draws to a file, in the form that its ending names."""
        self._start(path, partial(self._drawn, path.suffix.lower()))

    def _ask_for_picture(self, page: Page) -> None:
        """The service draws in one form alone; another version's may come while the dialog is open."""
        svg = self._view.drawing.svg.source
        if not svg:
            text = self.tr("The service's drawing is not here yet.")
            self._view.offer.show_offer("warning", text)
            return
        title, kinds = self.tr("Export the service's drawing"), {self.tr("Scalable drawing (*.svg)"): ".svg"}
        dialog = ask_target(
            self._view,
            title,
            file_name(page),
            kinds,
            lambda path: self._start(path, partial(_as_it_came, svg)),
        )
        dialog.setObjectName("schema.export.dialog")

    def _start(self, path: Path, draw: Draw) -> None:
        work = self._write(path, draw)
        self._tasks.start(
            _EXPORT, work, title=self._title(), on_error=lambda error: self._failed(path, error)
        )

    async def _write(self, path: Path, draw: Draw) -> None:
        content = await draw()
        await self._aside.run(partial(write_whole, path, content, private=False))
        text = self.tr("The diagram is in %1.").replace("%1", str(path))
        self._view.offer.show_offer("accent", text)

    async def _drawn(self, ending: str) -> bytes:
        if ending == ".dot":
            return (await self._source()).encode()
        if ending == ".svg":
            with suppress(GraphvizError):
                return await find_graphviz().run(("-Tsvg",), await self._source(), _PATIENCE)
        return await self._painted(ending)

    async def _source(self) -> str:
        drawing = self._view.diagram.drawing
        return await self._aside.run(diagram_dot, drawing.diagram, hand_of(drawing.look))

    async def _painted(self, ending: str) -> bytes:
        """As the screen paints it; so is an SVG where there is no Graphviz."""
        bounds = self._view.diagram.drawing.bounds
        if ending == ".png":
            image = _image(bounds)
            await self._paint(image, bounds, image.width() / bounds.width())
            return await self._aside.run(_png, image)
        buffer = QBuffer()
        buffer.open(QBuffer.OpenModeFlag.WriteOnly)
        device = _document if ending == ".pdf" else _drawing
        # Boxes were measured with the screen's dots for each inch: texts have to be as large here.
        await self._paint(device(buffer, bounds, self._view.logicalDpiX()), bounds, 1.0)
        return bytes(buffer.data().data())

    async def _paint(self, device: QPaintDevice, bounds: QRectF, scale: float) -> None:
        scene = self._view.diagram.drawing
        items = _items(scene)
        with QPainter(device) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.scale(scale, scale)
            painter.translate(-bounds.topLeft())
            painter.fillRect(bounds, QColor(scene.look.tokens.ground))
            for number, item in enumerate(items):
                _paint_item(painter, item)
                if number % _AT_ONCE == _AT_ONCE - 1:
                    self._tasks.show_progress(_EXPORT, self._title(), number / len(items))
                    await asyncio.sleep(0)

    def _title(self) -> str:
        return self.tr("Exporting the diagram")

    def _failed(self, path: Path, error: Exception) -> None:
        self._view.offer.show_fault(unwritten(path, error))


async def _as_it_came(svg: bytes) -> bytes:
    return svg


def _image(bounds: QRectF) -> QImage:
    """As sharp as memory allows: a large model would be gigabytes at full size."""
    most = sqrt(_MOST_PIXELS / (bounds.width() * bounds.height()))
    return QImage((bounds.size() * min(_SHARP, most)).toSize(), QImage.Format.Format_RGB32)


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs want bytes, the library a text
    return bytes(buffer.data().data())


def _drawing(target: QBuffer, bounds: QRectF, dots: int) -> QPaintDevice:
    generator = QSvgGenerator()
    generator.setResolution(dots)
    generator.setOutputDevice(target)
    generator.setSize(bounds.size().toSize())
    generator.setViewBox(QRectF(0, 0, bounds.width(), bounds.height()))
    return generator


def _document(target: QBuffer, bounds: QRectF, dots: int) -> QPaintDevice:
    writer = QPdfWriter(target)
    writer.setResolution(dots)
    writer.setPageSize(QPageSize(bounds.size() * _POINTS / dots, QPageSize.Unit.Point))
    writer.setPageMargins(QMarginsF())
    return writer


def _items(scene: DiagramScene) -> list[QGraphicsItem]:
    """Items of its own from below to above, of which none is selected: that is of the moment."""
    look, diagram = replace(scene.look, selection=DOCUMENT), scene.diagram
    items: list[QGraphicsItem] = [LinkItem(link, look) for link in diagram.links]
    items += [GhostItem(box, look) for box in diagram.ghosts]
    items += [TableItem(box, look) for box in diagram.boxes]
    return sorted(items, key=QGraphicsItem.zValue)


def _paint_item(painter: QPainter, item: QGraphicsItem) -> None:
    painter.save()
    painter.setTransform(item.sceneTransform(), combine=True)
    option = QStyleOptionGraphicsItem()
    option.exposedRect = item.boundingRect()
    item.paint(painter, option, None)
    painter.restore()
