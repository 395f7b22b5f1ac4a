"""The sheet in which each colour gets the text that it marks."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QFormLayout, QLineEdit, QPushButton, QWidget

from cdb_desktop.ui.events.browser.popup import Popup
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.event_table.marks import TONES
from cdb_desktop.ui.widgets.labels import Label

_WIDTH = 240


class HighlightPopup(Popup):
    """A line for each tone; numbers stand beside the colours, as in the rows."""

    def __init__(self, appearance: Appearance, texts: Mapping[str, str], parent: QWidget) -> None:
        super().__init__(appearance, self.tr("Highlight rows"), self.tr("Apply"), parent)
        self._lines: dict[str, QLineEdit] = {}
        fields = QWidget(self)
        form = QFormLayout(fields)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(GAP)
        for number, tone in enumerate(TONES, 1):
            line = QLineEdit(texts.get(tone, ""), self, clearButtonEnabled=True)
            line.setMinimumWidth(_WIDTH)
            line.setObjectName(f"events.highlight.{tone}")
            line.setAccessibleName(self.tr("Text of mark %1").replace("%1", str(number)))
            label = Label(f"▌{number}", self)
            palette = QPalette(label.palette())
            palette.setColor(QPalette.ColorRole.WindowText, QColor(getattr(appearance.tokens, tone)))
            label.setPalette(palette)
            form.addRow(label, line)
            self._lines[tone] = line
        self.add(fields)
        self.add_note(self.tr("A row gets the first mark whose text occurs in one of its values."))
        reset = QPushButton(self.tr("None"), self)
        reset.setAutoDefault(False)
        reset.clicked.connect(self._clear)
        self.finish(self._lines[TONES[0]], reset)

    @property
    def texts(self) -> dict[str, str]:
        """What is typed, by tone."""
        return {tone: line.text() for tone, line in self._lines.items()}

    def _clear(self) -> None:
        for line in self._lines.values():
            line.clear()
