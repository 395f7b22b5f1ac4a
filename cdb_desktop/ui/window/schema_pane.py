"""The place of the schema's page, which is loaded and made once the rows are there; knows no other pane."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from cdb_desktop.client import Client, Session
from cdb_desktop.lazy import lazy, load
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.home import Home
from cdb_desktop.vocabulary.sentences import Words

if TYPE_CHECKING:
    from cdb_desktop.schema import keeping
    from cdb_desktop.ui.schema import controller as schema_controller
    from cdb_desktop.ui.schema import view as schema_view
else:
    # A seventh of the time to the first rows, which need none of them.
    keeping = lazy("cdb_desktop.schema.keeping")
    schema_controller = lazy("cdb_desktop.ui.schema.controller")
    schema_view = lazy("cdb_desktop.ui.schema.view")


class SchemaPane(QWidget):
    """Empty until ``make`` is called, or its view or its controller is wanted.

    Signals: ``made`` with the SchemaView.
    """

    made = Signal(QWidget)

    def __init__(self, appearance: Appearance, settings: QSettings, actions: Actions) -> None:
        super().__init__()
        self._appearance = appearance
        self._settings = settings
        self._actions = actions
        self._view: schema_view.SchemaView | None = None
        self._control: Callable[[schema_view.SchemaView], schema_controller.SchemaController] | None = None
        self._controller: schema_controller.SchemaController | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)

    @property
    def is_made(self) -> bool:
        """Whether there is anything in this place."""
        return self._view is not None

    @property
    def view(self) -> schema_view.SchemaView:
        """What is seen."""
        return self._view or self.make()

    @property
    def controller(self) -> schema_controller.SchemaController:
        """Its way to the service. Raises LookupError before ``begin``."""
        self.make()
        if self._controller is None:
            raise LookupError
        return self._controller

    def make(self) -> schema_view.SchemaView:
        """Makes what is seen, if nobody has wanted it before, and sets it to work for who is signed in."""
        if self._view is None:
            # With all that it is made of, which another thread may be loading.
            load(schema_controller)
            self._view = schema_view.SchemaView(self._appearance, self._settings, self._actions)
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
        self, client: Client, tasks: Tasks, words: Words, home: Home, view: schema_view.SchemaView
    ) -> schema_controller.SchemaController:
        # The files lie beside the settings.
        folder = Path(self._settings.fileName()).parent / "schema"
        kept = keeping.Keeping(folder, home.service, home.user)
        return schema_controller.SchemaController(
            view, client, self._session, self._actions, tasks, words, kept
        )
