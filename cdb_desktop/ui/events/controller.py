"""Connects the event browser to the service: creates the controllers of its features and their actions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from cdb_desktop.client import Client, Event, Session
from cdb_desktop.events.event_details import event_details
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.history import QueryHistory
from cdb_desktop.queries.links import Link, LinkOrigin
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.columns_popup import ColumnsController
from cdb_desktop.ui.events.browser.context import BrowserContext, UnfinishedWork
from cdb_desktop.ui.events.browser.copy import CopyController, ShareController
from cdb_desktop.ui.events.browser.insert import InsertController
from cdb_desktop.ui.events.browser.jump import JumpController
from cdb_desktop.ui.events.browser.relaxation import RelaxationController
from cdb_desktop.ui.events.browser.result_loader import (
    BrowserDetails,
    NewerEventsController,
    QueryStore,
    ResultLoader,
)
from cdb_desktop.ui.events.compare import CompareController
from cdb_desktop.ui.events.deletion import DeletionController
from cdb_desktop.ui.events.export.controller import ExportController
from cdb_desktop.ui.events.filters.controller import UserSearchController
from cdb_desktop.ui.events.inspector.controller import InspectorController, SchemaLinkController
from cdb_desktop.ui.events.inspector.history_controller import HistoryController
from cdb_desktop.ui.events.overview.controller import OverviewController
from cdb_desktop.ui.events.overview.summary import SummaryController
from cdb_desktop.ui.events.requests import RequestController
from cdb_desktop.ui.events.unfinished_notices import UnfinishedNotices
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.events.views import ViewController
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.profile_key import ProfileKey
from cdb_desktop.vocabulary.time_span import span_around


class EventsController(QObject):
    """The controllers of the features for one signed-in user, and the interface for other pages.

    Signals: ``sign_in_requested`` when the session is lost and the user wants another one ·
    ``link_requested`` with a link that was typed or pasted, which may be one to another connection.
    """

    sign_in_requested = Signal()
    link_requested = Signal(str)

    def __init__(
        self,
        view: EventsView,
        client: Client,
        tasks: Tasks,
        profile_key: ProfileKey,
        origin: LinkOrigin,
    ) -> None:
        """Restores the last query at ``profile_key``; links that are copied name ``origin``."""
        super().__init__(view)
        self._view = view
        self._tasks = tasks
        view.seen.offer_types(in_groups=client.capabilities.event_groups)
        store = QueryStore(view.settings, profile_key)
        self._loader = ResultLoader(view, client, tasks, store)
        self._rows = self._loader.rows
        # The journal is next to the settings.
        notes = Path(view.settings.fileName()).parent / "unfinished"
        unfinished = UnfinishedWork(notes, profile_key.key, view)
        context = BrowserContext(view, client, self._rows, tasks, unfinished)
        self.sharing = ShareController(context, origin)
        self._create_browser(context, profile_key)
        self._create_panels(context)
        self._create_work(context)
        self._connect_requests()
        self._connect_actions(view.actions_by_name)
        self._fetch_whole(view.columns.needs_whole)

    def _create_browser(self, context: BrowserContext, profile_key: ProfileKey) -> None:
        view = self._view
        self.jump = JumpController(context, view.filter_bar)
        self.copying = CopyController(context)
        self._newer = NewerEventsController(context)
        self._columns = ColumnsController(context)
        BrowserDetails(context)
        similar = RelaxationController(context)
        view.query_line.textEdited.connect(similar.learn_tables)
        view.query_line.meaning_offered.connect(similar.count_typed)
        similar.typed_counted.connect(view.query_line.show_number)
        self.insertion = InsertController(context)
        self.users = UserSearchController(context, view.filter_controller)
        self.views = ViewController(view, profile_key)
        InspectorController(context, view.inspector)
        self.schema_link = SchemaLinkController(context)
        self.history = HistoryController(context, view.inspector.history)

    def _create_panels(self, context: BrowserContext) -> None:
        panels = self._view.panels
        overview = OverviewController(context, panels.histogram, panels.facets)
        panels.opened.connect(overview.begin_soon)
        panels.closed.connect(overview.stop_hidden)
        RequestController(context, panels.requests)

    def _create_work(self, context: BrowserContext) -> None:
        self._summary = SummaryController(context)
        self._comparison = CompareController(context)
        self.deletion = DeletionController(context)
        self.export = ExportController(context)
        UnfinishedNotices(context, self.export, self.deletion)
        self.deletion.deleted.connect(self._forget_deleted)

    def _connect_requests(self) -> None:
        view, inspector = self._view, self._view.inspector
        view.query_requested.connect(self.show_query)
        view.reload_requested.connect(self.load)
        view.everything_requested.connect(self._show_in_rows)
        view.filter_controller.event_requested.connect(self.jump.go_to_event)
        view.filter_controller.link_requested.connect(self.link_requested)
        view.schema_requested.connect(self.schema_link.open_schema)
        view.empty_page.sign_in_requested.connect(self.sign_in_requested)
        view.columns.needs_changed.connect(self._reload_whole)
        view.history_requested.connect(self._show_history)
        view.comparison_requested.connect(self._comparison.compare_events)
        self.history.opened.connect(self._open_history)
        self.history.event_requested.connect(self.jump.go_to_event)
        inspector.history_shown.connect(self.history.read_shown)
        inspector.shown.connect(self.history.follow_details)
        inspector.rows_requested.connect(self.jump.show_in_rows)
        inspector.copy_requested.connect(self.copying.copy_event)
        inspector.shown.connect(self._columns.remember)
        self.jump.rows_requested.connect(self._show_in_rows)
        self.insertion.written_requested.connect(self._show_written)

    def _connect_actions(self, actions: Actions) -> None:
        # Bound methods of objects: actions outlive the page, and Qt disconnects them.
        for name, slot in (
            ("query_back", self._go_back),
            ("query_forward", self._go_forward),
            ("jump", self.jump.open),
            ("columns", self._columns.open),
            ("export", self.export.ask_file),
            ("export_options", self.export.ask_options),
            ("views", self.views.open_menu),
            ("share_link", self.sharing.copy_link),
            ("share_event", self.sharing.copy_event_link),
            ("share_ticket", self.sharing.copy_ticket),
            ("share_file", self.views.ask_target),
            ("alert", self.views.ask_alarm),
            ("summary", self._summary.open),
            ("compare", self._comparison.compare),
            ("delete_selected", self.deletion.delete_selected),
            ("delete_found", self.deletion.delete_found),
            ("event_insert", self.insertion.open),
        ):
            actions[name].triggered.connect(slot)

    @property
    def query(self) -> Query:
        """The current query."""
        return self._loader.history.present

    def load(self) -> None:
        """Loads the query again; the rows stay visible until then and keep their scroll position."""
        self._loader.load()

    def load_missing(self) -> None:
        """Requests the visible rows that the service has refused."""
        self._rows.fetch_missing()

    def add_session(self, session: Session) -> None:
        """Adds the names of the user and the groups of a session to the known values."""
        self._view.seen.add_session(session)
        self._view.names_learned.emit()

    def add_users(self, events: Sequence[Event]) -> None:
        """Adds users and types of other events to the known values."""
        self._view.seen.add(events)

    def renew(self, session: Session) -> None:
        """Continues with another session of the same user."""
        self.add_session(session)
        self._view.forget_signed_out()
        self.load()

    def add_newer(self, event_id: int) -> None:
        """Counts newer events if ``event_id`` is newer than the rows; a bar shows their number."""
        self._newer.add(event_id)

    def show_query(self, query: Query) -> None:
        """Loads another query; its rows are shown from the top."""
        self._set_query(self._loader.history.then(query))

    def show_event(self, number: int) -> None:
        """Goes to an event and opens the inspector; rows are loaded again, since it may be newer."""
        self._view.open_inspector()
        self.select_event(number)

    def select_event(self, number: int) -> None:
        """Goes to an event when the rows are loaded again."""
        self._loader.load(partial(self.jump.go_to_event, number))

    def show_around(self, event: Event) -> None:
        """Shows the events from five minutes before an event to five minutes after it, and selects it."""
        if event.timestamp is None:
            self.show_event(event.id)
            return
        self._view.open_inspector()
        self._show_in_rows(Query(span=span_around(event.timestamp)), event.id)

    def open_view_file(self, source: Path) -> None:
        """Applies and saves the view in a ``.cdbview`` file, or shows why it cannot be read."""
        self.views.open_file(source)

    def open_link(self, link: Link) -> None:
        """Shows the query of a link, or goes to its event."""
        if link.event is None:
            self.show_query(link.query)
        else:
            self.show_event(link.event)

    def _show_in_rows(self, query: Query, number: int) -> None:
        """Loads a query, even if it is the current one, and selects an event among its rows."""
        history = self._loader.history.then(query)
        self._loader.set_query(history, partial(self.jump.go_to_event, number))

    def _show_written(self, event: Event) -> None:
        if self.query.parts:
            # It may not match the filters, which can be restored with Back.
            self.show_around(event)
        else:
            self.show_event(event.id)

    def _show_history(self, event: Event) -> None:
        """Shows the history of an event's object; the event may be in a row that is not selected."""
        named = self._view.named_event
        self.history.open_history(event)
        if named is None or named.id != event.id:
            self.jump.go_to_event(event.id)

    def _open_history(self, event: Event) -> None:
        inspector = self._view.inspector
        self._view.open_inspector()
        if inspector.is_empty:
            inspector.show_details(event_details(event, is_whole=False))
        inspector.show_history()

    def _forget_deleted(self, ids: frozenset[int]) -> None:
        outside = self._view.outside
        if outside is not None and outside.id in ids:
            self._view.inspector.show_nothing()
            self._view.action_states.follow_selection()

    def _fetch_whole(self, whole: bool) -> None:
        # A service before 5.140 lists short records only (§9 rule 2).
        self._rows.whole = whole and self._rows.can_be_whole
        if whole and not self._rows.whole:
            text = tr("This service is too old to list info: some columns stay empty.")
            self._view.notice.show_notice("warning", "", text)

    def _reload_whole(self, whole: bool) -> None:
        self._fetch_whole(whole)
        if self._rows.whole:
            self.load()

    def _go_back(self) -> None:
        self._set_query(self._loader.history.back())

    def _go_forward(self) -> None:
        self._set_query(self._loader.history.forward())

    def _set_query(self, history: QueryHistory) -> None:
        if history is not self._loader.history:
            self._loader.set_query(history)
