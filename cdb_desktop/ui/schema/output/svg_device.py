"""A paint device that writes SVG: texts stay texts, equal styles are written once, elements can be grouped.

QSvgGenerator writes each style again for each shape, and has no groups, tooltips and hyperlinks.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QBuffer, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontInfo,
    QImage,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainterPath,
    QPen,
    QPixmap,
    QTextItem,
    QTransform,
)

from cdb_desktop.schema.document.json_values import plain_text

_POINTS_PER_INCH = 72
_MILLIMETERS_PER_INCH = 25.4
_DIRTY = QPaintEngine.DirtyFlag
_PEN, _BRUSH, _FONT = _DIRTY.DirtyPen.value, _DIRTY.DirtyBrush.value, _DIRTY.DirtyFont.value
_TRANSFORM, _OPACITY = _DIRTY.DirtyTransform.value, _DIRTY.DirtyOpacity.value
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
        self._colors: dict[tuple[str, int, float], str] = {}
        self._opacity = 1.0
        self._at = (0.0, 0.0)
        self._transform = ""

    def begin(self, _device: QPaintDevice) -> bool:
        return True

    def end(self) -> bool:
        return True

    def type(self) -> QPaintEngine.Type:
        return QPaintEngine.Type.User

    def updateState(self, state: QPaintEngineState) -> None:  # noqa: N802
        """Keeps the styles of what is painted next."""
        changed = state.state().value
        if changed & _OPACITY:
            self._opacity = state.opacity()
        if changed & (_PEN | _OPACITY):
            # Most pens only write texts, so the style of lines is made when there is one.
            self._pen, self._stroke = state.pen(), ""
            self._ink = self._color("fill", self._pen.color())
        if changed & (_BRUSH | _OPACITY):
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
        """Writes a path."""
        self._add("path", f'd="{self._path(path)}"')

    def drawPolygon(self, points: Sequence[QPointF], mode: QPaintEngine.PolygonDrawMode) -> None:  # type: ignore[override]  # noqa: N802
        """Writes a polygon or a line with corners, which has no area."""
        written = " ".join(self._point(point.x(), point.y()) for point in points)
        if mode == _OPEN:
            self._add("polyline", f'points="{written}"', fill="fill:none")
        else:
            self._add("polygon", f'points="{written}"')

    def drawRects(self, rects: Sequence[QRectF]) -> None:  # type: ignore[override]  # noqa: N802
        """Writes rectangles."""
        for rect in rects:
            self._add("rect", _rect(rect.translated(*self._at)))

    def drawLines(self, lines: Sequence[QLineF]) -> None:  # type: ignore[override]  # noqa: N802
        """Writes all lines as one path."""
        parts = [
            f"M{self._point(line.x1(), line.y1())}L{self._point(line.x2(), line.y2())}" for line in lines
        ]
        self._add("path", f'd="{"".join(parts)}"', fill="fill:none")

    def drawEllipse(self, rect: QRectF) -> None:  # type: ignore[override]  # noqa: N802
        """Writes an ellipse."""
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

    def drawPixmap(self, rect: QRectF, pixmap: QPixmap, source: QRectF) -> None:  # type: ignore[override]  # noqa: N802
        """Embeds a picture."""
        self.drawImage(rect, pixmap.toImage(), source)

    def drawImage(  # type: ignore[override]  # noqa: N802
        self, rect: QRectF, image: QImage, source: QRectF, _flags: Qt.ImageConversionFlag | None = None
    ) -> None:
        """Embeds a picture."""
        buffer = QBuffer()
        buffer.open(QBuffer.OpenModeFlag.WriteOnly)
        image.copy(source.toRect()).save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs require bytes
        content = base64.b64encode(bytes(buffer.data().data())).decode()
        at = _rect(rect.translated(*self._at))
        self.elements.append(f'<image {at} href="data:image/png;base64,{content}"{self._transform}/>')

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
        key = (name, color.rgba(), self._opacity)
        found = self._colors.get(key)
        if found is None:
            opacity = color.alphaF() * self._opacity
            found = f"{name}:{color.name()}"
            if opacity < 1:
                found += f";{name}-opacity:{opacity:.3g}"
            self._colors[key] = found
        return found


def _font_style(font: QFont, dots: int) -> str:
    size = font.pixelSize() if font.pixelSize() > 0 else font.pointSizeF() * dots / _POINTS_PER_INCH
    family = QFontInfo(font).family().replace("'", "")
    found = f"font:{int(font.weight())} {_number(size)}px '{family}',sans-serif"
    lines = [name for name, on in (("line-through", font.strikeOut()), ("underline", font.underline())) if on]
    if font.italic():
        found += ";font-style:italic"
    return f"{found};text-decoration:{' '.join(lines)}" if lines else found


def _rect(rect: QRectF) -> str:
    corner = f'x="{_number(rect.x())}" y="{_number(rect.y())}"'
    return f'{corner} width="{_number(rect.width())}" height="{_number(rect.height())}"'


def _number(value: float) -> str:
    """At most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _escaped(text: str) -> str:
    return escape(plain_text(text))
