"""The panes of one connection: made with it, set to work by it, gone with it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QSettings

from cdb_desktop.client import Client, Session
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.live.controller import LiveController
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.sentences import Sentence

Words = Callable[[BaseException], Sentence]


class Workspace(QObject):
    """Views and controllers of one connection, and which of them an action means."""

    def __init__(
        self, appearance: Appearance, settings: QSettings, actions: Actions, tasks: Tasks, words: Words
    ) -> None:
        super().__init__()
        self._actions = actions
        self._tasks = tasks
        self._words = words
        self.events_view = EventsView(appearance, settings, actions)
        self.schema_view = SchemaView(appearance, actions)
        self.live_view = LiveView(appearance, settings, actions["pause"])

    def begin(self, client: Client, session: Session) -> None:
        """Sets the panes to work for a session that is signed in."""
        self._events = EventsController(self.events_view, client, self._tasks, self._words)
        self._schema = SchemaController(self.schema_view, client, self._tasks, self._words)
        self.live = LiveController(self.live_view, client, session, self._tasks, self._words)
        # What failed while the service was away is asked for again as soon as it answers.
        self.live.returned.connect(self._events.load)
        self._actions["pause"].toggled.connect(self.live.pause)
        self._actions["refresh"].triggered.connect(self._refresh)
        self._actions["schema"].toggled.connect(self._schema_chosen)
        self._events.load()
        self.live.load()
        self._schema_chosen(self._actions["schema"].isChecked())

    def _schema_chosen(self, chosen: bool) -> None:
        if chosen:
            self._schema.load_once()

    def _refresh(self) -> None:
        pane = self._schema if self._actions["schema"].isChecked() else self._events
        pane.load()
