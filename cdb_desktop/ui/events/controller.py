"""Brings the event browser's view and the service together: what to ask, when, and what to show of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import Client, Event, Session
from cdb_desktop.events.history import History
from cdb_desktop.events.query import Query, cleared
from cdb_desktop.events.span import around
from cdb_desktop.ui.events.browser.copying import Copying
from cdb_desktop.ui.events.browser.jumping import Jumping
from cdb_desktop.ui.events.browser.loading import Loading
from cdb_desktop.ui.events.browser.means import Means
from cdb_desktop.ui.events.browser.newer import LookingForNewer
from cdb_desktop.ui.events.browser.unfinished_work import UnfinishedWork
from cdb_desktop.ui.events.export.exporting import Exporting
from cdb_desktop.ui.events.inspector.inspecting import Inspecting
from cdb_desktop.ui.events.inspector.leading import Leading
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.events.views.query_memory import QueryMemory
from cdb_desktop.ui.events.work import Work
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.profile_key import ProfileKey


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
        words: Callable[[BaseException], ErrorMessage],
        home: ProfileKey,
    ) -> None:
        """What was asked the last time at ``home`` is in force again."""
        super().__init__(view)
        self._view = view
        self._tasks = tasks
        memory = QueryMemory(view.settings, home)
        self._loading = Loading(view, client, tasks, words, memory)
        self._rows = self._loading.rows
        # The notes lie beside the settings.
        notes = Path(view.settings.fileName()).parent / "unfinished"
        unfinished = UnfinishedWork(notes, home.key, view)
        means = Means(view, client, self._rows, tasks, words, unfinished)
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
        self._jumping.rows_requested.connect(self._show_in_rows)
        view.again_requested.connect(self.load)
        view.pictures.sign_in_requested.connect(self.sign_in_requested)
        view.query_requested.connect(self.ask)
        view.everything_requested.connect(self.show_among_all)
        view.history_requested.connect(self._travel)

    @property
    def query(self) -> Query:
        """The query in force."""
        return self._loading.history.present

    def load(self) -> None:
        """Asks the query anew; what is shown stays until the answer is here, and places are kept."""
        self._loading.load()

    def load_missing(self) -> None:
        """Requests the rows in sight that the service has refused."""
        self._rows.fetch_missing()

    def meet(self, session: Session) -> None:
        """Takes in what a session tells of its user, such as the names of groups."""
        self._view.editing.meet(session)

    def meet_users(self, events: Sequence[Event]) -> None:
        """Takes in what events that were read elsewhere tell of users and types."""
        self._view.editing.seen.add(events)

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
        self._loading.load(partial(self._jumping.go_to_event, number))

    def show_around(self, event: Event) -> None:
        """Shows what happened from five minutes before an event to five minutes after it, and the event."""
        if event.timestamp is None:
            self.show_event(event.id)
            return
        self._view.commands.open_inspector()
        history = self._loading.history.then(Query(span=around(event.timestamp)))
        self._loading.become(history, partial(self._jumping.go_to_event, event.id))

    def show_among_all(self, event: Event) -> None:
        """Takes all filters away, and goes to an event."""
        history = self._loading.history.then(cleared(self.query))
        self._loading.become(history, partial(self._jumping.go_to_event, event.id))

    def _show_in_rows(self, query: Query, number: int) -> None:
        """Asks a query, anew if it is the one in force, and selects an event among its rows."""
        history = self._loading.history.then(query)
        self._loading.become(history, partial(self._jumping.go_to_event, number))

    def _show_written(self, event: Event) -> None:
        if self.query.parts:
            # Who knows whether it passes the filters: those of now are one step back.
            self.show_around(event)
        else:
            self.show_event(event.id)

    def open_view_file(self, source: Path) -> None:
        """Shows and keeps the view in a ``.cdbview`` file; a notice tells what is wrong with it."""
        self._work.open_view_file(source)

    def lead_to_schema(self, event: Event) -> None:
        """Goes to the version that a commit has made, whatever of its record is here."""
        self._leading.to_schema(event)

    def ask(self, query: Query) -> None:
        """Asks another query; its rows are shown from the top."""
        self._become(self._loading.history.then(query))

    def _travel(self, by: int) -> None:
        history = self._loading.history
        self._become(history.back() if by < 0 else history.forward())

    def _become(self, history: History) -> None:
        if history is not self._loading.history:
            self._loading.become(history)
