"""The panes of one connection: made with it, set to work by it, gone with it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from cdb_desktop.client import Client, Event, Session
from cdb_desktop.events.exchanges import Exchanges
from cdb_desktop.events.query import Query
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.choice import asked
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.live.controller import LiveController
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.shell.page_interfaces import PageContext, PageFactory, ServiceContext, Sight
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.widgets.paint_watch import PaintWatch
from cdb_desktop.vocabulary.error_messages import DescribeError
from cdb_desktop.vocabulary.event_text import COMMIT
from cdb_desktop.vocabulary.profile_key import ProfileKey

if TYPE_CHECKING:
    from cdb_desktop.ui.schema.controller import SchemaController
    from cdb_desktop.ui.schema.view import SchemaView


def followed(query: Query) -> tuple[list[str], list[str]]:
    """The names of the filters in force: those that short records can tell (wire §3), and the others."""
    taken = (
        (tr("types"), bool(query.types)),
        (tr("base types"), bool(query.base_types)),
        (tr("users"), bool(query.users)),
    )
    left_out = (
        (tr("groups"), bool(query.groups)),
        (tr("kinds of users"), bool(query.user_types)),
        (tr("pollability"), query.pollable is not None),
        (tr("time"), not query.span.is_everything),
    )
    return _in_force(taken), _in_force(left_out)


def _in_force(names: tuple[tuple[str, bool], ...]) -> list[str]:
    return [name for name, is_set in names if is_set]


class SchemaPane(QWidget):
    """Empty until ``make`` is called, or its view or its controller is wanted.

    Signals: ``made`` with the SchemaView.
    """

    made = Signal(QWidget)

    def __init__(self, context: PageContext, pages: PageFactory) -> None:
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
        """Whether there is anything in this place."""
        return self._view is not None

    @property
    def view(self) -> SchemaView:
        """What is seen."""
        return self._view or self.make()

    @property
    def controller(self) -> SchemaController:
        """Its way to the service. Raises LookupError before ``begin``."""
        self.make()
        if self._controller is None:
            raise LookupError
        return self._controller

    def make(self) -> SchemaView:
        """Makes what is seen, if nobody has wanted it before, and sets it to work for who is signed in."""
        if self._view is None:
            self._view = self._pages.schema_view(self._context)
            self._layout.addWidget(self._view)
            self._start()
            self.made.emit(self._view)
        return self._view

    def begin(self, service: ServiceContext) -> None:
        """Sets the page to work for who is signed in."""
        self._service = service
        self._start()

    def renew(self, session: Session) -> None:
        """Goes on with another session of the same client."""
        if self._service is not None:
            self._service = replace(self._service, session=session)
        if self._controller is not None:
            self._controller.renew(session)

    def choose(self) -> None:
        """The page is shown: reads the schema if nobody has asked for it before."""
        if self._controller is not None:
            self._controller.load_once()

    def load_missing(self) -> None:
        """Reads the schema if that was asked for and failed."""
        if self._controller is not None:
            self._controller.load_missing()

    def _start(self) -> None:
        if self._view is not None and self._service is not None:
            self._controller = self._pages.schema_controller(self._context, self._view, self._service)
            if self._context.actions["schema"].isChecked():
                self.choose()


_LOOK_UP = "errors.look_up"
_PATIENCE = 1.0  # seconds that the schema waits for rows


class Views(msgspec.Struct, frozen=True):
    """What the panes of one connection look like."""

    events: EventsView
    schema: SchemaPane
    live: LiveView


async def make_views(context: PageContext, pages: PageFactory) -> Views:
    """Creates them one after the other, so that the event loop gets its turn between them."""
    appearance, settings, actions = context.appearance, context.settings, context.actions
    events = EventsView(appearance, settings, actions)
    await asyncio.sleep(0)
    live = LiveView(appearance, settings, actions)
    await asyncio.sleep(0)
    return Views(events, SchemaPane(context, pages), live)


class Workspace(QObject):
    """Views and controllers of one connection, and which of them an action means.

    Signals: ``answered`` with the milliseconds of a poll · ``away`` when none was answered ·
    ``sign_in_requested`` when a pane has lost its session and the user wants another one; ``renew``
    takes it · ``looked_up`` with the ServerErrorDetails that were asked for · ``not_looked_up`` with the
    Sentence why there are none · ``page_made`` with what has come into a page after the others.
    """

    sign_in_requested = Signal()
    answered = Signal(float)
    away = Signal()
    looked_up = Signal(object)
    not_looked_up = Signal(object)
    page_made = Signal(QWidget)

    def __init__(
        self, views: Views, settings: QSettings, actions: Actions, tasks: Tasks, words: DescribeError
    ) -> None:
        # A child of its panes: actions and window outlive it, and Qt lets go of it as soon as they are gone.
        super().__init__(views.events)
        self._actions = actions
        self._settings = settings
        self._tasks = tasks
        self._words = words
        self.events_view = views.events
        self.schema = views.schema
        self.live_view = views.live
        self.schema.made.connect(self.page_made)

    @property
    def pages(self) -> dict[str, QWidget]:
        """The panes that are pages, by the names of their actions."""
        return {"events": self.events_view, "schema": self.schema}

    @property
    def feed(self) -> QWidget:
        """The pane that stands beside any page."""
        return self.live_view

    @property
    def feed_title(self) -> QWidget:
        """What stands above it."""
        return self.live_view.strip

    @property
    def exchanges(self) -> Exchanges:
        """The last requests to the service."""
        return self.events_view.around.requests.exchanges

    @property
    def sights(self) -> tuple[Sight, ...]:
        """What there is to be seen by now."""
        events, live = self.events_view, self.live_view
        first = (
            Sight("first_rows", events.table.viewport(), lambda: events.has_rows),
            Sight("live", live.table.viewport(), lambda: live.has_rows and live.is_following),
        )
        if not self.schema.is_made:
            return first
        diagram = self.schema.view.diagram
        return (*first, Sight("diagram", diagram.viewport(), lambda: diagram.has_picture))

    def begin(self, client: Client, session: Session, home: ProfileKey) -> None:
        """Sets the panes to work for a session that is signed in; what stays of it is kept for ``home``."""
        self._client = client
        self._events = EventsController(self.events_view, client, self._tasks, self._words, home)
        self.schema.begin(ServiceContext(client, session, self._tasks, self._words, home))
        self.live_view.remember(home)
        self.live = LiveController(self.live_view, client, session, self._tasks, self._words, self._actions)
        # What failed while the service was away is asked for again as soon as it answers.
        self.live.returned.connect(self._events.load)
        self.live.returned.connect(self.schema.load_missing)
        self.live.sign_in_requested.connect(self.sign_in_requested)
        self.live.heard.connect(self._events.hear)
        self.live.came.connect(self._events.meet_users)
        self.live.answered.connect(self.answered)
        self.live.away.connect(self.away)
        self._events.sign_in_requested.connect(self.sign_in_requested)
        self._events.schema_requested.connect(self._show_schema)
        self.live_view.event_chosen.connect(self._show_event)
        self.live_view.schema_requested.connect(self._events.lead_to_schema)
        self._actions["schema_commits"].triggered.connect(self._show_commits)
        self.events_view.highlighted.connect(self.live_view.highlight)
        self._actions["follow_query"].triggered.connect(self._follow_query)
        self._actions["refresh"].triggered.connect(self._refresh)
        self._actions["schema"].toggled.connect(self._schema_chosen)
        self._events.meet(session)
        self._events.load()
        self.live.load()

    async def has_shown_rows(self) -> None:
        """Returns when the first rows have been painted, or something else has to go on without them."""
        shown = asyncio.Event()
        view = self.events_view
        PaintWatch(view.table.viewport(), lambda: view.has_rows).painted.connect(shown.set)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await shown.wait()

    def make_rest(self) -> None:
        """Makes the page for which there was no time before the rows."""
        self.schema.make()

    def sign_out(self) -> None:
        """Nobody is signed in any more, until ``renew``."""
        self.live.sign_out()

    def renew(self, session: Session) -> None:
        """Lets the panes go on with another session of the same client; what they show is kept."""
        self.live.renew(session)
        self._events.renew(session)
        self.schema.renew(session)

    def resume(self) -> None:
        """Asks again for what failed while nobody was signed in."""
        self.schema.load_missing()
        self._events.load_missing()

    def open_view(self, path: Path) -> None:
        """Shows the view in a file in the event browser, or why there is none in it."""
        self._actions["events"].setChecked(True)
        self._events.open_view_file(path)

    def look_up(self, uuid: str) -> None:
        """Asks the service what it wrote down about one of its failures (§7.1)."""
        self._tasks.start(_LOOK_UP, self._look_up(uuid), on_error=self._failed_to_look_up)

    async def _look_up(self, uuid: str) -> None:
        self.looked_up.emit(await self._client.server_error(uuid))

    def _failed_to_look_up(self, error: Exception) -> None:
        self.not_looked_up.emit(self._words(error))

    def _schema_chosen(self, chosen: bool) -> None:
        if chosen:
            self.schema.choose()

    def _show_event(self, event: Event) -> None:
        self._actions["events"].setChecked(True)
        self._events.show_around(event)

    def _show_schema(self, version: int) -> None:
        self._actions["schema"].setChecked(True)
        self.schema.controller.show_version(version)

    def _show_commits(self) -> None:
        self._actions["events"].setChecked(True)
        self._events.ask(Query(types=(COMMIT,)))

    def _follow_query(self) -> None:
        query = self._events.query
        self._actions["live"].setChecked(True)
        self.live_view.choose(asked(query.types, query.base_types, query.users))
        taken, left_out = followed(query)
        if left_out:
            self.live_view.notices.tell_left_out(taken, left_out)

    def _refresh(self) -> None:
        pane = self.schema.controller if self._actions["schema"].isChecked() else self._events
        pane.load()


async def make_workspace(
    context: PageContext, tasks: Tasks, words: DescribeError, pages: PageFactory
) -> Workspace:
    """The pages of a connection, created one after the other."""
    views = await make_views(context, pages)
    return Workspace(views, context.settings, context.actions, tasks, words)
