"""Lines between the rows of a feed: where the user has marked a moment, or has looked last."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QTableView

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.feed import Feed
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP
from cdb_desktop.ui.theme.tokens import Tokens
from cdb_desktop.vocabulary.times import clock_time

_MOST_MARKS = 100
_LINE = 2
_SHORTEST = 6  # characters of the beginning of a name


class Divider(msgspec.Struct, frozen=True):
    """A line above the event with this ``number``, with the time of ``moment`` at its end.

    A mark of the user is shown even if no rows follow; ``name`` is what the user has called it, or empty.
    """

    number: int
    moment: datetime | None = None
    is_mark: bool = False
    name: str = ""


class Dividers:
    """The dividers of a feed: marks, until their rows are removed, and the one of the last look."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._last_look: Divider | None = None
        self._marks: tuple[Divider, ...] = ()

    def __iter__(self) -> Iterator[Divider]:
        if self._last_look is not None:
            yield self._last_look
        yield from self._marks

    @property
    def marks(self) -> tuple[Divider, ...]:
        """The marks, oldest first."""
        return self._marks

    def mark(self, moment: datetime) -> None:
        """Adds a mark after the newest event; one that is there already gives it its name."""
        name = next((one.name for one in self._marks if one.number == self._feed.end), "")
        new = Divider(self._feed.end, moment, is_mark=True, name=name)
        before = [one for one in self._marks if self._feed.removed <= one.number != new.number]
        self._marks = (*before, new)[-_MOST_MARKS:]

    def name_mark(self, moment: datetime, name: str) -> None:
        """Names the mark of a moment; a name that it has from an earlier mark at its place is kept."""
        self._marks = tuple(
            replace(one, name=", ".join(filter(None, (one.name, name)))) if one.moment == moment else one
            for one in self._marks
        )

    def set_last_look(self, number: int, moment: datetime) -> None:
        """The user has not seen events from ``number`` on, which are new since ``moment``."""
        self._last_look = Divider(number, moment)

    def copy_from(self, other: Dividers) -> None:
        """Takes the dividers of another feed with the same events."""
        self._last_look, self._marks = other._last_look, other._marks

    def next_row(self, row: int, direction: int) -> int | None:
        """The row below the next mark from ``row``, in the ``direction`` 1 (down) or -1 (up)."""
        rows = sorted(
            {self._feed.row_from(one.number) for one in self._marks if one.number >= self._feed.removed}
        )
        found = [one for one in rows if (one - row) * direction > 0]
        return found[0 if direction > 0 else -1] if found else None


def paint_divider(table: QTableView, feed: Feed, divider: Divider, tokens: Tokens) -> None:
    """Paints a divider over the rows of a table if it is in view."""
    row, rows = feed.row_from(divider.number), len(feed)
    if not rows or (row == rows and not divider.is_mark) or divider.number < feed.removed:
        return
    last = min(row, rows - 1)
    top = table.rowViewportPosition(last) + (table.rowHeight(last) if row == rows else 0)
    viewport = table.viewport()
    if not 0 <= top <= viewport.height():
        return
    with QPainter(viewport) as painter:
        painter.fillRect(0, top - _LINE // 2, viewport.width(), _LINE, QColor(tokens.accent))
        if divider.moment is not None:
            painter.setFont(scaled(table.font(), CAPTION))
            texts = _label_texts(divider, divider.moment)
            text, rect = fitting_label(table, texts, top, painter.fontMetrics())
            painter.fillRect(rect, QColor(tokens.accent))
            painter.setPen(QColor(tokens.ground))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def label_rect(table: QTableView, text: str, top: int, metrics: QFontMetrics) -> QRect | None:
    """Where a label covers no text, at the right end of the line, above or below it; None without space."""
    width = metrics.horizontalAdvance(text) + 2 * GAP
    for upper, room in _rooms(table, top, metrics.height()):
        if width < room:
            return QRect(table.viewport().width() - width, upper, width, metrics.height())
    return None


def _rooms(table: QTableView, top: int, height: int) -> Iterator[tuple[int, int]]:
    """The tops of the places above and below a line that are in view, with their widths without text."""
    viewport = table.viewport()
    for upper in (top - height, top):
        if upper >= 0 and upper + height <= viewport.height():
            row = table.rowAt(upper + height // 2)
            yield upper, viewport.width() - _text_end(table, row)


def _label_texts(divider: Divider, moment: datetime) -> tuple[str, ...]:
    """The label, and shorter ones for less space; the last one is the time."""
    time = clock_time(moment)
    if divider.name:
        return f"{divider.name} · {time}", divider.name, time
    return (tr("marked at {time}", time=time) if divider.is_mark else tr("new since {time}", time=time)), time


def fitting_label(
    table: QTableView, texts: tuple[str, ...], top: int, metrics: QFontMetrics
) -> tuple[str, QRect]:
    """The longest text that covers no other, or its beginning, and where it is."""
    *longer, time = texts
    if len(longer) > 1:
        # The beginning of a name says more than the time.
        room = max((room for _upper, room in _rooms(table, top, metrics.height())), default=0)
        begun = metrics.elidedText(longer[-1], Qt.TextElideMode.ElideRight, room - 2 * GAP - 1)
        longer += [begun] if len(begun) > _SHORTEST else []
    for text in (*longer, time):
        rect = label_rect(table, text, top, metrics)
        if rect is not None:
            return text, rect
    return time, _rect_on_line(table, time, top, metrics)


def _rect_on_line(table: QTableView, text: str, top: int, metrics: QFontMetrics) -> QRect:
    """The rectangle for a label between rows that are full: as high as digits, centered on the line."""
    width, height = metrics.horizontalAdvance(text) + GAP, metrics.ascent()
    return QRect(table.viewport().width() - width, top - height // 2, width, height)


def _text_end(table: QTableView, row: int) -> int:
    """The right end of the last text in a row, 0 below the rows."""
    model, metrics, end = table.model(), table.fontMetrics(), 0
    for column in range(model.columnCount() if row >= 0 else 0):
        index = model.index(row, column)
        if index.data() and not table.isColumnHidden(column):
            needed = metrics.horizontalAdvance(str(index.data())) + GROUP + 2 * GAP  # with a symbol
            end = max(end, table.columnViewportPosition(column) + min(needed, table.columnWidth(column)))
    return end
