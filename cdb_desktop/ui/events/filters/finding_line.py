"""A sentence below a list in which nothing was found, with a button for what can be done. Asks nobody."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.named import named


class FindingLine(QWidget):
    """Out of sight while there is nothing to say.

    Signals: ``pressed``.
    """

    pressed = Signal()

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = named(f"{name}.told", caption(self))
        self._label.setWordWrap(True)
        self.button = named(f"{name}.button", QPushButton(self))
        self.button.setAutoDefault(False)
        self.button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.button.clicked.connect(self.pressed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self._label, stretch=1)
        layout.addWidget(self.button)
        self.hide()

    @property
    def told(self) -> str:
        """What is said, nothing while it is out of sight."""
        return "" if self.isHidden() else self._label.text()

    def tell(self, text: str, button: str = "") -> None:
        """Says ``text``; no text puts it out of sight, no ``button`` leaves that out."""
        self._label.setText(text)
        self.button.setText(button)
        self.button.setAccessibleDescription(text)
        self.button.setVisible(bool(button))
        self.setVisible(bool(text))
