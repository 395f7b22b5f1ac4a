"""Tells that rows in sight have to wait because the service does not answer, and why."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from cdb_desktop.client import AnswerError, GatewayError, ServerError
from cdb_desktop.ui.widgets.notice import ActionNotice
from cdb_desktop.vocabulary.error_messages import DescribeError, ErrorMessage

translate = QCoreApplication.translate
_FAILED, _SILENT = 2_000, 5_000  # milliseconds after a call has failed, and without any answer


class AwayNotice(QObject):
    """Comes after a while and goes as soon as there is nothing to wait for.

    Signals: ``again_requested`` when somebody does not want to wait for the next try.
    """

    again_requested = Signal()

    def __init__(self, bar: ActionNotice, words: DescribeError) -> None:
        super().__init__(bar)
        self._bar = bar
        self._words = words
        self._error: BaseException | None = None
        self._late = QTimer(self, singleShot=True)
        self._late.timeout.connect(lambda: bar.show_message("warning", self._say))
        bar.add_button("events.away.again", lambda: self.tr("Try again"), self.again_requested.emit)

    def wait(self) -> None:
        """Rows are awaited."""
        if not self._late.isActive() and self._bar.isHidden():
            self._late.start(_SILENT)

    def fail(self, error: BaseException) -> None:
        """A call has failed and is to be repeated."""
        if self._error is None and self._bar.isHidden():
            self._late.start(_FAILED)
        self._error = error

    def end(self) -> None:
        """The service has answered, or nobody waits any more."""
        self._error = None
        self._late.stop()
        self._bar.hide()

    def _say(self) -> ErrorMessage:
        rows = translate("AwayNotice", "The rows are loaded as soon as it responds.")
        title = translate("AwayNotice", "The service does not answer")
        if not isinstance(self._error, GatewayError | AnswerError | ServerError):
            return ErrorMessage(title, rows, "")
        said = self._words(self._error)
        again = translate("AwayNotice", "The rows are requested again automatically.")
        return ErrorMessage(said.title, f"{said.text} {again}".strip(), "", said.code, said.details)
