"""A sheet of the event browser: a title, sentences, whatever belongs below, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import GAP, GROUP, HEAD, MARGIN
from cdb_desktop.ui.widgets.filled_button import FilledButton
from cdb_desktop.ui.widgets.named import named

_NARROWEST = 480


class EventSheet(QDialog):
    """Opened by ``open()``, gone when it is closed; Escape closes it without doing anything."""

    def __init__(self, appearance: Appearance, name: str, parent: QWidget) -> None:
        """``name`` is the beginning of the object names of its parts."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(_NARROWEST)
        self._appearance = appearance
        self._title = QLabel(self)
        self._title.setFont(scaled(self.font(), HEAD, QFont.Weight.DemiBold))
        self._text = named(f"{name}.text", QLabel(self))
        self._fault = named(f"{name}.fault", QLabel(self))
        self.accept_button = named(f"{name}.accept", FilledButton(appearance, self))
        self.cancel_button = named(f"{name}.cancel", QPushButton(self.tr("Cancel"), self))
        self.cancel_button.clicked.connect(self.reject)
        self.body = QVBoxLayout()
        self._arrange()

    @property
    def text(self) -> str:
        """The sentences."""
        return self._text.text()

    @property
    def fault(self) -> str:
        """What is wrong, empty while nothing is."""
        return self._fault.text()

    def say(self, title: str, text: str, accept: str) -> None:
        """Shows title, sentences and the name of what will happen."""
        self.setWindowTitle(title)
        self._title.setText(title)
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.accept_button.setText(accept)
        self.accept_button.updateGeometry()

    def show_fault(self, text: str, tone: str = "danger") -> None:
        """Shows what is wrong."""
        palette = QPalette(self._fault.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(getattr(self._appearance.tokens, tone)))
        self._fault.setPalette(palette)
        self._fault.setText(text)
        self._fault.setVisible(bool(text))

    def _arrange(self) -> None:
        for label in (self._text, self._fault):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._fault.hide()
        self.cancel_button.setAutoDefault(False)
        self.accept_button.setDefault(True)
        self.body.setSpacing(GAP)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.accept_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GROUP + GAP, MARGIN, GROUP)
        layout.setSpacing(GAP)
        layout.addWidget(self._title)
        layout.addWidget(self._text)
        layout.addLayout(self.body, stretch=1)
        layout.addWidget(self._fault)
        layout.addSpacing(GAP)
        layout.addLayout(buttons)
