"""Caches of what the rows of an event table are painted from."""

from __future__ import annotations

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
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.theme.palette import color
from cdb_desktop.ui.theme.tokens import LIGHT, Tokens
from cdb_desktop.ui.widgets.event_table.columns import EventColumn
from cdb_desktop.ui.widgets.family_shapes import SHAPE_SIZE, shape_image, transparent_image
from cdb_desktop.vocabulary.times import chosen_zone

_SetText = tuple[QStaticText, float]  # with its width
_ELIDE = Qt.TextElideMode.ElideRight
_KEPT = 1_000  # texts that were painted last; a screen has some hundreds


class TextCache:
    """The texts of one table, in one font.

    To find out where each glyph of a text stands takes most of the time of painting it, and many rows have
    the same texts.
    """

    def __init__(self) -> None:
        self._font = QFont()
        self._metrics, self._height = QFontMetrics(self._font), QFontMetricsF(self._font).height()
        self._young: dict[tuple[str, int], _SetText] = {}
        self._old: dict[tuple[str, int], _SetText] = {}

    def follow(self, painter: QPainter) -> bool:
        """To be called before texts are looked for: takes the font, and says whether it is another one."""
        if painter.font() == self._font:
            return False
        self._font, self._metrics = painter.font(), painter.fontMetrics()
        # Not what a set text tells, which is whole pixels: lines would stand one higher than others.
        self._height = QFontMetricsF(self._font).height()
        self._young, self._old = {}, {}
        return True

    def top(self, top: int, height: int) -> float:
        """Where a text begins that stands in the middle between ``top`` and ``height`` pixels below."""
        return top + (height - self._height) / 2

    def find(self, text: str, width: int, *, right: bool) -> tuple[QStaticText | None, float]:
        """One line, cut where there is no room for more, and how far from the left it begins."""
        if not text or width <= 0:
            return None, 0.0
        known, taken = self._young.get((text, width)) or self._find(text, width)
        return known, width - taken if right else 0.0

    def _find(self, text: str, width: int) -> _SetText:
        found = self._old.get((text, width)) or self._set(text, width)
        if len(self._young) >= _KEPT:
            self._young, self._old = {}, self._young
        self._young[text, width] = found
        return found

    def _set(self, text: str, width: int) -> _SetText:
        found = self._prepared(text)
        return found if found[1] <= width else self._prepared(self._metrics.elidedText(text, _ELIDE, width))

    def _prepared(self, text: str) -> _SetText:
        result = QStaticText(" ".join(text.splitlines()))
        # What others have typed is never taken for HTML.
        result.setTextFormat(Qt.TextFormat.PlainText)
        result.prepare(QTransform(), self._font)
        return result, result.size().width()


_KEPT_SET_ROWS = 150  # rows that came into sight last; a screen has some dozens


class Cell(NamedTuple):
    """Where the column at a ``place`` of the model stands."""

    place: int
    left: int
    width: int


class _Ground(NamedTuple):
    """What all texts and places depend on; other ones, and all is found out anew."""

    columns: Sequence[EventColumn]
    cells: Sequence[Cell]
    tokens: Tokens
    ratio: float
    zone: str
    locale: QLocale


class _Set(NamedTuple):
    """The texts and the shapes of a row, each with where it begins."""

    texts: list[tuple[float, QStaticText, QColor]]
    shapes: list[tuple[int, QImage]]


class RowPaintCache:
    """The rows of one table.

    What a cell tells, in which colour and where each of its glyphs stands takes several times as long as to
    paint it; rows that are scrolled have stood elsewhere a moment before.
    """

    def __init__(self) -> None:
        self._texts = TextCache()
        self._ground = _Ground((), (), LIGHT, 1.0, "", QLocale())
        self._known: dict[Event, _Set] = {}

    def follow(
        self, painter: QPainter, columns: Sequence[EventColumn], cells: Sequence[Cell], tokens: Tokens
    ) -> None:
        """To be called before rows are painted, once for all; the font is the painter's."""
        ratio = painter.device().devicePixelRatioF()
        ground = _Ground(columns, tuple(cells), tokens, ratio, chosen_zone(), QLocale())
        if self._texts.follow(painter) or ground != self._ground:
            self._ground, self._known = ground, {}

    def paint(self, painter: QPainter, event: Event, top: int, height: int) -> None:
        """One row; ``top`` and ``height`` are its own."""
        text_top, middle = self._texts.top(top, height), top + (height - 1) // 2 - SHAPE_SIZE // 2
        found = self._known.get(event) or self._find(event)
        for place, shape in found.shapes:
            painter.drawImage(self.settled(place, middle), shape)
        for left, text, colour in found.texts:
            painter.setPen(colour)
            painter.drawStaticText(QPointF(left, text_top), text)

    def settled(self, left: int, top: int) -> QPointF:
        """Where an image meets the pixels of the screen, so that it stays sharp."""
        ratio = self._ground.ratio
        return QPointF(round(left * ratio) / ratio, round(top * ratio) / ratio)

    def _find(self, event: Event) -> _Set:
        if len(self._known) >= _KEPT_SET_ROWS:
            del self._known[next(iter(self._known))]
        found = self._known[event] = self._set(event)
        return found

    def _set(self, event: Event) -> _Set:
        ground, found = self._ground, _Set([], [])
        for cell in ground.cells:
            self._set_cell(found, cell, ground.columns[cell.place], event)
        return found

    def _set_cell(self, found: _Set, cell: Cell, column: EventColumn, event: Event) -> None:
        tokens, left, width = self._ground.tokens, cell.left + GAP, cell.width - 2 * GAP
        colour, family = tokens.muted if column.figures else tokens.text, column.family(event)
        if family is not None:
            colour = getattr(tokens, family.value)
            shape = shape_image(family, colour, self._ground.ratio)
            found.shapes.append((left + TIGHT - SHAPE_SIZE // 2, shape))
            left, width = left + GROUP, width - GROUP
        text, indent = self._texts.find(column.text(event), width, right=column.figures)
        if text is not None:
            found.texts.append((left + indent, text, color(colour)))


PLACEHOLDER_HEIGHT = 7  # how high the bar is that holds the place of a text
_ROUND = 3
_BAR_STRENGTH = 0.6


@lru_cache(maxsize=32)
def placeholder_bars(stretches: tuple[tuple[int, int], ...], colour: str, ratio: float) -> QImage:
    """What holds the place of texts that are not here yet: the left and the width of each."""
    result = transparent_image(max(left + width for left, width in stretches), PLACEHOLDER_HEIGHT, ratio)
    with QPainter(result) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(colour, _BAR_STRENGTH))
        for left, width in stretches:
            painter.drawRoundedRect(QRectF(left, 0, width, PLACEHOLDER_HEIGHT), _ROUND, _ROUND)
    return result
