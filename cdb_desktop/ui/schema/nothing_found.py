"""What stands in the place of the tree when a search has found nothing: words, and the way back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from cdb_desktop.ui.theme.measures import GAP, MARGIN
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.named import named


class NothingFound(QWidget):
    """Small enough for the narrowest panel.

    Signals: ``clear_requested`` when the search is to be given up.
    """

    clear_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(self.backgroundRole().Base)
        self._text = caption(self)
        self._text.setWordWrap(True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.clear = named("schema.find.clear", QPushButton(self))
        self.clear.clicked.connect(self.clear_requested)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, MARGIN, GAP, MARGIN)
        layout.setSpacing(GAP)
        layout.addWidget(self._text)
        layout.addWidget(self.clear, alignment=Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)

    @property
    def text(self) -> str:
        """The sentence that is shown."""
        return self._text.text()

    def show_search(self, wanted: str) -> None:
        """Says what was searched for, in the language of the moment."""
        self._text.setText(self.tr("No table or column is named “%1”.").replace("%1", wanted))
        self.clear.setText(self.tr("Clear search"))
