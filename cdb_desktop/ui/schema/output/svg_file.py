"""The picture as SVG: tables, columns and links are elements with tooltips; links lead to their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsItem

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.model import Diagram, Edge, mark_text
from cdb_desktop.schema.diagram.reduced_graph import is_hidden_columns
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.ui.schema.diagram.link_item import LinkItem
from cdb_desktop.ui.schema.diagram.style import DiagramStyle, link_text
from cdb_desktop.ui.schema.diagram.table_item import BoxLine, RemovedTableItem, TableItem, lines_of
from cdb_desktop.ui.schema.output.picture import DiagramPicture, PaintListener, run_steps
from cdb_desktop.ui.schema.output.svg_device import SvgDevice


async def svg_file(picture: DiagramPicture, dots: int, report: Callable[[float], None]) -> bytes:
    """The file; ``dots`` per inch are those of the screen on which the texts were measured."""
    device = SvgDevice(dots)
    names = _Names(picture.diagram)
    groups = _Groups(device, names, picture.style, picture.area if picture.is_part else None)
    bounds = picture.bounds
    with QPainter(device) as painter:
        painter.fillRect(bounds, QColor(picture.tokens.ground))
        picture.style.on_part = groups.part
        await run_steps(picture.steps(painter, listener=groups), report)
        picture.style.on_part = None
    heading = picture.heading
    title, details = (heading.title, heading.details) if heading else (tr("Diagram of the schema"), "")
    return await run_in_thread(lambda: device.document(bounds, title, details).encode())


class _Names:
    """Names and tooltips of the elements of a diagram, looked up box by box."""

    def __init__(self, diagram: Diagram) -> None:
        self.edges = {link.edge.ref: link.edge for link in diagram.links}
        self._boxes = diagram.by_table
        self._lines: dict[int, dict[ElementRef, BoxLine]] = {}

    def line(self, table: int, ref: ElementRef) -> BoxLine | None:
        """The head or row of an element in the box of a top-level table."""
        lines = self._lines.get(table)
        if lines is None:
            box = self._boxes.get(table)
            lines = {} if box is None else {line.ref: line for line in lines_of(box)}
            self._lines[table] = lines
        return lines.get(ref)

    def link(self, edge: Edge) -> str:
        """What a link connects, and its rule."""
        lines = (
            self.line(edge.source, TableRef(edge.ref.table)),
            self.line(edge.source, edge.ref),
            self.line(edge.target, TableRef(edge.linked)),
        )
        source, column, target = (line.name if line else "" for line in lines)
        return link_text(edge, source, column, target).replace("\n", "; ")


class _Groups(PaintListener):
    """Begins and ends elements around what is painted."""

    def __init__(self, device: SvgDevice, names: _Names, style: DiagramStyle, area: QRectF | None) -> None:
        """``area`` is what is visible of the diagram, None for all of it."""
        self._device = device
        self._names = names
        self._style = style
        self._area = area
        self._open: list[str] = []
        self._table = 0

    def begin(self) -> None:
        """Clips the diagram to the visible part."""
        if self._area is not None:
            self._device.begin_clipped(self._area)

    def end(self) -> None:
        """Ends the clipped part."""
        if self._area is not None:
            self._device.end("g")

    def item(self, item: QGraphicsItem | None) -> None:
        """Begins an element for a table or link, and ends the one before."""
        self._end(0)
        if isinstance(item, LinkItem):
            edge = item.link.edge
            self._begin("g", self._names.link(edge), id=f"l{edge.ref.column}")
        elif isinstance(item, RemovedTableItem):
            self._begin("g", item.box.name, id=f"t{item.box.table}")
        elif isinstance(item, TableItem):
            self._table = item.box.table
            self._begin("g", "")

    def part(self, ref: ElementRef) -> None:
        """Begins an element for a head or row, a hyperlink where it leads to another table."""
        self._end(1)
        line = self._names.line(self._table, ref)
        if line is None:
            return
        text = ", ".join(self._texts(line))
        if isinstance(ref, ColumnRef) and ref in self._names.edges:
            target = self._names.edges[ref].linked
            self._begin("a", text, id=f"c{ref.column}", href=f"#t{target}")
        elif is_hidden_columns(ref):
            self._begin("g", text)  # their key is the same in all tables
        elif isinstance(ref, ColumnRef):
            self._begin("g", text, id=f"c{ref.column}")
        elif isinstance(ref, TableRef):
            self._begin("g", text, id=f"t{ref.table}")

    def _texts(self, line: BoxLine) -> Iterator[str]:
        yield f"{line.name}: {line.type}" if line.type else line.name
        yield from map(mark_text, line.marks)
        style = self._style
        for note in (style.note(line.ref), style.use_note(line.ref) if style.heat is not None else ""):
            yield from note.splitlines()

    def _begin(self, tag: str, title: str, **attributes: str) -> None:
        self._device.begin(tag, **attributes)
        if title:
            self._device.title(title)
        self._open.append(tag)

    def _end(self, depth: int) -> None:
        while len(self._open) > depth:
            self._device.end(self._open.pop())
