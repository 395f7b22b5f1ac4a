"""A line between what came before a moment and what came after it; painted over a feed's rows."""

from __future__ import annotations

from datetime import datetime

import msgspec
from PySide6.QtCore import QCoreApplication, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QTableView

from cdb_desktop.live.feed import Feed
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP
from cdb_desktop.ui.theme.tokens import Tokens
from cdb_desktop.vocabulary.times import clock_time

_LINE = 2


class Divider(msgspec.Struct, frozen=True):
    """Above the event with this number; the ``moment`` is told at its end, if there is one.

    Somebody wanted a mark; any other line only tells what is new.
    """

    number: int
    moment: datetime | None = None
    is_mark: bool = False


def paint_divider(table: QTableView, feed: Feed, divider: Divider, tokens: Tokens) -> None:
    """The line, with the moment at its end; a line that has no rows below is there only if it was wanted."""
    row, rows = feed.row_from(divider.number), len(feed)
    if not rows or (row == rows and not divider.is_mark) or divider.number < feed.removed:
        return
    last = min(row, rows - 1)
    top = table.rowViewportPosition(last) + (table.rowHeight(last) if row == rows else 0)
    viewport = table.viewport()
    if not 0 <= top <= viewport.height():
        return
    with QPainter(viewport) as painter:
        colour = QColor(tokens.accent)
        painter.fillRect(0, top - _LINE // 2, viewport.width(), _LINE, colour)
        if divider.moment is not None:
            painter.setFont(scaled(table.font(), CAPTION))
            _paint_words(painter, table, _words(divider.moment, is_mark=divider.is_mark), top, tokens)


def words_place(table: QTableView, words: str, top: int, metrics: QFontMetrics) -> QRect | None:
    """At the right end of a line, above or else below it, where it covers nothing; None without room."""
    viewport = table.viewport()
    width, height = metrics.horizontalAdvance(words) + 2 * GAP, metrics.height()
    left = viewport.width() - width
    for upper in (top - height, top):
        place = QRect(left, upper, width, height)
        row = table.rowAt(place.center().y())
        if viewport.rect().contains(place) and left > _text_end(table, row):
            return place
    return None


def _words(moment: datetime, *, is_mark: bool) -> tuple[str, str]:
    """All of them, and the fewest."""
    time, translate = clock_time(moment), QCoreApplication.translate
    words = translate("Live", "marked at %1") if is_mark else translate("Live", "new since %1")
    return words.replace("%1", time), time


def _paint_words(
    painter: QPainter, table: QTableView, forms: tuple[str, str], top: int, tokens: Tokens
) -> None:
    metrics = painter.fontMetrics()
    for words in forms:
        place = words_place(table, words, top, metrics)
        if place is not None:
            break
    else:
        place = _on_the_line(table, words, top, metrics)
    painter.fillRect(place, QColor(tokens.accent))
    painter.setPen(QColor(tokens.ground))
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)


def _on_the_line(table: QTableView, words: str, top: int, metrics: QFontMetrics) -> QRect:
    """Where every row is full: as low as figures are, between the texts above and below."""
    width, height = metrics.horizontalAdvance(words) + GAP, metrics.ascent()
    return QRect(table.viewport().width() - width, top - height // 2, width, height)


def _text_end(table: QTableView, row: int) -> int:
    """Where the last text of a row ends, 0 below the rows."""
    model, metrics, end = table.model(), table.fontMetrics(), 0
    for column in range(model.columnCount() if row >= 0 else 0):
        index = model.index(row, column)
        if index.data() and not table.isColumnHidden(column):
            needed = metrics.horizontalAdvance(str(index.data())) + GROUP + 2 * GAP  # with a sign
            end = max(end, table.columnViewportPosition(column) + min(needed, table.columnWidth(column)))
    return end
