"""A strip inside the page that tells one thing and offers what can be done about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QPushButton, QWidget

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.notice_bar import NoticeBar, Tone
from cdb_desktop.vocabulary.sentences import Sentence

Does = Callable[[], None]
Offer = tuple[str, Does]


class OfferBar(NoticeBar):
    """Hidden while there is nothing to tell."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(appearance, parent)
        self.setObjectName("schema.offer")
        self._buttons: list[QPushButton] = []

    @property
    def offers(self) -> tuple[QPushButton, ...]:
        """The buttons of what can be done."""
        return tuple(self._buttons)

    def show_offer(self, tone: Tone, text: str, *offers: Offer) -> None:
        """Tells something; each offer is a button that takes it and closes the strip."""
        self.show_notice(tone, "", text)
        self._show_buttons(offers)

    def show_fault(self, said: Sentence, *offers: Offer) -> None:
        """Tells what went wrong, with its details to copy and an explanation where there is one."""
        self.show_failure(said)
        self._show_buttons(offers)

    def pass_by(self) -> None:
        """What was only told is over; what offers something stays until somebody decides."""
        if not self._buttons:
            self.hide()

    def _show_buttons(self, offers: tuple[Offer, ...]) -> None:
        for button in self._buttons:
            self._layout.removeWidget(button)
            button.deleteLater()
        self._buttons = [self._made(*offer) for offer in offers]

    def _made(self, text: str, does: Does) -> QPushButton:
        button = QPushButton(text, self)
        button.clicked.connect(self.hide)
        button.clicked.connect(does)
        self._layout.insertWidget(self._layout.count() - 2, button)
        return button
