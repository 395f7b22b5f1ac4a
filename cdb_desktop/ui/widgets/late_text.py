"""A text for reading that is laid out when it comes into sight; knows not what it tells."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget


class LateText(QPlainTextEdit):
    """Behind another tab a text costs nothing, be it as long as it may."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self._text = ""
        self._is_late = False

    @property
    def text(self) -> str:
        """What it tells, in sight or not."""
        return self._text

    def show_text(self, text: str) -> None:
        """Another text from its beginning."""
        self._text, self._is_late = text, True
        if self.isVisible():
            self._lay_out()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """It is in sight."""
        super().showEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        if self._is_late:
            self.setPlainText(self._text)
            self._is_late = False
