"""The legend of the diagram: what its colors, marks, line ends and signs mean."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import inf

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.heat import HeatKind
from cdb_desktop.schema.diagram.model import Mark, Role, mark_text
from cdb_desktop.ui.schema.diagram.heat_item import GAUGE, heat_texts, heat_title, paint_level
from cdb_desktop.ui.schema.diagram.link_item import paint_source_end, paint_target_end
from cdb_desktop.ui.schema.diagram.regions import LABEL, paint_triangle
from cdb_desktop.ui.schema.diagram.style import (
    HIT,
    MARK,
    MINE,
    THEIRS,
    DiagramFonts,
    DiagramStyle,
    TableKind,
    group_color,
    kind_color,
    kind_text,
    mixed,
    paint_badge,
    paint_beyond,
    paint_conflict,
    paint_mark,
    translucent,
)
from cdb_desktop.ui.schema.page.findings import sign_color
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT

_SAMPLE = 34.0  # width of the samples
_PITCH = 20.0  # height of a line

# Paints a sample into a rectangle, in fonts and colors of a style.
_Sample = Callable[[QPainter, QRectF, DiagramStyle], None]
# Samples with what they mean, and a title for them.
_Lines = Sequence[tuple[_Sample, str]]
_Column = tuple[str, _Lines]


class Legend(QWidget):
    """Explains the diagram in its lower left corner."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.legend")
        self._appearance = appearance
        self._fonts = DiagramFonts(self.font())
        self._room = inf
        # Clicks do not go to what it covers.
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        appearance.changed.connect(self._redraw)
        self._redraw()
        self.setAccessibleName(tr("Legend of the diagram"))
        self.hide()

    def _redraw(self) -> None:
        style = DiagramStyle(self._fonts, self._appearance.tokens, {}, {})
        self._drawing = LegendDrawing(style, room=self._room)
        self.setAccessibleDescription(" · ".join(self._drawing.texts))
        self.adjustSize()
        self.update()

    def set_room(self, width: float) -> None:
        """Sets how wide it may be: columns that do not fit beside each other are stacked."""
        if width != self._room:
            self._room = width
            self._redraw()

    def sizeHint(self) -> QSize:  # noqa: N802
        return self._drawing.size

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._drawing.paint(painter)


class LegendDrawing:
    """The legend as a drawing at 0, 0, for the screen and for files.

    It also explains what a diagram of the style shows for a time, such as the use of its tables.
    """

    def __init__(self, style: DiagramStyle, *, room: float = inf) -> None:
        """``room`` is how wide it may be."""
        self._style = style
        self._columns = tuple(_columns(style))
        self._stacks = self._stacked(room - 2 * GAP)

    @property
    def texts(self) -> list[str]:
        """All texts below the titles of the columns."""
        return [text for _, lines in self._columns for _, text in lines]

    @property
    def size(self) -> QSize:
        """The size of all columns."""
        width = sum(map(self._stack_width, self._stacks)) + GROUP * (len(self._stacks) - 1)
        return QSize(round(width) + 2 * GAP, round(max(map(_height, self._stacks))) + 2 * TIGHT)

    def paint(self, painter: QPainter) -> None:
        """Paints the frame and all columns."""
        painter.setPen(QPen(QColor(self._style.tokens.line), 1))
        painter.setBrush(QColor(self._style.tokens.raised))
        painter.drawRoundedRect(QRectF(0.5, 0.5, self.size.width() - 1, self.size.height() - 1), 5, 5)
        left = float(GAP)
        for stack in self._stacks:
            top = float(TIGHT)
            for column in stack:
                self._paint_column(painter, QPointF(left, top), column)
                top += _height([column]) + GAP
            left += self._stack_width(stack) + GROUP

    def _stacked(self, room: float) -> list[list[_Column]]:
        """The columns beside each other, or if they do not fit, the last ones below the lowest others."""
        for beside in range(len(self._columns), 0, -1):
            stacks = [[column] for column in self._columns[:beside]]
            for column in self._columns[beside:]:
                min(stacks, key=_height).append(column)
            if sum(map(self._stack_width, stacks)) + GROUP * (beside - 1) <= room:
                break
        return stacks

    def _stack_width(self, stack: Sequence[_Column]) -> float:
        return max(map(self._width, stack))

    def _paint_column(self, painter: QPainter, corner: QPointF, column: _Column) -> None:
        title, lines = column
        left, top = corner.x(), corner.y()
        fonts = self._style.fonts
        painter.setFont(fonts.font(Role.NESTED_TABLE))
        painter.setPen(QColor(self._style.tokens.muted))
        painter.drawText(QPointF(left, fonts.baseline(Role.NESTED_TABLE, top, _PITCH)), title)
        for line in lines:
            top += _PITCH
            _paint_line(painter, QRectF(left, top, _SAMPLE, _PITCH), GAP, line, self._style)

    def _width(self, column: _Column) -> float:
        title, lines = column
        fonts = self._style.fonts
        widest = max(fonts.width(text, Role.TYPE) for _, text in lines)
        return max(fonts.width(title, Role.NESTED_TABLE), _SAMPLE + GAP + widest)


_NARROW_SAMPLE = GAUGE[0] + 2


class LegendStrip(QWidget):
    """Some lines of the legend beside one another."""

    def __init__(self, appearance: Appearance, name: str, parent: QWidget, *, columns: int = 4) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._appearance = appearance
        self._fonts = DiagramFonts(self.font())
        self._columns = columns
        self._lines: _Lines = ()
        self.setAccessibleName(tr("Legend of the diagram"))
        appearance.changed.connect(self.update)

    @property
    def texts(self) -> tuple[str, ...]:
        """What is shown, one text for each sample."""
        return tuple(text for _, text in self._lines)

    def show_lines(self, lines: _Lines) -> None:
        """Shows other lines, as many in a row as there are columns."""
        self._lines = lines
        self.setAccessibleDescription(" · ".join(self.texts))
        self.setFixedHeight(round(_PITCH) * -(-len(lines) // self._columns))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(round(sum(self._widths())), self.height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        widths, style = self._widths(), DiagramStyle(self._fonts, self._appearance.tokens, {}, {})
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for number, line in enumerate(self._lines):
                row, column = divmod(number, self._columns)
                rect = QRectF(sum(widths[:column]), row * _PITCH, _NARROW_SAMPLE, _PITCH)
                _paint_line(painter, rect, TIGHT, line, style)

    def _widths(self) -> list[float]:
        texts = [self.texts[at :: self._columns] for at in range(min(self._columns, len(self._lines)))]
        widest = [max(self._fonts.width(text, Role.TYPE) for text in each) for each in texts]
        return [width + _NARROW_SAMPLE + TIGHT + GAP for width in widest]


def _paint_line(
    painter: QPainter, rect: QRectF, gap: float, line: tuple[_Sample, str], style: DiagramStyle
) -> None:
    """Paints a sample into a rectangle, and its text beside that."""
    paint, text = line
    painter.save()
    paint(painter, rect, style)
    painter.restore()
    painter.setFont(style.fonts.font(Role.TYPE))
    painter.setPen(QColor(style.tokens.text))
    painter.drawText(
        QPointF(rect.right() + gap, style.fonts.baseline(Role.TYPE, rect.top(), rect.height())), text
    )


def _columns(style: DiagramStyle) -> Iterator[_Column]:
    kinds = TableKind if style.heat is None else ()
    yield (
        tr("Tables and links"),
        [
            *((partial(_head, kind), kind_text(kind)) for kind in kinds),
            (partial(_end, paint_source_end, False), tr("any number of rows")),
            (partial(_end, paint_target_end, False), tr("one row or none")),
            (partial(_end, paint_target_end, True), tr("exactly one row")),
            (_count, tr("links that share an end")),
            (_group, tr("group of tables")),
        ],
    )
    yield tr("Beside names"), [(partial(_mark, mark), mark_text(mark)) for mark in Mark]
    yield (
        tr("Changes"),
        [
            (partial(change_sample, "+"), tr("Added")),
            (partial(change_sample, "~"), tr("Changed")),
            (partial(change_sample, "→"), tr("Renamed")),
            (partial(change_sample, "−"), tr("Removed")),
            (partial(change_sample, "!"), tr("Problems")),
        ],
    )
    if style.heat is not None:
        yield (
            heat_title(style.heat_kind),
            [*use_lines(style.heat_kind), (_size, tr("the longer, the more rows"))],
        )
    if style.sides:
        yield tr("Sides of the merge"), side_lines(tr("conflict"))
    shown_now: list[tuple[_Sample, str]] = []
    if style.hits:
        shown_now.append((_hit, tr("found by the search")))
    if style.path:
        shown_now.append((_path, tr("path between two tables")))
    if style.beyond:
        shown_now.append((_beyond, tr("links with tables that are not shown")))
    if shown_now:
        yield tr("Shown now"), shown_now


def use_lines(kind: HeatKind) -> _Lines:
    """What each level of the use of tables means."""
    return [(partial(_level, level), text) for level, text in heat_texts(kind)]


def side_lines(conflict: str) -> _Lines:
    """What each side of a merge has changed; ``conflict`` is the text of conflicts."""
    return [
        (partial(_side, "accent"), f"{MINE} {tr('mine')}"),
        (partial(_side, "session"), f"{THEIRS} {tr('theirs')}"),
        (partial(_conflict, False), conflict),
        (partial(_conflict, True), tr("decided")),
    ]


def _head(kind: TableKind, painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    box = rect.adjusted(1, 4, -1, -4)
    painter.setPen(QPen(QColor(style.tokens.edge), 1))
    for color in (QColor(style.tokens.ground), kind_color(kind, style.tokens)):
        painter.setBrush(color)
        painter.drawRoundedRect(box, 3, 3)


def _end(
    paint_end: Callable[..., None], on: bool, painter: QPainter, rect: QRectF, style: DiagramStyle
) -> None:
    left, middle = rect.left() + 1, rect.center().y()
    painter.setPen(QPen(QColor(style.tokens.edge), 1.2))
    painter.drawLine(QPointF(left, rect.top() + 2), QPointF(left, rect.bottom() - 2))
    painter.drawLine(QPointF(left, middle), QPointF(rect.right(), middle))
    painter.setBrush(QColor(style.tokens.raised))
    paint_end(painter, (left, middle), 1.0, on)


def _count(painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    painter.setFont(style.fonts.font(Role.MARK))
    painter.setPen(QColor(style.tokens.text))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, "×7")


def _group(painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    color = group_color(0, style.tokens)
    painter.setPen(QPen(color, 1.2))
    painter.setBrush(mixed(color, QColor(style.tokens.ground), LABEL))
    painter.drawRoundedRect(rect.adjusted(1, 3, -1, -3), 3, 3)
    mark = QPointF(rect.left() + TIGHT + 1, rect.center().y())
    paint_triangle(painter, mark, QColor(style.tokens.text), is_open=True)


def _mark(mark: Mark, painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    middle = rect.center()
    paint_mark(painter, mark, middle.x() - MARK / 2, middle.y(), QColor(style.tokens.muted))


def change_sample(sign: str, painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    """Paints the sign of a change or problem."""
    color = QColor(style.tokens.danger) if sign == "!" else sign_color(sign, style.tokens)
    _badge(sign, color, painter, rect, style)


def _side(color: str, painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    _badge("~", QColor(getattr(style.tokens, color)), painter, rect, style)


def _badge(sign: str, color: QColor, painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    colors = color, QColor(style.tokens.ground)
    paint_badge(painter, rect.center(), sign, colors, style.fonts.font(Role.MARK))


def _conflict(is_decided: bool, painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    color = QColor(style.tokens.good if is_decided else style.tokens.danger)
    colors = color, QColor(style.tokens.ground)
    paint_conflict(painter, rect.center(), is_decided, colors, style.fonts.font(Role.MARK))


def _level(level: int | None, painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    painter.setFont(style.fonts.font(Role.TYPE))
    paint_level(painter, rect.adjusted(1, 2, -1, -2), level, style.tokens)


def _size(painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    box = rect.adjusted(1, 4, -1, -4)
    painter.setPen(QPen(QColor(style.tokens.handle), 1))
    painter.setBrush(QColor(style.tokens.ground))
    painter.drawRect(box)
    bar = QRectF(box.left(), box.bottom() - 4, box.width() * 0.6, 4)
    painter.fillRect(bar, QColor(style.tokens.muted))


def _hit(painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    painter.fillRect(rect.adjusted(1, 3, -1, -3), translucent(QColor(style.tokens.mark), HIT))


def _path(painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    middle = rect.center().y()
    painter.setPen(QPen(QColor(style.tokens.accent), 2))
    painter.drawLine(QPointF(rect.left() + 1, middle), QPointF(rect.right() - 1, middle))


def _beyond(painter: QPainter, rect: QRectF, style: DiagramStyle) -> None:
    paint_beyond(painter, rect.adjusted(4, 3, -4, -3), "+3", style.tokens, style.fonts.font(Role.MARK))


def _height(stack: Sequence[_Column]) -> float:
    return sum(_PITCH * (len(lines) + 1) for _, lines in stack) + GAP * (len(stack) - 1)
