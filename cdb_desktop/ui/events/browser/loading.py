"""Asks for the rows of the query in force, and knows what becomes of it when that fails or is given up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from PySide6.QtCore import QObject, QTimer

from cdb_desktop.client import Client, MissingRightError, SessionLostError
from cdb_desktop.events.query_history import QueryHistory
from cdb_desktop.events.result import QueryResult
from cdb_desktop.ui.events.browser.retries import REPEATED
from cdb_desktop.ui.events.browser.rows import Rows
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import DescribeError

_LOAD = "events.load"
_SLOW = 300  # milliseconds after which a refresh is told beside the rows

Then = Callable[[], None]


class ResultLoader(QObject):
    """The queries of a user and the rows that answer the last one; a newer question ends the one before."""

    def __init__(
        self,
        view: BrowserView,
        client: Client,
        tasks: Tasks,
        words: DescribeError,
        history: QueryHistory,
        keep: Callable[[QueryHistory], None],
    ) -> None:
        """``keep`` stores the history for the next start."""
        super().__init__(view)
        self._view, self._tasks, self._words, self._keep = view, tasks, words, keep
        self.history = history
        self.rows = Rows(view, client, tasks, self._failed, words)
        self._answered: QueryHistory | None = None
        self._slow = QTimer(self, singleShot=True, interval=_SLOW)
        self._slow.timeout.connect(self._tell_slow)
        self.rows.shown.connect(self._settle)
        view.give_up_requested.connect(lambda: tasks.give_up(_LOAD))
        view.show_query(self.history)

    def become(self, history: QueryHistory, then: Then | None = None) -> None:
        """Another query is in force: its rows are asked for, and those of the one before set aside."""
        answered = self._answered
        self._put(history)
        if answered is None or answered.present != history.present:
            self.rows.set_aside()
        else:
            self.rows.take_back()
        self.load(then)

    def load(self, then: Then | None = None) -> None:
        """Asks the query anew; rows that answer it stay meanwhile. ``then`` is done once all is there."""
        is_answered = self.rows.result is not None
        self._view.show_loading(other_rows=not is_answered)
        self._tasks.start(
            _LOAD,
            self._ask_rows(then),
            title=self.tr("Loading events"),
            on_error=self._failed,
            on_given_up=self._give_up,
        )
        self._slow.stop()
        if is_answered:
            self._slow.start()

    async def _ask_rows(self, then: Then | None) -> None:
        await self.rows.load(self.history.present.at(datetime.now(UTC)))
        if then is not None:
            then()

    def _put(self, history: QueryHistory) -> None:
        self.history = history
        self._keep(history)
        self._view.show_query(history)

    def _settle(self, result: QueryResult | None) -> None:
        self._slow.stop()
        self._answered = None if result is None else self.history
        self._tasks.show_progress(_LOAD, self.tr("Counting events"), None)

    def _tell_slow(self) -> None:
        if self._tasks.is_running(_LOAD):
            self._view.count.show_refreshing(refreshing=True)

    def _end_slow(self) -> None:
        self._slow.stop()
        self._view.count.show_refreshing(refreshing=False)

    def _give_up(self) -> None:
        """Nobody waits any longer: rows are never shown under a query that they do not answer."""
        self._end_slow()
        if self.rows.result is not None:
            return
        if self._answered is None:
            self._view.show_given_up()
            return
        self._put(self.history.back_to(self._answered.present) or self._answered)
        self.rows.take_back()
        self._view.count.tell(self.tr("Cancelled: the previous query is active again."))

    def _failed(self, error: Exception) -> None:
        """Rows that answer the query stay when what failed may pass."""
        self._end_slow()
        stay = self.rows.result is not None
        said = self._words(error)
        if stay and isinstance(error, REPEATED):
            self._view.count.tell(self.tr("Not refreshed: %1").replace("%1", said.title))
            return
        if not (stay and isinstance(error, SessionLostError)):
            self.rows.forget()
        if isinstance(error, SessionLostError):
            self._view.show_signed_out(said, rows_stay=stay)
        elif isinstance(error, MissingRightError):
            self._view.show_forbidden(said)
        else:
            self._view.show_failure(said)
