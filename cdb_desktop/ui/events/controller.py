"""Brings the event browser's view and the service together: what to ask, when, and what to show of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

from PySide6.QtCore import QObject, QTimer, Signal

from cdb_desktop.client import AnswerError, Client, Event, MissingRightError, Session, SessionLostError
from cdb_desktop.events.history import History
from cdb_desktop.events.query import Query
from cdb_desktop.events.span import around
from cdb_desktop.ui.events.copying import Copying
from cdb_desktop.ui.events.exporting import Exporting
from cdb_desktop.ui.events.inspecting import Inspecting
from cdb_desktop.ui.events.jumping import Jumping
from cdb_desktop.ui.events.leading import Leading
from cdb_desktop.ui.events.means import Means
from cdb_desktop.ui.events.newer import LookingForNewer
from cdb_desktop.ui.events.query_memory import keep_history, kept_history
from cdb_desktop.ui.events.rows import PASSING, Rows
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.events.work import Work
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.sentences import Sentence

_LOAD = "events.load"
_SLOW = 300  # milliseconds after which a refresh is told, and can be cancelled
_KEEPS_ROWS = (*PASSING, AnswerError)  # a portal or proxy may stand before the service for a while


class EventsController(QObject):
    """The way of queries to the service and of events to the table.

    Signals: ``sign_in_requested`` when the session is lost and somebody wants another one ·
    ``schema_requested`` with the number of a version that somebody wants to see.
    """

    sign_in_requested = Signal()
    schema_requested = Signal(int)

    def __init__(
        self,
        view: EventsView,
        client: Client,
        tasks: Tasks,
        words: Callable[[BaseException], Sentence],
    ) -> None:
        super().__init__(view)
        self._view = view
        self._tasks = tasks
        self._words = words
        self._history = kept_history(view.settings)
        self._rows = Rows(view, client, tasks, self._failed)
        self._slow = QTimer(self, singleShot=True, interval=_SLOW)
        self._slow.timeout.connect(self._tell_slow)
        self._rows.shown.connect(self._slow.stop)
        means = Means(view, client, self._rows, tasks, words)
        self._inspecting = Inspecting(means)
        self._copying = Copying(means)
        self._jumping = Jumping(means)
        self._newer = LookingForNewer(means, lambda: self.query)
        self._exporting = Exporting(means)
        self._leading = Leading(means)
        self._leading.schema_requested.connect(self.schema_requested)
        self._work = Work(means, self._exporting)
        self._work.inserting.written_requested.connect(self._show_written)
        view.event_requested.connect(self._jumping.go_to_event)
        view.again_requested.connect(self.load)
        view.pictures.sign_in_requested.connect(self.sign_in_requested)
        view.query_requested.connect(self.ask)
        view.history_requested.connect(self._travel)
        view.show_query(self._history)

    @property
    def query(self) -> Query:
        """The query in force."""
        return self._history.present

    def load(self) -> None:
        """Asks the query anew; what is shown stays until the answer is here, and places are kept."""
        self._load(other_rows=False)

    def meet(self, session: Session) -> None:
        """Takes in what a session tells of its user, such as the names of groups."""
        self._view.editing.meet(session)

    def renew(self, session: Session) -> None:
        """There is another session of the same user; what is shown goes on with it."""
        self.meet(session)
        self._view.forget_signed_out()
        self.load()

    def hear(self, event_id: int) -> None:
        """An event with this id has happened; the rows stay, and how many are newer is told beside them."""
        self._newer.hear(event_id)

    def show_event(self, number: int) -> None:
        """Goes to an event and opens the inspector; rows are asked anew, for it may be newer than they."""
        self._view.commands.open_inspector()
        self._tasks.start(_LOAD, self._load_to(number), on_error=self._failed)

    def show_around(self, event: Event) -> None:
        """Shows what happened from five minutes before an event to five minutes after it, and the event."""
        if event.timestamp is not None:
            self._history = self._history.then(Query(span=around(event.timestamp)))
            self._view.show_query(self._history)
            self._view.show_loading(other_rows=True)
        self.show_event(event.id)

    def _show_written(self, event: Event) -> None:
        if self.query.parts:
            # Who knows whether it passes the filters: those of now are one step back.
            self.show_around(event)
        else:
            self.show_event(event.id)

    def lead_to_schema(self, event: Event) -> None:
        """Goes to the version that a commit has made, whatever of its record is here."""
        self._leading.to_schema(event)

    async def _load_to(self, number: int) -> None:
        await self._rows.load(self.query.at(datetime.now(UTC)), keep_place=True)
        self._jumping.go_to_event(number)

    def ask(self, query: Query) -> None:
        """Asks another query; its rows are shown from the top."""
        self._become(self._history.then(query))

    def _travel(self, by: int) -> None:
        self._become(self._history.back() if by < 0 else self._history.forward())

    def _become(self, history: History) -> None:
        if history is not self._history:
            self._history = history
            keep_history(self._view.settings, history)
            self._view.show_query(history)
            self._load(other_rows=True)

    def _load(self, *, other_rows: bool) -> None:
        self._view.show_loading(other_rows=other_rows)
        failed = self._failed_other if other_rows else self._failed
        self._tasks.start(_LOAD, self._ask_rows(keep_place=not other_rows), on_error=failed)

        if other_rows or self._rows.result is None:
            self._slow.stop()
        else:
            self._slow.start()

    async def _ask_rows(self, *, keep_place: bool) -> None:
        try:
            await self._rows.load(self.query.at(datetime.now(UTC)), keep_place=keep_place)
        except asyncio.CancelledError:
            # A newer question may be under way already.
            if not self._tasks.is_running(_LOAD):
                self._end_slow()
            raise

    def _tell_slow(self) -> None:
        if self._tasks.is_running(_LOAD):
            self._tasks.show_progress(_LOAD, self.tr("Loading events"), None)
            self._view.count.show_refreshing(refreshing=True)

    def _end_slow(self) -> None:
        self._slow.stop()
        self._view.count.show_refreshing(refreshing=False)

    def _failed(self, error: Exception) -> None:
        """Rows that are there stay when what failed may pass."""
        self._end_slow()
        if self._rows.result is not None and isinstance(error, _KEEPS_ROWS):
            told = self.tr("Not refreshed: %1").replace("%1", self._words(error).title)
            self._view.count.tell(told)
        elif isinstance(error, SessionLostError):
            self._view.show_signed_out(self._words(error))
        else:
            self._failed_other(error)

    def _failed_other(self, error: Exception) -> None:
        self._rows.forget()
        said = self._words(error)
        if isinstance(error, SessionLostError):
            self._view.show_signed_out(said)
        elif isinstance(error, MissingRightError):
            self._view.show_forbidden(said)
        else:
            self._view.show_failure(said)
