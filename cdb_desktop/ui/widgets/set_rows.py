"""The cells of events, found out once however often their rows are painted; knows neither table nor model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QLocale, QPointF
from PySide6.QtGui import QColor, QImage, QPainter, QStaticText

from cdb_desktop.client import Event
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.theme.tokens import LIGHT, Tokens
from cdb_desktop.ui.widgets.event_columns import Column
from cdb_desktop.ui.widgets.row_ink import ink
from cdb_desktop.ui.widgets.set_texts import SetTexts
from cdb_desktop.ui.widgets.shapes import SHAPE, shape_image
from cdb_desktop.vocabulary.times import chosen_zone

_KEPT = 150  # rows that came into sight last; a screen has some dozens


class Cell(NamedTuple):
    """Where the column at a ``place`` of the model stands."""

    place: int
    left: int
    width: int


class _Ground(NamedTuple):
    """What all texts and places depend on; other ones, and all is found out anew."""

    columns: Sequence[Column]
    cells: Sequence[Cell]
    tokens: Tokens
    ratio: float
    zone: str
    locale: QLocale


class _Set(NamedTuple):
    """The texts and the shapes of a row, each with where it begins."""

    texts: list[tuple[float, QStaticText, QColor]]
    shapes: list[tuple[int, QImage]]


class SetRows:
    """The rows of one table.

    What a cell tells, in which colour and where each of its glyphs stands takes several times as long as to
    paint it; rows that are scrolled have stood elsewhere a moment before.
    """

    def __init__(self) -> None:
        self._texts = SetTexts()
        self._ground = _Ground((), (), LIGHT, 1.0, "", QLocale())
        self._known: dict[Event, _Set] = {}

    def follow(
        self, painter: QPainter, columns: Sequence[Column], cells: Sequence[Cell], tokens: Tokens
    ) -> None:
        """To be called before rows are painted, once for all; the font is the painter's."""
        ratio = painter.device().devicePixelRatioF()
        ground = _Ground(columns, tuple(cells), tokens, ratio, chosen_zone(), QLocale())
        if self._texts.follow(painter) or ground != self._ground:
            self._ground, self._known = ground, {}

    def paint(self, painter: QPainter, event: Event, top: int, height: int) -> None:
        """One row; ``top`` and ``height`` are its own."""
        text_top, middle = self._texts.top(top, height), top + (height - 1) // 2 - SHAPE // 2
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
        if len(self._known) >= _KEPT:
            del self._known[next(iter(self._known))]
        found = self._known[event] = self._set(event)
        return found

    def _set(self, event: Event) -> _Set:
        ground, found = self._ground, _Set([], [])
        for cell in ground.cells:
            self._set_cell(found, cell, ground.columns[cell.place], event)
        return found

    def _set_cell(self, found: _Set, cell: Cell, column: Column, event: Event) -> None:
        tokens, left, width = self._ground.tokens, cell.left + GAP, cell.width - 2 * GAP
        colour, family = tokens.muted if column.figures else tokens.text, column.family(event)
        if family is not None:
            colour = getattr(tokens, family.value)
            shape = shape_image(family, colour, self._ground.ratio)
            found.shapes.append((left + TIGHT - SHAPE // 2, shape))
            left, width = left + GROUP, width - GROUP
        text, indent = self._texts.find(column.text(event), width, right=column.figures)
        if text is not None:
            found.texts.append((left + indent, text, ink(colour)))
