"""The legend of the diagram: what its colors, marks, line ends and signs mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.model import Mark, Role, mark_text
from cdb_desktop.ui.schema.diagram.heat_item import heat_texts, heat_title, paint_level
from cdb_desktop.ui.schema.diagram.link_item import paint_source_end, paint_target_end
from cdb_desktop.ui.schema.diagram.regions import LABEL, paint_triangle
from cdb_desktop.ui.schema.diagram.style import (
    HIT,
    MARK,
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
from cdb_desktop.ui.theme.tokens import Tokens

_SAMPLE = 34.0  # width of the samples
_PITCH = 20.0  # height of a line

# A sample in a rectangle, and what it means.
_Sample = Callable[[QPainter, QRectF], None]
_Line = tuple[_Sample, str]
_Column = tuple[str, Sequence[_Line]]


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
        self.hide()

    def _redraw(self) -> None:
        self._drawing = LegendDrawing(self._fonts, self._appearance.tokens, room=self._room)
        self.setAccessibleName(tr("Legend of the diagram"))
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
    """The legend as a drawing at 0, 0, for the screen and for files."""

    def __init__(
        self,
        fonts: DiagramFonts,
        tokens: Tokens,
        shown: DiagramStyle | None = None,
        *,
        room: float = inf,
    ) -> None:
        """``shown`` also explains what a diagram shows for a time, such as the use of its tables.

        ``room`` is how wide it may be.
        """
        self._fonts = fonts
        self._tokens = tokens
        columns: list[_Column] = [self._tables_and_links(has_kinds=shown is None or shown.heat is None)]
        columns += [self._marks(), self._changes()]
        if shown is not None:
            columns += self._for_a_time(shown)
        self._columns = tuple(columns)
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
        painter.setPen(QPen(QColor(self._tokens.line), 1))
        painter.setBrush(QColor(self._tokens.raised))
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
        tokens, fonts = self._tokens, self._fonts
        title, lines = column
        left, top = corner.x(), corner.y()
        painter.setFont(fonts.font(Role.NESTED_TABLE))
        painter.setPen(QColor(tokens.muted))
        painter.drawText(QPointF(left, fonts.baseline(Role.NESTED_TABLE, top, _PITCH)), title)
        for paint, text in lines:
            top += _PITCH
            painter.save()
            paint(painter, QRectF(left, top, _SAMPLE, _PITCH))
            painter.restore()
            painter.setFont(fonts.font(Role.TYPE))
            painter.setPen(QColor(tokens.text))
            painter.drawText(QPointF(left + _SAMPLE + GAP, fonts.baseline(Role.TYPE, top, _PITCH)), text)

    def _width(self, column: _Column) -> float:
        title, lines = column
        widest = max(self._fonts.width(text, Role.TYPE) for _, text in lines)
        return max(self._fonts.width(title, Role.NESTED_TABLE), _SAMPLE + GAP + widest)

    def _tables_and_links(self, *, has_kinds: bool) -> tuple[str, list[_Line]]:
        def head(kind: TableKind) -> Callable[[QPainter, QRectF], None]:
            def paint(painter: QPainter, rect: QRectF) -> None:
                tokens = self._tokens
                painter.setPen(QPen(QColor(tokens.edge), 1))
                painter.setBrush(QColor(tokens.ground))
                box = rect.adjusted(1, 4, -1, -4)
                painter.drawRoundedRect(box, 3, 3)
                painter.setBrush(kind_color(kind, tokens))
                painter.drawRoundedRect(box, 3, 3)

            return paint

        lines: list[_Line] = [(head(kind), kind_text(kind)) for kind in TableKind] if has_kinds else []
        lines += [
            (self._end(paint_source_end, on=False), tr("any number of rows")),
            (self._end(paint_target_end, on=False), tr("one row or none")),
            (self._end(paint_target_end, on=True), tr("exactly one row")),
            (self._count, tr("links that share an end")),
            (self._group, tr("group of tables")),
        ]
        return tr("Tables and links"), lines

    def _end(self, paint_end: Callable[..., None], *, on: bool) -> Callable[[QPainter, QRectF], None]:
        def paint(painter: QPainter, rect: QRectF) -> None:
            tokens = self._tokens
            middle = rect.center().y()
            painter.setPen(QPen(QColor(tokens.edge), 1.2))
            painter.drawLine(
                QPointF(rect.left() + 1, rect.top() + 2), QPointF(rect.left() + 1, rect.bottom() - 2)
            )
            painter.drawLine(QPointF(rect.left() + 1, middle), QPointF(rect.right(), middle))
            painter.setBrush(QColor(tokens.raised))
            paint_end(painter, (rect.left() + 1, middle), 1.0, on)

        return paint

    def _count(self, painter: QPainter, rect: QRectF) -> None:
        painter.setFont(self._fonts.font(Role.MARK))
        painter.setPen(QColor(self._tokens.text))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, "×7")

    def _group(self, painter: QPainter, rect: QRectF) -> None:
        color = group_color(0, self._tokens)
        painter.setPen(QPen(color, 1.2))
        painter.setBrush(mixed(color, QColor(self._tokens.ground), LABEL))
        painter.drawRoundedRect(rect.adjusted(1, 3, -1, -3), 3, 3)
        mark = QPointF(rect.left() + TIGHT + 1, rect.center().y())
        paint_triangle(painter, mark, QColor(self._tokens.text), is_open=True)

    def _marks(self) -> tuple[str, list[_Line]]:
        def sample(mark: Mark) -> Callable[[QPainter, QRectF], None]:
            def paint(painter: QPainter, rect: QRectF) -> None:
                middle = rect.center()
                paint_mark(painter, mark, middle.x() - MARK / 2, middle.y(), QColor(self._tokens.muted))

            return paint

        return tr("Beside names"), [(sample(mark), mark_text(mark)) for mark in Mark]

    def _changes(self) -> tuple[str, list[_Line]]:
        def badge(text: str) -> Callable[[QPainter, QRectF], None]:
            def paint(painter: QPainter, rect: QRectF) -> None:
                tokens = self._tokens
                color = QColor(tokens.danger) if text == "!" else sign_color(text, tokens)
                colors = color, QColor(tokens.ground)
                paint_badge(painter, rect.center(), text, colors, self._fonts.font(Role.MARK))

            return paint

        meanings = {
            "+": tr("Added"),
            "~": tr("Changed"),
            "→": tr("Renamed"),
            "−": tr("Removed"),
            "!": tr("Problems"),
        }
        return tr("Changes"), [(badge(sign), text) for sign, text in meanings.items()]

    def _for_a_time(self, shown: DiagramStyle) -> Iterator[_Column]:
        """The columns for the use of tables, and for what was searched or left out."""
        if shown.heat is not None:
            yield self._use(shown)
        if shown.sides:
            yield tr("Sides of the merge"), list(self._sides())
        lines: list[_Line] = []
        if shown.hits:
            lines.append((self._hit, tr("found by the search")))
        if shown.path:
            lines.append((self._path, tr("path between two tables")))
        if shown.beyond:
            lines.append((self._beyond, tr("links with tables that are not shown")))
        if lines:
            yield tr("Shown now"), lines

    def _sides(self) -> Iterator[_Line]:
        """What each side of a merge has changed, and conflicts."""
        tokens, ground = self._tokens, QColor(self._tokens.ground)

        def badge(color: str) -> _Sample:
            colors = QColor(color), ground
            font = self._fonts.font(Role.MARK)
            return lambda painter, rect: paint_badge(painter, rect.center(), "~", colors, font)

        def conflict(color: str, *, is_decided: bool) -> _Sample:
            colors = QColor(color), ground
            font = self._fonts.font(Role.MARK)
            return lambda painter, rect: paint_conflict(painter, rect.center(), is_decided, colors, font)

        yield badge(tokens.accent), tr("mine")
        yield badge(tokens.session), tr("theirs")
        yield conflict(tokens.danger, is_decided=False), tr("conflict")
        yield conflict(tokens.good, is_decided=True), tr("decided")

    def _use(self, shown: DiagramStyle) -> _Column:
        def level(number: int | None) -> _Sample:
            def paint(painter: QPainter, rect: QRectF) -> None:
                painter.setFont(self._fonts.font(Role.TYPE))
                paint_level(painter, rect.adjusted(1, 2, -1, -2), number, self._tokens)

            return paint

        lines = [(level(number), text) for number, text in heat_texts(shown.heat_kind)]
        lines.append((self._size, tr("the longer, the more rows")))
        return heat_title(shown.heat_kind), lines

    def _size(self, painter: QPainter, rect: QRectF) -> None:
        tokens = self._tokens
        box = rect.adjusted(1, 4, -1, -4)
        painter.setPen(QPen(QColor(tokens.handle), 1))
        painter.setBrush(QColor(tokens.ground))
        painter.drawRect(box)
        painter.fillRect(QRectF(box.left(), box.bottom() - 4, box.width() * 0.6, 4), QColor(tokens.muted))

    def _hit(self, painter: QPainter, rect: QRectF) -> None:
        painter.fillRect(rect.adjusted(1, 3, -1, -3), translucent(QColor(self._tokens.mark), HIT))

    def _path(self, painter: QPainter, rect: QRectF) -> None:
        middle = rect.center().y()
        painter.setPen(QPen(QColor(self._tokens.accent), 2))
        painter.drawLine(QPointF(rect.left() + 1, middle), QPointF(rect.right() - 1, middle))

    def _beyond(self, painter: QPainter, rect: QRectF) -> None:
        room = rect.adjusted(4, 3, -4, -3)
        paint_beyond(painter, room, "+3", self._tokens, self._fonts.font(Role.MARK))


def _height(stack: Sequence[_Column]) -> float:
    return sum(_PITCH * (len(lines) + 1) for _, lines in stack) + GAP * (len(stack) - 1)
