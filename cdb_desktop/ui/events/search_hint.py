"""A line below what is typed: the rule for it, why it cannot be looked for, or what else to try."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.wrapped_bar import WrappedBar


class SearchHint(WrappedBar):
    """As many lines as its words take; hidden while there are none."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.search.hint")
        self._appearance = appearance
        self._say: Callable[[], str] = str
        self._tone = "muted"
        self._label = QLabel(self, wordWrap=True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        # By a layout: a label forgets margins of its own when the style changes.
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GROUP, TIGHT, GAP, TIGHT)
        layout.addWidget(self._label)
        appearance.changed.connect(self._colour)
        self.hide()

    @property
    def text(self) -> str:
        """What is told."""
        return self._label.text()

    def tell(self, say: Callable[[], str], tone: str = "muted") -> None:
        """Shows what ``say`` says, in another language too; nothing for no words."""
        self._say, self._tone = say, tone
        self.retranslate()
        self._colour()

    def retranslate(self) -> None:
        """The same in the language of the moment."""
        self._label.setText(self._say())
        self.setVisible(bool(self.text))
        self.fit()

    def _colour(self) -> None:
        palette = QPalette(self._label.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(getattr(self._appearance.tokens, self._tone)))
        self._label.setPalette(palette)
