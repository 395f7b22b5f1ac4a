"""A line below what is typed: the rule for it, why it cannot be looked for, or what else to try."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.named import named
from cdb_desktop.ui.widgets.notice import WrappedBar


class SearchHint(WrappedBar):
    """As many lines as its words take, and a button where there is something to do; hidden without words.

    Signals: ``taken`` when the button is pressed.
    """

    taken = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.search.hint")
        self._appearance = appearance
        self._say: Callable[[], str] = str
        self._offer: Callable[[], str] = str
        self._tone = "muted"
        self._label = Label(self, wordWrap=True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = named("events.search.advice", QPushButton(self))
        self.button.setAutoDefault(False)
        self.button.clicked.connect(self.taken)
        # By a layout: a label forgets margins of its own when the style changes.
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GROUP, TIGHT, GAP, TIGHT)
        layout.addWidget(self._label, stretch=1)
        layout.addWidget(self.button)
        appearance.changed.connect(self._colour)
        self.hide()

    @property
    def text(self) -> str:
        """What is told."""
        return self._label.text()

    def tell(self, say: Callable[[], str], tone: str = "muted", offer: Callable[[], str] = str) -> None:
        """Shows what ``say`` says, in another language too; nothing for no words.

        A button says what ``offer`` does; there is none where it says nothing.
        """
        self._say, self._tone, self._offer = say, tone, offer
        self.retranslate()
        self._colour()

    def retranslate(self) -> None:
        """The same in the language of the moment."""
        self._label.setText(self._say())
        self.button.setText(self._offer())
        self.button.setVisible(bool(self.button.text()))
        self.setVisible(bool(self.text))
        self.fit()

    def _colour(self) -> None:
        palette = QPalette(self._label.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(getattr(self._appearance.tokens, self._tone)))
        self._label.setPalette(palette)
