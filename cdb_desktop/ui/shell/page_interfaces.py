"""What the window knows of a connection's panes, so that it can stand before they are loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from PySide6.QtCore import QSettings, SignalInstance
from PySide6.QtWidgets import QWidget

from cdb_desktop.client import Client, Session
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import DescribeError
from cdb_desktop.vocabulary.profile_key import ProfileKey

if TYPE_CHECKING:
    from cdb_desktop.events.exchanges import Exchanges
    from cdb_desktop.ui.schema.controller import SchemaController
    from cdb_desktop.ui.schema.view import SchemaView
    from cdb_desktop.ui.shell.errors.view import ErrorsView
    from cdb_desktop.ui.shell.palette.keys_overlay import KeysSheet
    from cdb_desktop.ui.shell.palette.palette import Palette
    from cdb_desktop.ui.shell.settings.view import SettingsView


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


class Sight(msgspec.Struct, frozen=True):
    """Something to be seen: the part of the window, the widget, and whether there is anything on it."""

    part: str
    widget: QWidget
    has_something: Callable[[], bool]


class Panes(Protocol):
    """The pages of one connection, as window and connection use them; Workspace documents the signals."""

    @property
    def pages(self) -> Mapping[str, QWidget]: ...
    @property
    def feed(self) -> QWidget: ...
    @property
    def feed_title(self) -> QWidget: ...
    @property
    def sights(self) -> Sequence[Sight]: ...
    @property
    def exchanges(self) -> Exchanges: ...
    @property
    def sign_in_requested(self) -> SignalInstance: ...
    @property
    def looked_up(self) -> SignalInstance: ...
    @property
    def not_looked_up(self) -> SignalInstance: ...
    @property
    def answered(self) -> SignalInstance: ...
    @property
    def away(self) -> SignalInstance: ...
    @property
    def page_made(self) -> SignalInstance: ...

    def begin(self, client: Client, session: Session, home: ProfileKey) -> None: ...
    async def has_shown_rows(self) -> None: ...
    def make_rest(self) -> None: ...
    def sign_out(self) -> None: ...
    def renew(self, session: Session) -> None: ...
    def resume(self) -> None: ...
    def look_up(self, uuid: str) -> None: ...
    def open_view(self, path: Path) -> None: ...
