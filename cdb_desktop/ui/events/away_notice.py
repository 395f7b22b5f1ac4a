"""Tells that rows in sight have to wait because the service does not answer. Asks nobody."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from cdb_desktop.ui.widgets.offer_bar import OfferBar
from cdb_desktop.vocabulary.sentences import Sentence

translate = QCoreApplication.translate
_FAILED, _SILENT = 2_000, 5_000  # milliseconds after a call has failed, and without any answer


class AwayNotice(QObject):
    """Comes after a while and goes as soon as there is nothing to wait for.

    Signals: ``again_requested`` when somebody does not want to wait for the next try.
    """

    again_requested = Signal()

    def __init__(self, bar: OfferBar) -> None:
        super().__init__(bar)
        self._bar = bar
        self._has_failed = False
        self._late = QTimer(self, singleShot=True)
        self._late.timeout.connect(lambda: bar.show_words("warning", _words))
        bar.offer("events.away.again", lambda: self.tr("Try again"), self.again_requested.emit)

    def wait(self) -> None:
        """Rows are awaited."""
        if not self._late.isActive() and self._bar.isHidden():
            self._late.start(_SILENT)

    def fail(self) -> None:
        """A call has failed and is to be repeated."""
        if not self._has_failed and self._bar.isHidden():
            self._late.start(_FAILED)
        self._has_failed = True

    def end(self) -> None:
        """The service has answered, or nobody waits any more."""
        self._has_failed = False
        self._late.stop()
        self._bar.hide()


def _words() -> Sentence:
    return Sentence(
        translate("AwayNotice", "The service does not answer"),
        translate("AwayNotice", "The rows come as soon as it does."),
        "",
    )
