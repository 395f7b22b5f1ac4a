"""A notice with things to do about what it tells, and the place for several of them. Knows no cause."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.named import named
from cdb_desktop.ui.widgets.notice_bar import NoticeBar

Say = Callable[[], str]
Act = Callable[[], object]


def nothing() -> str:
    """Nothing stands in the way."""
    return ""


class OfferBar(NoticeBar):
    """Stays until something is done, or it is closed.

    Signals: ``closed`` when the user has closed it without doing anything.
    """

    closed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        self._offers: list[tuple[QPushButton, Say, Say]] = []
        super().__init__(appearance, parent)
        self._close.clicked.connect(self.closed)

    @property
    def offers(self) -> tuple[QPushButton, ...]:
        """The buttons of what can be done."""
        return tuple(button for button, _say, _lack in self._offers)

    def offer(self, name: str, say: Say, act: Act, lack: Say = nothing) -> None:
        """Adds a button that does ``act``, named by ``say`` in the language of the moment.

        As long as ``lack`` says that something is missing, it cannot be pressed and tells that.
        """
        button = named(name, QPushButton(say(), self))
        button.setAutoDefault(False)
        button.clicked.connect(act)
        self._offers.append((button, say, lack))
        self._line.insertWidget(self._line.indexOf(self._close), button)
        self.look_again()
        self.fit()

    def look_again(self) -> None:
        """What was missing may be there, or the other way round."""
        for button, _say, lack in self._offers:
            told = lack()
            button.setEnabled(not told)
            button.setToolTip(told)
            button.setAccessibleDescription(told)

    def take_back(self) -> None:
        """Takes all of them away."""
        for button in self.offers:
            self._line.removeWidget(button)
            button.deleteLater()
        self._offers.clear()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The language may be another."""
        if event.type() == QEvent.Type.LanguageChange:
            for button, say, _lack in self._offers:
                button.setText(say())
            self.look_again()
        super().changeEvent(event)


class OfferBars(QWidget):
    """Notices one below the other, no higher than they are."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._lines = QVBoxLayout(self)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(1)

    def add(self) -> OfferBar:
        """Another notice, hidden until it tells something."""
        bar = OfferBar(self._appearance, self)
        self._lines.addWidget(bar)
        return bar
