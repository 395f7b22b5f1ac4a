"""Texts of one line, set and cut once however often they are painted; knows not what they tell."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QFontMetricsF, QPainter, QStaticText, QTransform

_SetText = tuple[QStaticText, float]  # with its width
_ELIDE = Qt.TextElideMode.ElideRight
_KEPT = 1_000  # texts that were painted last; a screen has some hundreds


class SetTexts:
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
