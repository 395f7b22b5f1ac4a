"""The picture as SVG: tables, columns and links are elements with tooltips; links lead to their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontInfo,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainter,
    QPainterPath,
    QPen,
    QTextItem,
    QTransform,
)
from PySide6.QtWidgets import QGraphicsItem

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.diagram.graph_builder import is_hidden_columns
from cdb_desktop.schema.diagram.model import Diagram, Edge, mark_text
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.json_values import plain_text
from cdb_desktop.ui.schema.diagram.link_item import LinkItem
from cdb_desktop.ui.schema.diagram.style import DiagramStyle, link_text
from cdb_desktop.ui.schema.diagram.table_item import BoxLine, RemovedTableItem, TableItem, lines_of
from cdb_desktop.ui.schema.output.picture import DiagramPicture, PaintListener, run_steps


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


_POINTS_PER_INCH = 72
_MILLIMETERS_PER_INCH = 25.4
_DIRTY = QPaintEngine.DirtyFlag
_PEN, _BRUSH, _FONT = _DIRTY.DirtyPen.value, _DIRTY.DirtyBrush.value, _DIRTY.DirtyFont.value
_TRANSFORM = _DIRTY.DirtyTransform.value
_CAPS = {Qt.PenCapStyle.FlatCap: "butt", Qt.PenCapStyle.RoundCap: "round"}
_OPEN = QPaintEngine.PolygonDrawMode.PolylineMode
_MOVES = (QTransform.TransformationType.TxNone, QTransform.TransformationType.TxTranslate)
# Qt's defaults; xml:space keeps the blanks of names.
_ROOT = (
    '<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="{width}" height="{height}"'
    ' viewBox="{left} {top} {width} {height}" fill-rule="evenodd"'
    ' stroke-linejoin="bevel" stroke-linecap="square">'
)


class SvgDevice(QPaintDevice):
    """Takes paint calls of one QPainter. Coordinates are those of the painter's device."""

    def __init__(self, dots: int) -> None:
        """``dots`` per inch decide how large the points of fonts are."""
        super().__init__()
        self._dots = dots
        self._engine = _SvgEngine(dots)

    def begin(self, tag: str, **attributes: str) -> None:
        """Begins an element, such as ``g`` or ``a``, around what is painted until `end`."""
        written = "".join(f' {name.rstrip("_")}="{_escaped(value)}"' for name, value in attributes.items())
        self._engine.elements.append(f"<{tag}{written}>")

    def begin_clipped(self, area: QRectF) -> None:
        """Begins a ``g`` that shows only what is in a rectangle."""
        self._engine.elements.append(f'<clipPath id="area"><rect {_rect(area)}/></clipPath>')
        self._engine.elements.append('<g clip-path="url(#area)">')

    def end(self, tag: str) -> None:
        """Ends an element."""
        self._engine.elements.append(f"</{tag}>")

    def title(self, text: str) -> None:
        """Gives the element that was begun last a tooltip."""
        self._engine.elements.append(f"<title>{_escaped(text)}</title>")

    def document(self, bounds: QRectF, title: str, description: str) -> str:
        """The whole file. ``bounds`` is what it shows, in pixels."""
        root = _ROOT.format(
            left=_number(bounds.left()),
            top=_number(bounds.top()),
            width=_number(bounds.width()),
            height=_number(bounds.height()),
        )
        styles = "".join(f".{name}{{{style}}}\n" for style, name in self._engine.classes.items())
        parts = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            root,
            f"<title>{_escaped(title)}</title>",
            f"<desc>{_escaped(description)}</desc>",
            f"<style>\n{styles}</style>",
            *self._engine.elements,
            "</svg>\n",
        ]
        return "\n".join(parts)

    def paintEngine(self) -> QPaintEngine:  # noqa: N802
        return self._engine

    def metric(self, metric: QPaintDevice.PaintDeviceMetric) -> int:
        """Like a screen without limits; only the resolution has an effect."""
        kinds = QPaintDevice.PaintDeviceMetric
        if metric in (kinds.PdmWidth, kinds.PdmHeight):
            return _LARGEST
        if metric in (kinds.PdmWidthMM, kinds.PdmHeightMM):
            return round(_LARGEST / self._dots * _MILLIMETERS_PER_INCH)
        if metric in (kinds.PdmDpiX, kinds.PdmDpiY, kinds.PdmPhysicalDpiX, kinds.PdmPhysicalDpiY):
            return self._dots
        if metric == kinds.PdmDevicePixelRatioScaled:
            return round(QPaintDevice.devicePixelRatioFScale())
        return {kinds.PdmDepth: 32, kinds.PdmNumColors: 1 << 24}.get(metric, 1)


_LARGEST = 1 << 24


class _SvgEngine(QPaintEngine):
    """Writes an element for each paint call."""

    def __init__(self, dots: int) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self._dots = dots
        self.elements: list[str] = []
        self.classes: dict[str, str] = {}
        self._pen = QPen(Qt.PenStyle.NoPen)
        self._stroke = ""  # of the pen, empty if it is not known yet
        self._fill = "fill:none"
        self._ink = ""
        self._font = ""
        self._fonts: dict[str, str] = {}
        self._colors: dict[tuple[str, int], str] = {}
        self._at = (0.0, 0.0)
        self._transform = ""

    def begin(self, _device: QPaintDevice) -> bool:
        return True

    def end(self) -> bool:
        return True

    def type(self) -> QPaintEngine.Type:
        return QPaintEngine.Type.User

    def updateState(self, state: QPaintEngineState) -> None:  # noqa: N802
        changed = state.state().value
        if changed & _PEN:
            # Most pens only write texts, so the style of lines is made when there is one.
            self._pen, self._stroke = state.pen(), ""
            self._ink = self._color("fill", self._pen.color())
        if changed & _BRUSH:
            self._fill = self._paint("fill", state.brush())
        if changed & _FONT:
            font = state.font()
            key = font.key()
            if key not in self._fonts:
                self._fonts[key] = _font_style(font, self._dots)
            self._font = self._fonts[key]
        if changed & _TRANSFORM:
            self._set_transform(state.transform())

    def drawPath(self, path: QPainterPath) -> None:  # noqa: N802
        self._add("path", f'd="{self._path(path)}"')

    def drawPolygon(self, points: Sequence[QPointF], mode: QPaintEngine.PolygonDrawMode) -> None:  # type: ignore[override]  # noqa: N802
        """Writes a polygon or a line with corners, which has no area."""
        written = " ".join(self._point(point.x(), point.y()) for point in points)
        if mode == _OPEN:
            self._add("polyline", f'points="{written}"', fill="fill:none")
        else:
            self._add("polygon", f'points="{written}"')

    def drawRects(self, rects: Sequence[QRectF]) -> None:  # type: ignore[override]  # noqa: N802
        for rect in rects:
            self._add("rect", _rect(rect.translated(*self._at)))

    def drawLines(self, lines: Sequence[QLineF]) -> None:  # type: ignore[override]  # noqa: N802
        parts = [
            f"M{self._point(line.x1(), line.y1())}L{self._point(line.x2(), line.y2())}" for line in lines
        ]
        self._add("path", f'd="{"".join(parts)}"', fill="fill:none")

    def drawEllipse(self, rect: QRectF) -> None:  # type: ignore[override]  # noqa: N802
        middle = rect.center()
        left, top = self._at
        center = f'cx="{_number(middle.x() + left)}" cy="{_number(middle.y() + top)}"'
        self._add("ellipse", f'{center} rx="{_number(rect.width() / 2)}" ry="{_number(rect.height() / 2)}"')

    def drawTextItem(self, point: QPointF, item: QTextItem) -> None:  # type: ignore[override]  # noqa: N802
        """Writes a text, as wide as it is here also where the font is missing."""
        text = item.text()
        if not text.strip():
            return
        left, top = self._at
        style = self._class(f"{self._font};{self._ink};stroke:none")
        size = f'textLength="{_number(item.width())}" lengthAdjust="spacingAndGlyphs"'
        at = f'x="{_number(point.x() + left)}" y="{_number(point.y() + top)}"'
        self.elements.append(f'<text class="{style}" {at} {size}{self._transform}>{_escaped(text)}</text>')

    def _add(self, tag: str, attributes: str, *, fill: str | None = None) -> None:
        self._stroke = self._stroke or self._stroke_of(self._pen)
        style = self._class(f"{fill or self._fill};{self._stroke}")
        self.elements.append(f'<{tag} class="{style}" {attributes}{self._transform}/>')

    def _class(self, style: str) -> str:
        found = self.classes.get(style)
        if found is None:
            found = self.classes[style] = f"s{len(self.classes)}"
        return found

    def _set_transform(self, transform: QTransform) -> None:
        """Moves are added to coordinates; anything else becomes an attribute."""
        if transform.type() in _MOVES:
            self._at, self._transform = (transform.dx(), transform.dy()), ""
            return
        values = (
            transform.m11(),
            transform.m12(),
            transform.m21(),
            transform.m22(),
            transform.dx(),
            transform.dy(),
        )
        written = " ".join(f"{value:.6g}" for value in values)
        self._at, self._transform = (0.0, 0.0), f' transform="matrix({written})"'

    def _path(self, path: QPainterPath) -> str:
        parts: list[str] = []
        left, top = self._at
        rest = 0  # control points after the first one of a curve
        for at in range(path.elementCount()):
            element = path.elementAt(at)
            if rest:
                letter, rest = " ", rest - 1
            elif element.isLineTo():
                letter = "L"
            elif element.isMoveTo():
                letter = "M"
            else:
                letter, rest = "C", 2
            parts.append(f"{letter}{element.x + left:.1f} {element.y + top:.1f}")
        return "".join(parts)

    def _point(self, x: float, y: float) -> str:
        return f"{_number(x + self._at[0])} {_number(y + self._at[1])}"

    def _stroke_of(self, pen: QPen) -> str:
        if pen.style() == Qt.PenStyle.NoPen:
            return "stroke:none"
        width = pen.widthF() or 1.0
        found = f"{self._color('stroke', pen.color())};stroke-width:{_number(width)}"
        cap = _CAPS.get(pen.capStyle())
        if cap is not None:
            found += f";stroke-linecap:{cap}"
        if pen.style() != Qt.PenStyle.SolidLine:
            dashes = " ".join(_number(length * width) for length in pen.dashPattern())
            found += f";stroke-dasharray:{dashes};stroke-linecap:butt"
        return found

    def _paint(self, name: str, brush: QBrush) -> str:
        """Patterns and gradients are painted in their color."""
        return f"{name}:none" if brush.style() == Qt.BrushStyle.NoBrush else self._color(name, brush.color())

    def _color(self, name: str, color: QColor) -> str:
        """A color with its opacity."""
        key = (name, color.rgba())
        found = self._colors.get(key)
        if found is None:
            found = f"{name}:{color.name()}"
            if color.alpha() < 255:
                found += f";{name}-opacity:{color.alphaF():.3g}"
            self._colors[key] = found
        return found


def _font_style(font: QFont, dots: int) -> str:
    size = font.pixelSize() if font.pixelSize() > 0 else font.pointSizeF() * dots / _POINTS_PER_INCH
    family = QFontInfo(font).family().replace("'", "")
    found = f"font:{int(font.weight())} {_number(size)}px '{family}',sans-serif"
    return f"{found};text-decoration:line-through" if font.strikeOut() else found


def _rect(rect: QRectF) -> str:
    corner = f'x="{_number(rect.x())}" y="{_number(rect.y())}"'
    return f'{corner} width="{_number(rect.width())}" height="{_number(rect.height())}"'


def _number(value: float) -> str:
    """At most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _escaped(text: str) -> str:
    return escape(plain_text(text))
