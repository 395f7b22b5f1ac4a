"""Caches for painting event tables: laid out texts, and the texts and shapes of each row.

To find the text, color and glyph positions of a cell takes several times as long as to paint it, and rows
that are scrolled were painted elsewhere a moment before.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QLocale, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QImage,
    QPainter,
    QStaticText,
    QTransform,
)

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import visible
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.theme.tokens import LIGHT, Tokens, color
from cdb_desktop.ui.widgets.event_table.columns import EventColumn
from cdb_desktop.ui.widgets.family_shapes import SHAPE_SIZE, shape_image, transparent_image
from cdb_desktop.vocabulary.times import chosen_zone

_LaidOutText = tuple[QStaticText, float]  # with its width
_Line = tuple[str, int, bool]  # a text, the width, and whether its end is shown if it is cut
_MOST_TEXTS = 1_000  # a screen has some hundreds
_MOST_ROWS = 150  # a screen has some dozens
PLACEHOLDER_HEIGHT = 7
ARROW = GAP + TIGHT  # the width of the arrow that expands a row
_ROUND = 3
_BAR_STRENGTH = 0.6


class TextCache:
    """Laid out texts of one line in one font, elided to a width.

    Holds the most recently used half of its entries at least.
    """

    def __init__(self) -> None:
        self._font = QFont()
        self._metrics, self._height = QFontMetrics(self._font), QFontMetricsF(self._font).height()
        self._recent: dict[_Line, _LaidOutText] = {}
        self._older: dict[_Line, _LaidOutText] = {}

    def follow(self, painter: QPainter) -> bool:
        """Takes the font of ``painter``; returns whether it has changed. To be called before `find`."""
        if painter.font() == self._font:
            return False
        self._font, self._metrics = painter.font(), painter.fontMetrics()
        # The height of a QStaticText is in whole pixels, which would move some lines by one.
        self._height = QFontMetricsF(self._font).height()
        self._recent, self._older = {}, {}
        return True

    def top(self, top: int, height: int) -> float:
        """The y coordinate of a text that is centered in ``height`` pixels below ``top``."""
        return top + (height - self._height) / 2

    def find(
        self, text: str, width: int, *, right: bool, ends: bool = False
    ) -> tuple[QStaticText | None, float]:
        """The text elided to ``width``, None if there is nothing to paint, and its indentation.

        ``ends``: it is elided in the middle.
        """
        if not text or width <= 0:
            return None, 0.0
        line = text, width, ends
        known, taken = self._recent.get(line) or self._find(line)
        return known, width - taken if right else 0.0

    def _find(self, line: _Line) -> _LaidOutText:
        found = self._older.get(line) or self._lay_out(*line)
        if len(self._recent) >= _MOST_TEXTS:
            self._recent, self._older = {}, self._recent
        self._recent[line] = found
        return found

    def _lay_out(self, text: str, width: int, ends: bool) -> _LaidOutText:
        text = visible(text)
        found = self._prepared(text)
        if found[1] <= width:
            return found
        mode = Qt.TextElideMode.ElideMiddle if ends else Qt.TextElideMode.ElideRight
        return self._prepared(self._metrics.elidedText(text, mode, width))

    def _prepared(self, text: str) -> _LaidOutText:
        result = QStaticText(" ".join(text.splitlines()))
        # Texts of the service are never HTML.
        result.setTextFormat(Qt.TextFormat.PlainText)
        result.prepare(QTransform(), self._font)
        return result, result.size().width()


class Cell(NamedTuple):
    """The position of the column with the index ``place`` in the model."""

    place: int
    left: int
    width: int


class _Context(NamedTuple):
    """What all texts and positions depend on; a change empties the cache."""

    columns: Sequence[EventColumn]
    cells: Sequence[Cell]
    tokens: Tokens
    ratio: float
    zone: str
    locale: QLocale


class _RowContent(NamedTuple):
    """The texts and shapes of a row with their x coordinates."""

    texts: list[tuple[float, QStaticText, QColor]]
    shapes: list[tuple[int, QImage]]


class RowPaintCache:
    """What is painted for each event of one table."""

    def __init__(self) -> None:
        self._texts = TextCache()
        self._context = _Context((), (), LIGHT, 1.0, "", QLocale())
        self._rows: dict[Event, _RowContent] = {}

    def follow(
        self, painter: QPainter, columns: Sequence[EventColumn], cells: Sequence[Cell], tokens: Tokens
    ) -> None:
        """Prepares for painting rows with ``painter``, whose font is used."""
        ratio = painter.device().devicePixelRatioF()
        context = _Context(columns, tuple(cells), tokens, ratio, chosen_zone(), QLocale())
        if self._texts.follow(painter) or context != self._context:
            self._context, self._rows = context, {}

    def paint(self, painter: QPainter, event: Event, top: int, height: int) -> None:
        """Paints one row at ``top``."""
        text_top, middle = self._texts.top(top, height), top + (height - 1) // 2 - SHAPE_SIZE // 2
        found = self._rows.get(event) or self._find(event)
        for place, shape in found.shapes:
            painter.drawImage(self.aligned(place, middle), shape)
        for left, text, pen_color in found.texts:
            painter.setPen(pen_color)
            painter.drawStaticText(QPointF(left, text_top), text)

    def aligned(self, left: int, top: int) -> QPointF:
        """The position of an image, aligned with the pixels of the screen so that it stays sharp."""
        ratio = self._context.ratio
        return QPointF(round(left * ratio) / ratio, round(top * ratio) / ratio)

    def _find(self, event: Event) -> _RowContent:
        if len(self._rows) >= _MOST_ROWS:
            del self._rows[next(iter(self._rows))]
        found = self._rows[event] = self._content(event)
        return found

    def _content(self, event: Event) -> _RowContent:
        context, found = self._context, _RowContent([], [])
        for cell in context.cells:
            self._add_cell(found, cell, context.columns[cell.place], event)
        return found

    def _add_cell(self, found: _RowContent, cell: Cell, column: EventColumn, event: Event) -> None:
        tokens, left, width = self._context.tokens, cell.left + GAP, cell.width - 2 * GAP
        color_name, family = tokens.muted if column.figures else tokens.text, column.family(event)
        if family is not None:
            color_name = getattr(tokens, family.value)
            shape = shape_image(family, color_name, self._context.ratio)
            found.shapes.append((left + TIGHT - SHAPE_SIZE // 2, shape))
            left, width = left + GROUP, width - GROUP
        if column.detailed:
            left, width = left + ARROW, width - ARROW
        text, indent = self._texts.find(column.text(event), width, right=column.figures, ends=column.ends)
        if text is not None:
            found.texts.append((left + indent, text, color(color_name)))


@lru_cache(maxsize=32)
def placeholder_bars(bars: tuple[tuple[int, int], ...], color_name: str, ratio: float) -> QImage:
    """Bars in place of texts that are not loaded yet; ``bars`` are their left edges and widths."""
    result = transparent_image(max(left + width for left, width in bars), PLACEHOLDER_HEIGHT, ratio)
    with QPainter(result) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(color_name, _BAR_STRENGTH))
        for left, width in bars:
            painter.drawRoundedRect(QRectF(left, 0, width, PLACEHOLDER_HEIGHT), _ROUND, _ROUND)
    return result
