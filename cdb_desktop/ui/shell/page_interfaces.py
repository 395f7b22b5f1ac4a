"""What the window requires of pages that are imported after it is shown, and of their factory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from PySide6.QtCore import QSettings, SignalInstance
from PySide6.QtWidgets import QWidget

from cdb_desktop.client import Client, Session
from cdb_desktop.queries.links import Link, LinkOrigin
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.profile_key import ProfileKey

if TYPE_CHECKING:
    from cdb_desktop.events.request_log import RequestLog
    from cdb_desktop.ui.schema.controller import SchemaController
    from cdb_desktop.ui.schema.view import SchemaView
    from cdb_desktop.ui.shell.errors.view import ErrorsView
    from cdb_desktop.ui.shell.palette.keys_overlay import KeysOverlay
    from cdb_desktop.ui.shell.palette.palette import CommandPalette
    from cdb_desktop.ui.shell.palette.sources import PaletteSource
    from cdb_desktop.ui.shell.settings.view import SettingsView


@dataclass(frozen=True, slots=True)
class PageContext:
    """What every page is created with."""

    appearance: Appearance
    settings: QSettings
    actions: Actions


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """What the controller of a page of a connection works with; ``title`` is the connection's name."""

    client: Client
    session: Session
    tasks: Tasks
    key: ProfileKey
    title: str = ""


class PageFactory(Protocol):
    """Creates pages; imports their modules if that has not been done yet."""

    def errors_view(self, context: PageContext) -> ErrorsView: ...
    def settings_view(self, context: PageContext) -> SettingsView: ...
    def palette(
        self,
        context: PageContext,
        window: QWidget,
        settings: Callable[[], SettingsView],
    ) -> CommandPalette: ...
    def keys_overlay(self, context: PageContext, window: QWidget) -> KeysOverlay: ...
    def schema_view(self, context: PageContext) -> SchemaView: ...
    def schema_controller(
        self, context: PageContext, view: SchemaView, service: ServiceContext
    ) -> SchemaController: ...


class VisiblePart(msgspec.Struct, frozen=True):
    """A part of the window: its name, its widget, and whether it shows data."""

    name: str
    widget: QWidget
    has_data: Callable[[], bool]


class ConnectionPages(Protocol):
    """The pages of one connection, implemented by `cdb_desktop.ui.shell.workspace.Workspace`."""

    @property
    def pages(self) -> Mapping[str, QWidget]: ...
    @property
    def feed(self) -> QWidget: ...
    @property
    def feed_title(self) -> QWidget: ...
    @property
    def visible_parts(self) -> Sequence[VisiblePart]: ...
    @property
    def palette_sources(self) -> Sequence[PaletteSource]: ...
    @property
    def exchanges(self) -> RequestLog: ...
    @property
    def sign_in_requested(self) -> SignalInstance: ...
    @property
    def looked_up(self) -> SignalInstance: ...
    @property
    def not_looked_up(self) -> SignalInstance: ...
    @property
    def file_open_requested(self) -> SignalInstance: ...
    @property
    def answered(self) -> SignalInstance: ...
    @property
    def away(self) -> SignalInstance: ...
    @property
    def alarms_counted(self) -> SignalInstance: ...
    @property
    def page_made(self) -> SignalInstance: ...
    @property
    def link_requested(self) -> SignalInstance: ...

    def begin(
        self,
        client: Client,
        session: Session,
        key: ProfileKey,
        origin: LinkOrigin,
        *,
        follows: bool = True,
        title: str = "",
    ) -> None: ...
    async def has_shown_rows(self) -> None: ...
    def make_schema_page(self) -> None: ...
    def sign_out(self) -> None: ...
    def renew(self, session: Session) -> None: ...
    def resume(self) -> None: ...
    def look_up(self, uuid: str) -> None: ...
    def open_view(self, path: Path) -> None: ...
    def open_link(self, link: Link) -> None: ...
