"""What is seen before there is a connection: the way in, the way there, or why it ended. Asks nobody."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.state_picture import Kind, StatePicture
from cdb_desktop.vocabulary.sentences import Sentence


class StartView(QWidget):
    """The page without a connection.

    Signals: ``connect_requested`` when the offered step is taken.
    """

    connect_requested = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._picture = StatePicture(appearance, self)
        self._picture.step_requested.connect(self.connect_requested)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._picture)
        self.show_welcome()

    def show_welcome(self) -> None:
        """Nothing is connected yet."""
        text = self.tr(
            "Look around in a service of your own with demo data. It runs on this computer only and ends "
            "together with the program."
        )
        self._picture.show_state(
            Kind.WELCOME, self.tr("Content Database Desktop"), text, self.tr("Try the demo")
        )

    def show_connecting(self, title: str, text: str) -> None:
        """A connection is on its way."""
        self._picture.show_state(Kind.LOADING, title, text)

    def show_failure(self, said: Sentence) -> None:
        """The connection did not come about or has ended."""
        self._picture.show_state(Kind.FAILED, said.title, f"{said.text} {said.remedy}", self.tr("Try again"))
