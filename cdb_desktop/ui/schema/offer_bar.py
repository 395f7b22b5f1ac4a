"""A strip inside the page that tells one thing and offers what can be done about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.bar import IconButton
from cdb_desktop.ui.widgets.notice_bar import Tone

Does = Callable[[], None]

_EDGE = 3


class OfferBar(QWidget):
    """Hidden while there is nothing to tell."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.offer")
        self._appearance = appearance
        self._tone: Tone = "accent"
        self._text = QLabel(self)
        self._text.setWordWrap(True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._buttons: list[QPushButton] = []
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(GROUP, TIGHT, GAP, TIGHT)
        self._layout.setSpacing(GAP)
        self._layout.addWidget(self._text, stretch=1)
        self._close = IconButton(icon("close", appearance), self.tr("Close this notice"), self)
        self._close.clicked.connect(self.hide)
        self._layout.addWidget(self._close)
        self.hide()

    @property
    def text(self) -> str:
        """What is told, or was told last."""
        return self._text.text()

    @property
    def offers(self) -> tuple[QPushButton, ...]:
        """The buttons of what can be done."""
        return tuple(self._buttons)

    def show_offer(self, tone: Tone, text: str, *offers: tuple[str, Does]) -> None:
        """Tells something; each offer is a button that takes it and closes the strip."""
        for button in self._buttons:
            self._layout.removeWidget(button)
            button.deleteLater()
        self._tone = tone
        self._text.setText(text)
        self._buttons = [self._made(*offer) for offer in offers]
        self.show()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A selected ground with an edge in the colour of the tone."""
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.selected))
            painter.fillRect(0, 0, _EDGE, self.height(), QColor(getattr(tokens, self._tone)))

    def _made(self, text: str, does: Does) -> QPushButton:
        button = QPushButton(text, self)
        button.clicked.connect(self.hide)
        button.clicked.connect(does)
        self._layout.insertWidget(self._layout.count() - 1, button)
        return button
