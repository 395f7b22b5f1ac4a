"""The pages of one connection, and the actions that involve several of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from cdb_desktop.client import Client, Event, Session
from cdb_desktop.events.request_log import RequestLog
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.links import Link, LinkOrigin
from cdb_desktop.queries.query import Query, testable
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.live.alarms import AlarmController
from cdb_desktop.ui.live.controller import LiveController
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.shell.connection_sources import EventSearchSource, TableSource, ViewSource
from cdb_desktop.ui.shell.page_interfaces import PageContext, SchemaFactory, ServiceContext, VisiblePart
from cdb_desktop.ui.shell.palette.sources import PaletteSource
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.widgets.paint_watch import PaintWatch
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.event_types import COMMITS
from cdb_desktop.vocabulary.pattern import Condition, EventMatcher, PatternKind
from cdb_desktop.vocabulary.profile_key import ProfileKey

if TYPE_CHECKING:
    from cdb_desktop.ui.schema.controller import SchemaController
    from cdb_desktop.ui.schema.view import SchemaView


def live_filter_names(query: Query) -> tuple[list[str], list[str]]:
    """The names of the filters that a live feed can apply to polled events (wire §3), and of the others."""
    taken = (
        (tr("types"), bool(query.types)),
        (tr("base types"), bool(query.base_types)),
        (tr("users"), bool(query.users)),
        (tr("pollability"), query.pollable is not None),
        (tr("conditions"), bool(query.conditions)),
    )
    left_out = (
        (tr("groups"), bool(query.groups)),
        (tr("kinds of users"), bool(query.user_types)),
        (tr("time"), not query.span.is_everything),
    )
    return _active(taken), _active(left_out)


def _active(names: tuple[tuple[str, bool], ...]) -> list[str]:
    return [name for name, is_set in names if is_set]


class SchemaPage(QWidget):
    """The schema page of a connection. Its view is created when it is first used, or by ``make``.

    Signals: ``made`` with the SchemaView.
    """

    made = Signal(QWidget)

    def __init__(self, context: PageContext, pages: SchemaFactory) -> None:
        super().__init__()
        self._pages = pages
        self._context = context
        self._view: SchemaView | None = None
        self._service: ServiceContext | None = None
        self._controller: SchemaController | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)

    @property
    def is_made(self) -> bool:
        """Whether the view exists."""
        return self._view is not None

    @property
    def view(self) -> SchemaView:
        """The view, which is created if necessary."""
        return self._view or self.make()

    @property
    def controller(self) -> SchemaController:
        """The controller. Raises LookupError before ``begin``."""
        self.make()
        if self._controller is None:
            raise LookupError
        return self._controller

    def make(self) -> SchemaView:
        """Creates the view, unless it exists, and its controller if ``begin`` was called."""
        if self._view is None:
            self._view = self._pages.schema_view(self._context)
            self._layout.addWidget(self._view)
            self._start()
            self.made.emit(self._view)
        return self._view

    def begin(self, service: ServiceContext) -> None:
        """Sets the service of the page."""
        self._service = service
        self._start()

    def renew(self, session: Session) -> None:
        """Continues with a new session of the same client."""
        if self._service is not None:
            self._service = replace(self._service, session=session)
        if self._controller is not None:
            self._controller.renew(session)

    def choose(self) -> None:
        """Loads the schema when the page is first shown."""
        if self._controller is not None:
            self._controller.load_once()

    def add_events(self, events: Sequence[Event]) -> None:
        """Takes the events of a poll."""
        if self._controller is not None:
            self._controller.add_events(events)

    def load_missing(self) -> None:
        """Loads the schema if that has failed before."""
        if self._controller is not None:
            self._controller.load_missing()

    def _start(self) -> None:
        if self._view is not None and self._service is not None:
            self._controller = self._pages.schema_controller(self._context, self._view, self._service)
            if self._context.actions["schema"].isChecked():
                self.choose()


_LOOK_UP = "errors.look_up"
_PATIENCE = 1.0  # seconds that the schema page waits for the rows


class WorkspaceViews(msgspec.Struct, frozen=True):
    """The views of one connection."""

    events: EventsView
    schema: SchemaPage
    live: LiveView


async def make_views(context: PageContext, pages: SchemaFactory) -> WorkspaceViews:
    """Creates the views; the event loop runs between them."""
    appearance, settings, actions = context.appearance, context.settings, context.actions
    events = EventsView(appearance, settings, actions)
    await asyncio.sleep(0)
    live = LiveView(appearance, settings, actions, events.seen)
    await asyncio.sleep(0)
    return WorkspaceViews(events, SchemaPage(context, pages), live)


class Workspace(QObject):
    """Views and controllers of one connection.

    Signals: ``answered`` with the milliseconds of a poll · ``away`` when a poll was not answered ·
    ``sign_in_requested`` when the user wants to sign in again after the session was lost · ``looked_up``
    with the ServerErrorDetails requested by ``look_up`` · ``not_looked_up`` with the ErrorMessage if that
    failed · ``details_offered`` whether the service has such details · ``page_made`` with a widget that was
    created later than the others · ``link_requested`` with a link that was pasted · ``file_open_requested``
    with the Path of a log that was written · ``alarms_counted`` with the numbers of new alarms and of all.
    """

    sign_in_requested = Signal()
    answered = Signal(float)
    away = Signal()
    looked_up = Signal(object)
    not_looked_up = Signal(object)
    details_offered = Signal(bool)
    page_made = Signal(QWidget)
    link_requested = Signal(str)
    file_open_requested = Signal(object)
    alarms_counted = Signal(int, int)

    def __init__(self, views: WorkspaceViews, settings: QSettings, actions: Actions, tasks: Tasks) -> None:
        # A child of a page, so that it is deleted with the pages; actions and window live longer.
        super().__init__(views.events)
        self._actions = actions
        self._settings = settings
        self._tasks = tasks
        self.events_view = views.events
        self.schema = views.schema
        self.live_view = views.live
        self.palette_sources: tuple[PaletteSource, ...] = ()
        self.schema.made.connect(self.page_made)

    @property
    def pages(self) -> dict[str, QWidget]:
        """The pages of the window by the names of their actions."""
        return {"events": self.events_view, "schema": self.schema}

    @property
    def feed(self) -> QWidget:
        """The live feed, which is shown beside any page."""
        return self.live_view

    @property
    def exchanges(self) -> RequestLog:
        """The last requests to the service."""
        return self.events_view.panels.requests.exchanges

    @property
    def visible_parts(self) -> tuple[VisiblePart, ...]:
        """The parts that exist by now."""
        events, live = self.events_view, self.live_view
        first = (
            VisiblePart("first_rows", events.table.viewport(), lambda: events.has_rows),
            VisiblePart("live", live.table.viewport(), lambda: live.has_rows and live.is_following),
        )
        if not self.schema.is_made:
            return first
        diagram = self.schema.view.diagram
        return (*first, VisiblePart("diagram", diagram.viewport(), lambda: diagram.has_picture))

    def begin(
        self,
        client: Client,
        session: Session,
        key: ProfileKey,
        origin: LinkOrigin,
        *,
        follows: bool = True,
        title: str = "",
    ) -> None:
        """Creates the controllers for a session; ``key`` is that of their state, ``origin`` that of links.

        ``title`` is the name of the connection. Without ``follows`` the live feed does not poll: the events
        are those of a file.
        """
        self._client = client
        self.details_offered.emit(client.capabilities.error_details)
        self._events = EventsController(self.events_view, client, self._tasks, key, origin)
        self._events.link_requested.connect(self.link_requested)
        self.schema.begin(ServiceContext(client, session, self._tasks, key, title))
        self.live = LiveController(self.live_view, client, session, self._tasks, self._actions)
        self.live.restore_feeds(key)
        self.alarms = AlarmController(self.live_view, client, session, self._tasks, key, self.live.notifier)
        self.alarms.counted.connect(self.alarms_counted)
        self.live.polled.connect(self.alarms.add_polled)
        self.live.polled.connect(self.schema.add_events)
        self._events.views.alarms_changed.connect(self.alarms.load)
        self._actions["alarms"].triggered.connect(self.alarms.show_list)
        # Loads again what failed while the service did not answer.
        self.live.returned.connect(self._events.load)
        self.live.returned.connect(self.schema.load_missing)
        self.live.sign_in_requested.connect(self.sign_in_requested)
        self.live.newest_changed.connect(self._events.add_newer)
        self.live.events_received.connect(self.events_view.seen.add)
        self.live.answered.connect(self.answered)
        self.live.away.connect(self.away)
        self._events.sign_in_requested.connect(self.sign_in_requested)
        self._events.schema_link.schema_requested.connect(self._show_schema)
        self.live_view.signals.event_chosen.connect(self._show_event)
        self.live_view.signals.schema_requested.connect(self._events.schema_link.open_schema)
        self.live_view.signals.link_requested.connect(self._copy_link_to)
        self.live_view.signals.ticket_requested.connect(self._copy_ticket_of)
        self._actions["schema_commits"].triggered.connect(self._show_commits)
        self._actions["table_events"].triggered.connect(self._show_table_events)
        self.events_view.highlighting.changed.connect(self.live_view.highlight)
        self._actions["follow_query"].triggered.connect(self._follow_query)
        self._actions["refresh"].triggered.connect(self._refresh)
        self._actions["schema"].toggled.connect(self._schema_chosen)
        self._events.add_session(session)
        self.palette_sources = (
            TableSource(lambda: self.schema.view, self._actions, self.schema.choose),
            ViewSource(self._events.views, self._actions),
            EventSearchSource(self.events_view, self._actions),
        )
        self.events_view.notice.open_requested.connect(self.file_open_requested)
        self.live.recording.incoming.notice.open_requested.connect(self.file_open_requested)
        self.live.recording.removed.notice.open_requested.connect(self.file_open_requested)
        self._events.load()
        if follows:
            self.live.load()
            self.alarms.load()

    async def has_shown_rows(self) -> None:
        """Returns when the first rows have been painted, or after a second."""
        shown = asyncio.Event()
        view = self.events_view
        PaintWatch(view.table.viewport(), lambda: view.has_rows).painted.connect(shown.set)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await shown.wait()

    def make_schema_page(self) -> None:
        """Creates the schema page, which is created after the first rows are shown."""
        self.schema.make()

    def sign_out(self) -> None:
        """Stops polling until ``renew``."""
        self.live.sign_out()

    def renew(self, session: Session) -> None:
        """Continues with a new session of the same client. What is shown stays."""
        self.live.renew(session)
        self.alarms.renew()
        self._events.renew(session)
        self.schema.renew(session)

    def resume(self) -> None:
        """Loads again what failed while no user was signed in."""
        self.schema.load_missing()
        self._events.load_missing()

    def open_view(self, path: Path) -> None:
        """Shows a saved view in the event browser, or why the file cannot be read."""
        self._actions["events"].setChecked(True)
        self._events.views.open_file(path)

    def open_link(self, link: Link) -> None:
        """Shows the query or the event of a link to this connection."""
        self._actions["events"].setChecked(True)
        self._events.open_link(link)

    @property
    def selected_event(self) -> int:
        """The id of the selected event, 0 for none."""
        event = self.events_view.named_event
        return 0 if event is None else event.id

    def select_event(self, number: int) -> None:
        """Selects an event as soon as the rows are loaded."""
        self._events.select_event(number)

    def look_up(self, uuid: str) -> None:
        """Requests the details of a server error (§7.1)."""
        self._tasks.start(_LOOK_UP, self._look_up(uuid), on_error=self._look_up_failed)

    async def _look_up(self, uuid: str) -> None:
        self.looked_up.emit(await self._client.server_error(uuid))

    def _look_up_failed(self, error: Exception) -> None:
        self.not_looked_up.emit(error_message(error))

    def _schema_chosen(self, chosen: bool) -> None:
        if chosen:
            self.schema.choose()

    def _show_event(self, event: Event) -> None:
        self._actions["events"].setChecked(True)
        self._events.show_around(event)

    def _copy_link_to(self, event: Event) -> None:
        self._events.sharing.copy_link_to(event, self.live_view.show_message)

    def _copy_ticket_of(self, events: Sequence[Event], selected: int) -> None:
        view = self.live_view

        def fail(error: Exception) -> None:
            view.notices.show_failure(error_message(error))

        self._events.sharing.copy_ticket_of(events, selected, view.show_message, fail)

    def _show_schema(self, version: int) -> None:
        self._actions["schema"].setChecked(True)
        self.schema.controller.show_version(version)

    def _show_commits(self) -> None:
        self._actions["events"].setChecked(True)
        known = self.events_view.seen.types
        self._events.show_query(Query(types=tuple(one for one in COMMITS if one in known)))

    def _show_table_events(self) -> None:
        """Shows the events of the table that is selected on the schema page."""
        name = self.schema.controller.selected_table_name
        if name:
            self._actions["events"].setChecked(True)
            self._events.show_query(Query(conditions=(Condition(name, PatternKind.OBJECT),)))

    def _follow_query(self) -> None:
        query = self._events.query
        self._actions["live"].setChecked(True)
        self.live_view.set_filter(testable(query))
        taken, left_out = live_filter_names(query)
        needs_whole = EventMatcher(query.conditions).needs_whole
        if left_out or needs_whole:
            self.live_view.notices.show_ignored_filters(taken, left_out, needs_whole=needs_whole)

    def _refresh(self) -> None:
        controller = self.schema.controller if self._actions["schema"].isChecked() else self._events
        controller.load()


async def make_workspace(context: PageContext, tasks: Tasks, pages: SchemaFactory) -> Workspace:
    """Creates the pages of a connection one by one."""
    views = await make_views(context, pages)
    return Workspace(views, context.settings, context.actions, tasks)
