"""Texts of one line, set and cut once however often they are painted; knows not what they tell."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QPainter, QStaticText, QTransform

_SetText = tuple[QStaticText, float]  # with its width
_ELIDE = Qt.TextElideMode.ElideRight
_KEPT = 1_000  # texts that were painted last; a screen has some hundreds


class SetTexts:
    """The texts of one table, in one font.

    To find out where each glyph of a text stands takes most of the time of painting it; rows that are
    scrolled have stood elsewhere a moment before.
    """

    def __init__(self) -> None:
        self._font = QFont()
        self._metrics, self._height = QFontMetrics(self._font), QFontMetricsF(self._font).height()
        self._young: dict[tuple[str, int], _SetText] = {}
        self._old: dict[tuple[str, int], _SetText] = {}

    def follow(self, painter: QPainter) -> None:
        """To be called before texts are painted, once for all: takes the font."""
        if painter.font() != self._font:
            self._font, self._metrics = painter.font(), painter.fontMetrics()
            # Not what a set text tells, which is whole pixels: lines would stand one higher than others.
            self._height = QFontMetricsF(self._font).height()
            self._young, self._old = {}, {}

    def paint(self, painter: QPainter, rect: QRect, text: str, colour: QColor, *, right: bool) -> None:
        """One line in the middle of ``rect``, cut where there is no room for more."""
        width = rect.width()
        if not text or width <= 0:
            return
        known, taken = self._young.get((text, width)) or self._find(text, width)
        left = rect.left() + (width - taken if right else 0)
        painter.setPen(colour)
        painter.drawStaticText(QPointF(left, rect.top() + (rect.height() - self._height) / 2), known)

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
