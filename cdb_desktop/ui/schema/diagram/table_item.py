"""Paints a table with its nested tables; the smaller the zoom, the fewer details."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsRectItem, QStyleOptionGraphicsItem, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.graph_builder import is_hidden_columns
from cdb_desktop.schema.diagram.model import Box, BoxRow, Mark, Role
from cdb_desktop.schema.document.element_ref import ElementRef, TableRef
from cdb_desktop.ui.schema.diagram.style import (
    KEYS,
    MARK,
    ROWS,
    SIZE_BAR,
    DiagramFonts,
    DiagramStyle,
    SideMarks,
    box_rect,
    head_color,
    hit_color,
    name_lines,
    paint_badge,
    paint_beyond,
    paint_conflict,
    paint_mark,
    thin_pen,
    translucent,
)
from cdb_desktop.ui.schema.page.findings import severity_color, sign_color
from cdb_desktop.ui.theme.measures import CAPTION, scaled

_ROUND, _SMALL_ROUND = 5.0, 3.0
_ABOVE = 30.0  # above a box, where the number of links with tables that are not shown is
_LEAST_BEYOND = 0.85  # of the size of the number on the screen
_SMALL_ROW = 0.72  # size of rows at small zooms
_HEAD_SIZES = (1.0, 0.92, 0.84, 0.76)  # of heads at small zooms, the first one in which the name fits
_STATE_HEIGHT = 6.0  # pixels: least height of the color of a change
_STROKE = 1.5  # pixels: height of the strokes in place of names


class TableItem(QGraphicsRectItem):
    """The ``box`` of a top-level table. Its position is the top left corner of the box.

    Its rectangle is the box with its outline: Qt asks all items for it in every frame, and need not call
    Python for that.
    """

    box: Box
    # Made when they are needed first: at small zooms of large diagrams few are.
    _lines: tuple[BoxLine, ...] | None

    def __init__(self, box: Box, style: DiagramStyle, parent: QGraphicsItem | None = None) -> None:
        super().__init__(parent)
        self.setPen(Qt.PenStyle.NoPen)
        # Otherwise Qt does not tell which part is exposed.
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self._style = style
        self._set_box(box)

    @property
    def lines(self) -> tuple[BoxLine, ...]:
        """The lines from top to bottom."""
        if self._lines is None:
            self._lines = lines_of(self.box)
        return self._lines

    def show_box(self, box: Box) -> None:
        """Replaces the box by a newer state of the table."""
        if box is self.box or box == self.box:
            return
        former = self.box
        if box.at((former.x, former.y)) == former:
            self.box = box
            self.setPos(box.x, box.y)
            return
        self._set_box(box)
        self.update()

    def line_of(self, ref: ElementRef) -> BoxLine | None:
        """The line of an element, None if it is not in this box."""
        return next((line for line in self.lines if line.ref == ref), None)

    def line_at(self, point: QPointF, zoom: float) -> BoxLine | None:
        """The line that is painted at a point of the box at a zoom, its head if the point is between lines.

        Beside a row of a nested table it is that row, since its handles are there.
        """
        box, y = self.box, point.y()
        if not (0 <= point.x() <= box.width and 0 <= y <= box.height):
            return None
        if zoom < KEYS:
            return self.lines[0]
        shown: Sequence[BoxLine] = self.lines
        if zoom < ROWS:
            texts = self._small_texts(zoom)
            if y * zoom < texts.head_bottom:
                return self.lines[0]
            for line, top in texts.marked:
                if top <= y * zoom < top + texts.pitch:
                    return line
            shown = texts.others
        return next((line for line in reversed(shown) if line.top <= y < line.bottom), self.lines[0])

    def rect_of(self, line: BoxLine, zoom: float) -> QRectF:
        """The rectangle of a line in the box at a zoom, also if the line is not painted there."""
        if KEYS <= zoom < ROWS:
            texts = self._small_texts(zoom)
            if line.depth == 0 and line.role is Role.TABLE:
                return QRectF(0, 0, self.box.width, texts.head_bottom / zoom)
            for each, top in texts.marked:
                if each.ref == line.ref:
                    return QRectF(line.left, top / zoom, line.width, texts.pitch / zoom)
        return QRectF(line.left, line.top, line.width, line.height)

    def update_rect(self) -> None:
        """Called when there is a number of links with tables that are not shown, or no longer."""
        above = _ABOVE if self.box.table in self._style.beyond else 2
        self.setRect(-2, -above, self.box.width + 4, self.box.height + above + 2)

    def beyond_rect(self, zoom: float) -> QRectF:
        """Where the number of links with tables that are not shown is; empty if there is none."""
        return beyond_rect(self.box, self._style, zoom)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        zoom = option.levelOfDetailFromTransform(painter.worldTransform())
        if zoom < ROWS:
            self._paint_keys(painter, zoom)
        else:
            self._paint_frame(painter)
            # On the screen only what is exposed; a table may have thousands of rows.
            self._paint_lines(painter, QRectF() if widget is None else option.exposedRect)
        rect = self.beyond_rect(zoom)
        if not rect.isEmpty():
            fonts = self._style.fonts
            font = scaled(fonts.font(Role.MARK), rect.height() / fonts.height(Role.MARK))
            text = f"+{self._style.beyond[self.box.table]}"
            paint_beyond(painter, rect, text, self._style.tokens, font)

    def _set_box(self, box: Box) -> None:
        self.box = box
        self._lines = None
        self.update_rect()
        self.setPos(box.x, box.y)

    def _outline(self) -> QPen:
        tokens = self._style.tokens
        table = self.box.table
        is_chosen = self._is_selected or table in self._style.chosen_boxes
        color, width = (tokens.accent, 2.0) if is_chosen else (tokens.handle, 1.0)
        pen = thin_pen(color, width, is_file=self._style.is_file)
        if self._is_removed:
            pen.setStyle(Qt.PenStyle.DashLine)
        return pen

    @property
    def _is_selected(self) -> bool:
        return self._style.selection == TableRef(self.box.table)

    @property
    def _is_removed(self) -> bool:
        return TableRef(self.box.table) in self._style.removed

    def _paint_frame(self, painter: QPainter) -> None:
        tokens, box = self._style.tokens, self.box
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.ground))
        painter.drawRoundedRect(QRectF(0, 0, box.width, box.height), _ROUND, _ROUND)
        if not self._is_removed:
            painter.setBrush(head_color(self._style, box.table))
            painter.drawPath(_head(box.width, box.head_height, _ROUND))
        for frame in _frames(box):
            self._paint_nested(painter, frame)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._outline())
        painter.drawRoundedRect(QRectF(0, 0, box.width, box.height), _ROUND, _ROUND)

    def _paint_nested(self, painter: QPainter, rect: QRectF) -> None:
        tokens = self._style.tokens
        painter.setPen(thin_pen(tokens.line, is_file=self._style.is_file))
        painter.setBrush(translucent(QColor(tokens.raised), 0.7))
        painter.drawRoundedRect(rect, _ROUND - 1, _ROUND - 1)

    def _paint_keys(self, painter: QPainter, zoom: float) -> None:
        """Paints the head, keys, links and changes, with texts of the same size at every zoom."""
        style, tokens = self._style, self._style.tokens
        width, height = self.box.width * zoom, self.box.height * zoom
        texts = self._small_texts(zoom)
        head, top, pitch = texts.head, texts.head_bottom, texts.pitch
        painter.save()
        painter.scale(1 / zoom, 1 / zoom)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.ground))
        painter.drawRoundedRect(QRectF(0, 0, width, height), _SMALL_ROUND, _SMALL_ROUND)
        if self._is_removed:
            head = (_struck_out(head[0]), head[1])
        else:
            painter.setBrush(head_color(style, self.box.table))
            painter.drawPath(_head(width, top, _SMALL_ROUND))
        if TableRef(self.box.table) in style.hits:
            painter.setBrush(hit_color(style, TableRef(self.box.table)))
            painter.drawPath(_head(width, top, _SMALL_ROUND))
        for number, name in enumerate(texts.names):
            rect = QRectF(4, 1 + number * texts.step, width - 6, texts.step)
            _elided(painter, head, rect, name, tokens.text)
        # Other columns are strokes that are as long as their names.
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.line))
        painter.drawRects(
            [
                QRectF(line.left * zoom + 5, line.middle * zoom - _STROKE / 2, length, _STROKE)
                for line in texts.others
                if (length := min(style.fonts.width(line.name, line.role), line.width) * zoom)
                and line.middle * zoom > top + _STROKE
                and not any(y - _STROKE < line.middle * zoom < y + pitch + _STROKE for _, y in texts.marked)
            ]
        )
        for line in texts.others:
            if line.ref == style.selection:
                rect = QRectF(line.left * zoom + 1, line.middle * zoom - 3, line.width * zoom - 2, 6)
                painter.fillRect(rect, QColor(tokens.accent))
        for line, y in texts.marked:
            rect = QRectF(line.left * zoom, y, line.width * zoom, pitch)
            self._paint_key(painter, texts.row, rect, line)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._outline())
        painter.drawRoundedRect(QRectF(0, 0, width, height), _SMALL_ROUND, _SMALL_ROUND)
        color = style.state_color(TableRef(self.box.table))
        if color is not None:
            # A table without columns has only a head.
            top = 1.0 if height - top < _STATE_HEIGHT else top
            painter.fillRect(QRectF(0, top, 3, height - top - 1), color)
        painter.restore()

    def _small_texts(self, zoom: float) -> _SmallTexts:
        """Where texts are at a small zoom: they are larger there than the lines of the box."""
        fonts = self._style.fonts
        width, height = self.box.width * zoom, self.box.height * zoom
        row = _small_font(fonts, Role.NAME, _SMALL_ROW)
        for size in _HEAD_SIZES:
            head = _small_font(fonts, Role.TABLE, CAPTION * size)
            names = name_lines(self.box.name, width - 6, head[1].horizontalAdvance)
            if max(map(head[1].horizontalAdvance, names)) <= width - 6:
                break
        step = head[1].height() + 1  # an underscore does not touch the line below
        names = _shortened(names, max(int(height / step), 1))
        head_bottom = min(step * len(names) + 2, height)
        pitch = row[1].height() - 1
        marked, others = self._marked_lines()
        bottom = height - (1 if self._style.heat is None else 1 + SIZE_BAR)
        tops = _tops([line.middle * zoom - pitch / 2 for line in marked], head_bottom, bottom, pitch)
        placed = tuple(zip(marked, tops, strict=False))
        return _SmallTexts(head, tuple(names), step, head_bottom, row, pitch, placed, tuple(others))

    def _marked_lines(self) -> tuple[list[BoxLine], list[BoxLine]]:
        """The lines that small zooms show as texts, and the others, without the head."""
        style = self._style
        marked: list[BoxLine] = []
        others: list[BoxLine] = []
        for line in self.lines[1:]:
            is_marked = line.ref in style.signs or line.ref in style.sides or line.ref in style.hits
            is_text = line.is_key or line.role is Role.NESTED_TABLE or is_marked
            (marked if is_text else others).append(line)
        return marked, others

    def _paint_key(self, painter: QPainter, font: _SmallFont, rect: QRectF, line: BoxLine) -> None:
        style, tokens = self._style, self._style.tokens
        sides = style.sides.get(line.ref)
        sign = style.signs.get(line.ref, "") if sides is None else sides.text
        if line.ref in style.hits:
            painter.fillRect(rect, hit_color(style, line.ref))
        elif line.ref == style.selection:
            painter.fillRect(rect, QColor(tokens.selected))
        elif line.ref in style.linked:
            painter.fillRect(rect, translucent(QColor(tokens.accent), _TINT))
        elif sign:
            color = sign_color(sign, tokens) if sides is None else sides.color(tokens)
            painter.fillRect(rect, translucent(color, _TINT))
        text = f"{sign} {line.name}" if sign else line.name
        ink = tokens.text if line.role is Role.NESTED_TABLE or Mark.UNIQUE in line.marks else tokens.muted
        if line.ref in style.removed:
            font = (_struck_out(font[0]), font[1])
        _elided(painter, font, rect.adjusted(5, 0, -2, 0), text, ink)

    def _paint_lines(self, painter: QPainter, exposed: QRectF) -> None:
        painting = LinePainter(painter, self._style)
        visible = painter.clipBoundingRect() if painter.hasClipping() else exposed
        for line in self.lines:
            if visible.isNull() or (line.bottom >= visible.top() and line.top <= visible.bottom()):
                painting.line(line)


# A font and its metrics.
_SmallFont = tuple[QFont, QFontMetricsF]


@dataclass(frozen=True, slots=True)
class _SmallTexts:
    """The texts of a box at a small zoom, in pixels from its upper left corner.

    ``marked`` are the lines that are texts with their tops; each is as high as ``pitch``. ``others`` are
    strokes.
    """

    head: _SmallFont
    names: Sequence[str]
    step: float  # height of a line of the head
    head_bottom: float
    row: _SmallFont
    pitch: float
    marked: Sequence[tuple[BoxLine, float]]
    others: Sequence[BoxLine]


@lru_cache(maxsize=32)
def _small_font(fonts: DiagramFonts, role: Role, size: float) -> _SmallFont:
    """The font of a role for small zooms."""
    font = scaled(fonts.font(role), size)
    return font, QFontMetricsF(font)


def _shortened(lines: list[str], most: int) -> list[str]:
    """At most ``most`` lines; the last one ends with an ellipsis if there were more."""
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1]}…"]


def _tops(wanted: Sequence[float], top: float, bottom: float, pitch: float) -> list[float]:
    """Where texts are that do not overlap, as near as possible to where they are wanted; as many as fit."""
    found: list[float] = []
    for each in wanted[: max(int((bottom - top) / pitch), 0)]:
        found.append(max(each, found[-1] + pitch if found else top))
    last = bottom
    for at in reversed(range(len(found))):
        found[at] = last = min(found[at], last - pitch)
    return found


def _elided(painter: QPainter, font: _SmallFont, rect: QRectF, text: str, color: str) -> None:
    painter.setFont(font[0])
    painter.setPen(QColor(color))
    shown = font[1].elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    # Clipped to the line, underscores would be lost at some positions.
    flags = Qt.TextFlag.TextSingleLine | Qt.TextFlag.TextDontClip
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | flags, shown)


def _head(width: float, height: float, corner: float) -> QPainterPath:
    """The head of a box, with round corners at the top."""
    path = QPainterPath(QPointF(0, height))
    path.lineTo(0, corner)
    path.quadTo(0, 0, corner, 0)
    path.lineTo(width - corner, 0)
    path.quadTo(width, 0, width, corner)
    path.lineTo(width, height)
    path.closeSubpath()
    return path


_TEXT_MARGIN = 16.0  # of both sides together
_BEHIND = -3.0  # links and tables are in front of it
_FAINT = 0.5
_NAME_SIZE = 0.85  # of names at a small zoom


class RemovedTableItem(QGraphicsItem):
    """A removed table: a dashed outline of its last ``box``, with its name struck out.

    It can only be selected.
    """

    def __init__(self, box: Box, style: DiagramStyle, parent: QGraphicsItem | None = None) -> None:
        super().__init__(parent)
        self._style = style
        self.box = box
        self.setZValue(_BEHIND)
        self.setPos(box.x, box.y)

    @property
    def ref(self) -> TableRef:
        """The reference of the removed table."""
        return TableRef(self.box.table)

    def show_box(self, box: Box) -> None:
        """Replaces the box by a newer state of it."""
        if box != self.box:
            self.prepareGeometryChange()
            self.box = box
            self.setPos(box.x, box.y)
            self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802
        return QRectF(-2, -2, self.box.width + 4, self.box.height + 4)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        zoom = option.levelOfDetailFromTransform(painter.worldTransform())
        tokens, rect = self._style.tokens, QRectF(0, 0, self.box.width, self.box.height)
        is_chosen = self._style.selection == self.ref
        color, width = (tokens.accent, 2.0) if is_chosen else (tokens.muted, 1.0)
        pen = thin_pen(color, width, is_file=self._style.is_file)
        pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(translucent(QColor(tokens.raised), _FAINT))
        painter.drawRoundedRect(rect, _ROUND, _ROUND)
        self._paint_texts(painter, rect, 1.0 if zoom >= ROWS else _NAME_SIZE / zoom)

    def _paint_texts(self, painter: QPainter, rect: QRectF, factor: float) -> None:
        fonts, name = self._style.fonts, self.box.name
        removed = tr("− removed")
        widest = max(fonts.width(name, Role.TABLE), fonts.width(removed, Role.TYPE))
        height = fonts.measure(name, Role.TABLE)[1]
        fitting = min(factor, (rect.width() - _TEXT_MARGIN) / widest, rect.height() / (2 * height))
        painter.setPen(QColor(self._style.tokens.muted))
        middle = rect.center().y()
        for text, font, top in (
            (name, _struck_out(fonts.font(Role.TABLE)), middle - height * fitting),
            (removed, fonts.font(Role.TYPE), middle),
        ):
            painter.setFont(scaled(font, max(fitting, 0.5)))
            line = QRectF(QPointF(rect.left(), top), QPointF(rect.right(), top + height * fitting))
            painter.drawText(line, Qt.AlignmentFlag.AlignCenter, text)


def _struck_out(font: QFont) -> QFont:
    result = QFont(font)
    result.setStrikeOut(True)
    return result


_PADDING = 14.0
_GUTTER = 6.0  # from the side of a box to the middle of a badge
_MARK_GAP = 4.0
_TINT = 0.13


class LinePainter:
    """Paints the heads and rows of boxes."""

    def __init__(self, painter: QPainter, style: DiagramStyle) -> None:
        self._painter = painter
        self._style = style

    def line(self, line: BoxLine) -> None:
        """Paints a head or a row with its marks and badges."""
        sign = self._style.signs.get(line.ref, "")
        severity = self._style.severities.get(line.ref)
        if self._style.on_part is not None:
            self._style.on_part(line.ref)
        self._ground(line, sign)
        self._texts(line)
        # Inside the box, as cardinality marks are beside it.
        marks = self._style.sides.get(line.ref)
        if marks is not None:
            self._paint_sides(line, marks)
            return
        if sign:
            self.badge(line.left + _GUTTER, line.middle, sign, sign_color(sign, self._style.tokens))
        if severity is not None:
            self.badge(line.right - _GUTTER, line.middle, "!", severity_color(severity, self._style.tokens))

    def _paint_sides(self, line: BoxLine, marks: SideMarks) -> None:
        """Paints the sign of my side at the left and theirs at the right; instead, the mark of a conflict."""
        tokens, ground = self._style.tokens, QColor(self._style.tokens.ground)
        if marks.is_decided is not None:
            color = QColor(tokens.good if marks.is_decided else tokens.danger)
            middle, font = QPointF(line.left + _GUTTER, line.middle), self._style.fonts.font(Role.MARK)
            paint_conflict(self._painter, middle, marks.is_decided, (color, ground), font)
            return
        if marks.mine:
            self.badge(line.left + _GUTTER, line.middle, marks.mine, QColor(tokens.accent))
        if marks.theirs:
            self.badge(line.right - _GUTTER, line.middle, marks.theirs, QColor(tokens.session))

    def _ground(self, line: BoxLine, sign: str) -> None:
        tokens = self._style.tokens
        rect = QRectF(line.left + 1, line.top, line.width - 2, line.height)
        if line.ref in self._style.hits:
            self._painter.fillRect(rect, hit_color(self._style, line.ref))
        if line.ref == self._style.selection and line.ref in self._style.hits:
            self._painter.fillRect(QRectF(line.left + 1, line.top, 3, line.height), QColor(tokens.accent))
        elif line.ref == self._style.selection:
            self._painter.fillRect(rect, QColor(tokens.selected))
            self._painter.fillRect(QRectF(line.left + 1, line.top, 3, line.height), QColor(tokens.accent))
        elif line.ref in self._style.linked:
            self._painter.fillRect(rect, translucent(QColor(tokens.accent), _TINT))
        elif line.ref in self._style.sides and line.role is Role.NAME:
            self._painter.fillRect(rect, translucent(self._style.sides[line.ref].color(tokens), _TINT))
        elif sign and line.role is Role.NAME:
            self._painter.fillRect(rect, translucent(sign_color(sign, tokens), _TINT))

    def _texts(self, line: BoxLine) -> None:
        painter, fonts, tokens = self._painter, self._style.fonts, self._style.tokens
        is_removed = line.ref in self._style.removed
        painter.setFont(_struck_out(fonts.font(line.role)) if is_removed else fonts.font(line.role))
        # The row for hidden columns is a link that shows them.
        ink = tokens.accent if is_hidden_columns(line.ref) else tokens.muted if is_removed else tokens.text
        painter.setPen(QColor(ink))
        left = line.left + _PADDING
        painter.drawText(QPointF(left, fonts.baseline(line.role, line.top, line.height)), line.name)
        left += fonts.width(line.name, line.role)
        for mark in line.marks:
            paint_mark(painter, mark, left + _MARK_GAP, line.middle, QColor(tokens.muted))
            left += MARK + _MARK_GAP
        if line.type:
            painter.setFont(fonts.font(Role.TYPE))
            painter.setPen(QColor(tokens.muted))
            right = line.right - _PADDING - fonts.width(line.type, Role.TYPE)
            painter.drawText(QPointF(right, fonts.baseline(Role.TYPE, line.top, line.height)), line.type)

    def badge(self, x: float, y: float, text: str, color: QColor) -> None:
        """Paints a sign, each in a shape of its own."""
        colors = color, QColor(self._style.tokens.ground)
        paint_badge(self._painter, QPointF(x, y), text, colors, self._style.fonts.font(Role.MARK))


def beyond_rect(box: Box, style: DiagramStyle, zoom: float) -> QRectF:
    """Where the number of links with tables that are not shown is in a box; empty if there is none."""
    count = style.beyond.get(box.table, 0)
    if not count or zoom < KEYS:
        return QRectF()
    fonts, factor = style.fonts, max(_LEAST_BEYOND / zoom, 1.0)
    height = fonts.height(Role.MARK) * factor
    width = fonts.width(f"+{count}", Role.MARK) * factor + height * 0.7
    return QRectF(box.width - width - height * 0.3, -height / 2, width, height)


@dataclass(frozen=True, slots=True)
class BoxLine:
    """A head or a row of a box. Positions are relative to the corner of the top-level box."""

    ref: ElementRef
    role: Role
    left: float
    width: float
    top: float
    height: float
    name: str
    type: str
    marks: tuple[Mark, ...]
    depth: int

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def is_key(self) -> bool:
        """Whether the line is of a unique column or a link."""
        return Mark.UNIQUE in self.marks or self.type.startswith(("→", "←"))

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


def lines_of(box: Box) -> tuple[BoxLine, ...]:
    """All lines of a top-level box from top to bottom."""
    return tuple(sorted(_lines(box, 0.0, 0.0, 0), key=lambda line: line.top))


def _lines(part: Box, left: float, top: float, depth: int) -> Iterator[BoxLine]:
    role = Role.NESTED_TABLE if depth else Role.TABLE
    ref, height = TableRef(part.table), part.head_height
    yield BoxLine(ref, role, left, part.width, top, height, part.name, "", part.marks, depth)
    for row in part.rows:
        yield _row(row, left, part.width, depth)
    for nested in part.nested:
        yield from _lines(nested, nested.x, nested.y, depth + 1)


def _row(row: BoxRow, left: float, width: float, depth: int) -> BoxLine:
    return BoxLine(row.ref, Role.NAME, left, width, row.y, row.height, row.name, row.type, row.marks, depth)


def _frames(box: Box) -> Iterator[QRectF]:
    """The outlines of all nested boxes, outer ones first."""
    for nested in box.nested:
        yield box_rect(nested)
        yield from _frames(nested)
