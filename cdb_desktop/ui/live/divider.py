"""A line between what came before a moment and what came after it; painted over a feed's rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QCoreApplication, QRect, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QTableView

from cdb_desktop.live.feed import Feed
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.theme.tokens import Tokens
from cdb_desktop.vocabulary.times import clock_time

_LINE = 2


@dataclass(frozen=True, slots=True)
class Divider:
    """Above the event with this number; ``moment`` is told where somebody has marked it."""

    number: int
    moment: datetime | None = None


def paint_divider(table: QTableView, feed: Feed, divider: Divider, tokens: Tokens) -> None:
    """The line, with the moment at its end; a line that has no rows below is there only if it was wanted."""
    row, rows = feed.row_from(divider.number), len(feed)
    if not rows or (row == rows and divider.moment is None):
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
            words = QCoreApplication.translate("Live", "marked at %1")
            _paint_words(painter, words.replace("%1", clock_time(divider.moment)), top, tokens)


def _paint_words(painter: QPainter, words: str, top: int, tokens: Tokens) -> None:
    metrics = painter.fontMetrics()
    width, height = metrics.horizontalAdvance(words) + 2 * GAP, metrics.height() + TIGHT
    # Above the line, but for one at the very top.
    place = QRect(painter.device().width() - width, top - height if top >= height else top, width, height)
    painter.fillRect(place, QColor(tokens.accent))
    painter.setPen(QColor(tokens.ground))
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)
