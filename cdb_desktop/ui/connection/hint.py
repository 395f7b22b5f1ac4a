"""A line of text below a field: a hint, a warning or an error."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION
from cdb_desktop.ui.widgets.labels import Label

Tone = Literal["muted", "good", "warning", "danger"]

# Not by color alone.
_SIGNS: dict[Tone, str] = {"muted": "", "good": "✓ ", "warning": "△ ", "danger": "△ "}


class Hint(Label):
    """Occupies one line even while it is empty."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._tone: Tone = "muted"
        self.setFont(scaled(self.font(), CAPTION))
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setMinimumHeight(self.fontMetrics().height())
        appearance.changed.connect(self._paint)
        self._paint()

    @property
    def tone(self) -> Tone:
        """The tone of the text."""
        return self._tone

    def show_hint(self, tone: Tone, text: str) -> None:
        """Shows ``text`` in the color of ``tone``."""
        self._tone = tone
        self.setText(f"{_SIGNS[tone]}{text}" if text else "")
        self._paint()

    def _paint(self) -> None:
        colours = QPalette(self.palette())
        colours.setColor(QPalette.ColorRole.WindowText, QColor(getattr(self._appearance.tokens, self._tone)))
        self.setPalette(colours)
