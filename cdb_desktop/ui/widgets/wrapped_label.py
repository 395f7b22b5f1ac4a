"""A label of several lines in which no word is cut at the edge."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QWidget

from cdb_desktop.ui.widgets.label import Label

_NARROWEST = 40
_MOST_LINES = 2  # of one word: a path may be wrapped at its slashes
_BETWEEN_WORDS = re.compile(r"(\s+)")
_ENCODING = "utf-16-le"  # Qt counts in its units


class WrappedLabel(Label):
    """Wraps its text at words. One that takes more than two lines, such as a path, is elided in its
    middle, and so is what is longer than a line and cannot be wrapped.

    While anything is elided, tooltip and accessible description have the whole text. Whoever has laid the
    label out calls `elide`.

    Signals: ``resized`` when it has another width.
    """

    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, wordWrap=True)
        self._whole = ""

    def text(self) -> str:
        """The whole text."""
        return self._whole

    def setText(self, text: str) -> None:  # noqa: N802
        """Shows another text."""
        self._whole = text
        self._show(text)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Takes no account of the longest word."""
        wanted = super().minimumSizeHint()
        return QSize(min(_NARROWEST, wanted.width()), wanted.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Another width may leave other words elided."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.resized.emit()

    def elide(self) -> bool:
        """Elides what is longer than a line of the width of now; gives whether another text is shown."""
        before = super().text()
        width = self.contentsRect().width() - 2 * self.margin()
        self._show("\n".join(self._fitted(line, width) for line in self._whole.split("\n")))
        return super().text() != before

    def _show(self, shown: str) -> None:
        if shown != super().text():
            super().setText(shown)
        whole = "" if shown == self._whole else self._whole
        self.setToolTip(whole)
        self.setAccessibleDescription(whole)

    def _fitted(self, text: str, width: int) -> str:
        """A paragraph with all that is too long for the width elided."""
        words = (self._elided(word, _MOST_LINES * width) for word in _BETWEEN_WORDS.split(text))
        text = "".join(words)
        units = text.encode(_ENCODING, "surrogatepass")
        layout = QTextLayout(text, self.font())
        layout.setTextOption(QTextOption(self.alignment()))
        layout.beginLayout()
        parts: list[str] = []
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            start, end = 2 * line.textStart(), 2 * (line.textStart() + line.textLength())
            part = units[start:end].decode(_ENCODING, "surrogatepass")
            if line.naturalTextWidth() > width:
                part = self._elided(part, width)
            parts.append(part)
        layout.endLayout()
        return "".join(parts)

    def _elided(self, text: str, width: int) -> str:
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, width)
