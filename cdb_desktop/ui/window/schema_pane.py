"""The schema page of a connection, created after the first event rows are shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from cdb_desktop.client import Client, Session
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.home import Home
from cdb_desktop.ui.window.page_factory import PageFactory
from cdb_desktop.vocabulary.sentences import Words

if TYPE_CHECKING:
    from cdb_desktop.ui.schema.controller import SchemaController
    from cdb_desktop.ui.schema.view import SchemaView


class SchemaPane(QWidget):
    """Empty until ``make`` is called, or its view or its controller is wanted.

    Signals: ``made`` with the SchemaView.
    """

    made = Signal(QWidget)

    def __init__(
        self, appearance: Appearance, settings: QSettings, actions: Actions, pages: PageFactory
    ) -> None:
        super().__init__()
        self._pages = pages
        self._appearance = appearance
        self._settings = settings
        self._actions = actions
        self._view: SchemaView | None = None
        self._control: Callable[[SchemaView], SchemaController] | None = None
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
            self._view = self._pages.schema_view(self._appearance, self._settings, self._actions)
            self._layout.addWidget(self._view)
            self._start()
            self.made.emit(self._view)
        return self._view

    def begin(self, client: Client, session: Session, tasks: Tasks, words: Words, home: Home) -> None:
        """Tells who is signed in, and whose is what stays of the work."""
        self._session = session
        self._control = partial(self._controlled, client, tasks, words, home)
        self._start()

    def renew(self, session: Session) -> None:
        """Goes on with another session of the same client."""
        self._session = session
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
        if self._view is not None and self._control is not None:
            self._controller = self._control(self._view)
            if self._actions["schema"].isChecked():
                self.choose()

    def _controlled(
        self, client: Client, tasks: Tasks, words: Words, home: Home, view: SchemaView
    ) -> SchemaController:
        # The files lie beside the settings.
        folder = Path(self._settings.fileName()).parent / "schema"
        kept = self._pages.schema_files(folder, home)
        return self._pages.schema_controller(view, client, self._session, self._actions, tasks, words, kept)
