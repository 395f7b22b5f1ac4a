"""What creates the pages that the window opens without; the application imports them when there is time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget

from cdb_desktop.client import Client, Session
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import DescribeError
from cdb_desktop.vocabulary.profile_key import ProfileKey

if TYPE_CHECKING:
    from cdb_desktop.ui.errors.view import ErrorsView
    from cdb_desktop.ui.palette.keys_sheet import KeysSheet
    from cdb_desktop.ui.palette.view import Palette
    from cdb_desktop.ui.schema.controller import SchemaController
    from cdb_desktop.ui.schema.view import SchemaView
    from cdb_desktop.ui.settings.view import SettingsView


@dataclass(frozen=True, slots=True)
class PageContext:
    """What every page of a window is made of."""

    appearance: Appearance
    settings: QSettings
    actions: Actions


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """What the controller of a page works with: a service, who is signed in, and whose files are kept."""

    client: Client
    session: Session
    tasks: Tasks
    words: DescribeError
    home: ProfileKey


class PageFactory(Protocol):
    """Creates pages; the first call for a page imports its modules if that has not been done yet."""

    def errors_view(self, context: PageContext) -> ErrorsView: ...
    def settings_view(self, context: PageContext) -> SettingsView: ...
    def palette(self, context: PageContext, window: QWidget) -> Palette: ...
    def keys_sheet(self, context: PageContext, window: QWidget) -> KeysSheet: ...
    def schema_view(self, context: PageContext) -> SchemaView: ...
    def schema_controller(
        self, context: PageContext, view: SchemaView, service: ServiceContext
    ) -> SchemaController: ...
