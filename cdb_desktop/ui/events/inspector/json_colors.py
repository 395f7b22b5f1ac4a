"""Colors the parts of JSON in a text widget."""

from __future__ import annotations

import re

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat
from PySide6.QtWidgets import QPlainTextEdit

from cdb_desktop.ui.theme.appearance import Appearance

LONGEST = 50_000  # characters of a text that is colored, which takes some 30 ms
_PARTS = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*")(?=\s*:)|(?P<text>"(?:[^"\\]|\\.)*"?)'
    r"|(?P<word>\b(?:true|false|null)\b)|(?P<number>-?\b\d[\d.eE+-]*)"
)
_TOKENS = {"key": "accent", "text": "good", "word": "session", "number": "export"}


class JsonColors(QSyntaxHighlighter):
    """Keys, texts, numbers and words have the colors of the theme, each with enough contrast to be read."""

    def __init__(self, editor: QPlainTextEdit, appearance: Appearance) -> None:
        super().__init__(editor.document())
        self._appearance = appearance
        self._formats: dict[str, QTextCharFormat] = {}
        self._follow_theme()
        appearance.changed.connect(self._follow_theme)

    def highlightBlock(self, text: str) -> None:  # noqa: N802
        """Colors one line; lines of a very long text stay as they are."""
        if self.document().characterCount() > LONGEST:
            return
        for found in _PARTS.finditer(text):
            if found.lastgroup is not None:
                self.setFormat(found.start(), found.end() - found.start(), self._formats[found.lastgroup])

    def _follow_theme(self) -> None:
        tokens = self._appearance.tokens
        colors = {part: getattr(tokens, name) for part, name in _TOKENS.items()}
        if colors != {part: one.foreground().color().name().upper() for part, one in self._formats.items()}:
            for part, name in colors.items():
                self._formats[part] = QTextCharFormat()
                self._formats[part].setForeground(QColor(name))
            self.rehighlight()
