"""Exports the diagram to a file: DOT and SVG by Graphviz, PDF and PNG as it is painted on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

from PySide6.QtCore import QBuffer, QMarginsF, QObject, QRectF
from PySide6.QtGui import QColor, QFontInfo, QImage, QPageSize, QPaintDevice, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.dot_export import DotStyle, diagram_dot
from cdb_desktop.schema.diagram.graphviz_process import GraphvizError, find_graphviz
from cdb_desktop.schema.diagram.model import Role
from cdb_desktop.schema.document.element_ref import DOCUMENT
from cdb_desktop.ui.schema.diagram.link_item import LinkItem
from cdb_desktop.ui.schema.diagram.scene import DiagramScene
from cdb_desktop.ui.schema.diagram.style import DiagramStyle, solid_head_color
from cdb_desktop.ui.schema.diagram.table_item import RemovedTableItem, TableItem
from cdb_desktop.ui.schema.files.dialog import ask_save_path, suggested_file_name
from cdb_desktop.ui.schema.files.messages import write_failure
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks

_EXPORT = "schema.export"
_PNG_SCALE = 2.0  # pixels per unit of the diagram
_MOST_PIXELS = 48_000_000
_ITEMS_AT_ONCE = 20  # painted before the event loop runs
_POINTS_PER_INCH = 72
_GRAPHVIZ_TIMEOUT = 60.0  # seconds; the user can cancel before


class DiagramExportController(QObject):
    """Asks for a file and exports the diagram, or the service's SVG if that is shown."""

    def __init__(self, store: PageStore, view: SchemaView, tasks: Tasks) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._tasks = tasks

    def ask(self) -> None:
        """Opens the dialog that asks for the file."""
        page = self._store.page
        if page is None:
            return
        if self._view.diagram_panel.shows_svg:
            self._ask_for_svg(page)
            return
        suffixes = {
            tr("Scalable drawing (*.svg)"): ".svg",
            tr("Source for Graphviz (*.dot)"): ".dot",
            tr("Document (*.pdf)"): ".pdf",
            tr("Picture (*.png)"): ".png",
        }
        title = tr("Export the diagram")
        ask_save_path(self._view, title, suggested_file_name(page), suffixes, self.write).setObjectName(
            "schema.export.dialog"
        )

    def write(self, path: Path) -> None:
        """Exports the diagram in the format of the file's suffix."""
        self._start(path, self._export(path))

    def _ask_for_svg(self, page: PageState) -> None:
        """Exports the SVG that is shown now, even if another one arrives while the dialog is open."""
        svg = self._view.diagram_panel.svg.source
        if not svg:
            text = tr("The service's drawing is not here yet.")
            self._view.notice.show_text("warning", text)
            return
        title, suffixes = tr("Export the service's drawing"), {tr("Scalable drawing (*.svg)"): ".svg"}
        dialog = ask_save_path(
            self._view,
            title,
            suggested_file_name(page),
            suffixes,
            lambda path: self._start(path, self._write(path, svg)),
        )
        dialog.setObjectName("schema.export.dialog")

    def _start(self, path: Path, work: Coroutine[Any, Any, None]) -> None:
        def show_error(error: Exception) -> None:
            self._view.notice.show_error(write_failure(path, error))

        self._tasks.start(_EXPORT, work, title=tr("Exporting the diagram"), on_error=show_error)

    async def _export(self, path: Path) -> None:
        await self._write(path, await self._content(path.suffix.lower()))

    async def _write(self, path: Path, content: bytes) -> None:
        await run_in_thread(write_whole, path, content, private=False)
        text = tr("The diagram is in {path}.", path=str(path))
        self._view.notice.show_text("accent", text)

    async def _content(self, suffix: str) -> bytes:
        if suffix == ".dot":
            return (await self._dot()).encode()
        if suffix == ".svg":
            with suppress(GraphvizError):
                return await find_graphviz().run(("-Tsvg",), await self._dot(), _GRAPHVIZ_TIMEOUT)
        return await self._painted(suffix)

    async def _dot(self) -> str:
        scene = self._view.diagram.diagram_scene
        return await run_in_thread(diagram_dot, scene.diagram, dot_style(scene.diagram_style))

    async def _painted(self, suffix: str) -> bytes:
        """The diagram as painted on the screen; SVG only without Graphviz."""
        bounds = self._view.diagram.diagram_scene.bounds
        if suffix == ".png":
            image = _image(bounds)
            await self._paint(image, bounds, image.width() / bounds.width())
            return await run_in_thread(_png, image)
        buffer = QBuffer()
        buffer.open(QBuffer.OpenModeFlag.WriteOnly)
        device = _document if suffix == ".pdf" else _drawing
        # Boxes were measured at the resolution of the screen, so texts need the same one here.
        await self._paint(device(buffer, bounds, self._view.logicalDpiX()), bounds, 1.0)
        return bytes(buffer.data().data())

    async def _paint(self, device: QPaintDevice, bounds: QRectF, scale: float) -> None:
        scene = self._view.diagram.diagram_scene
        items = _items(scene)
        with QPainter(device) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.scale(scale, scale)
            painter.translate(-bounds.topLeft())
            painter.fillRect(bounds, QColor(scene.diagram_style.tokens.ground))
            for number, item in enumerate(items):
                _paint_item(painter, item)
                if number % _ITEMS_AT_ONCE == _ITEMS_AT_ONCE - 1:
                    self._tasks.show_progress(_EXPORT, tr("Exporting the diagram"), number / len(items))
                    await asyncio.sleep(0)


def _image(bounds: QRectF) -> QImage:
    """An image for the diagram, smaller than full size if it would take too much memory."""
    most = sqrt(_MOST_PIXELS / (bounds.width() * bounds.height()))
    return QImage((bounds.size() * min(_PNG_SCALE, most)).toSize(), QImage.Format.Format_RGB32)


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs require bytes, the library a str
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
    writer.setPageSize(QPageSize(bounds.size() * _POINTS_PER_INCH / dots, QPageSize.Unit.Point))
    writer.setPageMargins(QMarginsF())
    return writer


def _items(scene: DiagramScene) -> list[QGraphicsItem]:
    """New items in painting order, without the selection."""
    style, diagram = (
        replace(scene.diagram_style, selection=DOCUMENT, linked=frozenset(), visible=None),
        scene.diagram,
    )
    items: list[QGraphicsItem] = [LinkItem(link, style) for link in diagram.links]
    items += [RemovedTableItem(box, style) for box in diagram.ghosts]
    items += [TableItem(box, style) for box in diagram.boxes]
    return sorted(items, key=QGraphicsItem.zValue)


def _paint_item(painter: QPainter, item: QGraphicsItem) -> None:
    painter.save()
    painter.setTransform(item.sceneTransform(), combine=True)
    option = QStyleOptionGraphicsItem()
    option.exposedRect = item.boundingRect()
    item.paint(painter, option, None)
    painter.restore()


def dot_style(style: DiagramStyle) -> DotStyle:
    """The colors and fonts of the diagram in the current theme, for Graphviz."""
    tokens, fonts = style.tokens, {role: QFontInfo(style.fonts.font(role)) for role in Role}
    sizes = {role: float(font.pixelSize()) for role, font in fonts.items()}
    family = fonts[Role.NAME].family()
    heads = {table: solid_head_color(style, table).name() for table in style.kinds}
    return DotStyle(
        tokens.text, tokens.muted, tokens.edge, tokens.ground, tokens.raised, family, sizes, heads
    )
