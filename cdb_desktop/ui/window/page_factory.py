"""What creates the pages that the window opens without; the application imports them when there is time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from cdb_desktop.client import Client, Session
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.home import Home
from cdb_desktop.vocabulary.sentences import Words

if TYPE_CHECKING:
    from cdb_desktop.schema.keeping import Keeping
    from cdb_desktop.ui.errors.view import ErrorsView
    from cdb_desktop.ui.palette.keys_sheet import KeysSheet
    from cdb_desktop.ui.palette.view import Palette
    from cdb_desktop.ui.schema.controller import SchemaController
    from cdb_desktop.ui.schema.view import SchemaView
    from cdb_desktop.ui.settings.view import SettingsView


class PageFactory(Protocol):
    """Creates pages; the first call for a page imports its modules if that has not been done yet."""

    def errors_view(self, appearance: Appearance) -> ErrorsView: ...
    def settings_view(self, appearance: Appearance) -> SettingsView: ...
    def palette(
        self, window: QWidget, appearance: Appearance, actions: Actions, settings: QSettings
    ) -> Palette: ...
    def keys_sheet(self, window: QWidget, appearance: Appearance, actions: Actions) -> KeysSheet: ...
    def schema_view(self, appearance: Appearance, settings: QSettings, actions: Actions) -> SchemaView: ...
    def schema_controller(
        self,
        view: SchemaView,
        client: Client,
        session: Session,
        actions: Actions,
        tasks: Tasks,
        words: Words,
        kept: Keeping,
    ) -> SchemaController: ...
    def schema_files(self, folder: Path, home: Home) -> Keeping: ...
