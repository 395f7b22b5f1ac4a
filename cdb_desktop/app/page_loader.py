"""Imports pages and dialogs after the first window and creates them.

The window opens without them, which take more than half of all imports. This is the one module that
imports our own code inside functions; everything else imports at its top.

All of it runs on the GUI thread: PySide6 is not safe against two threads that create classes derived from
QObject at the same time, and a page's modules consist of little else. A package's modules are imported one by
one, and the event loop runs between them: one import of the topmost module takes 100 ms and more.
Only libraries that have nothing to do with Qt are imported on a thread.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import math
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtWidgets import QWidget

from cdb_desktop.client import load_libraries
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.ui.shell.page_interfaces import ConnectionPages, PageContext, ServiceContext
from cdb_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from cdb_desktop.client import Certificate, CertificateError
    from cdb_desktop.queries.links import LinkOrigin
    from cdb_desktop.schema.files.model_files import OpenedFile
    from cdb_desktop.ui.connection.certificate_dialog import CertificateDialog
    from cdb_desktop.ui.connection.dialog import ConnectionDialog
    from cdb_desktop.ui.connection.link_dialog import OpenLinkDialog
    from cdb_desktop.ui.connection.profile import ConnectionProfile
    from cdb_desktop.ui.connection.proxy_dialog import ProxyDialog
    from cdb_desktop.ui.connection.sign_in_dialog import SignInDialog
    from cdb_desktop.ui.schema.controller import SchemaController
    from cdb_desktop.ui.schema.promotion.other_connection import OtherConnections
    from cdb_desktop.ui.schema.view import SchemaView
    from cdb_desktop.ui.shell.errors.view import ErrorsView
    from cdb_desktop.ui.shell.faults.controller import FaultsController
    from cdb_desktop.ui.shell.model_file_page import ModelFilePage
    from cdb_desktop.ui.shell.palette.keys_overlay import KeysOverlay
    from cdb_desktop.ui.shell.palette.palette import CommandPalette
    from cdb_desktop.ui.shell.report.controller import ReportController
    from cdb_desktop.ui.shell.settings.controller import SettingsController
    from cdb_desktop.ui.shell.settings.view import SettingsView
    from cdb_desktop.ui.shell.snapshots import RestoreSnapshotDialog, SaveSnapshotDialog

_WORKSPACE = ("cdb_desktop.events", "cdb_desktop.live", "cdb_desktop.ui.live", "cdb_desktop.ui.events")
_SCHEMA = ("cdb_desktop.schema", "cdb_desktop.ui.schema")
_PROCESS_SUFFIX = "_helper"  # the main modules of child processes


class StoredConnections(Protocol):
    """The remembered connections, implemented by `cdb_desktop.app.connection.others`."""

    def seen_from(self, key: str) -> OtherConnections: ...


class PageLoader:
    """Imports and creates pages and dialogs. Implements `page_interfaces.PageFactory`.

    ``demo_database`` is the database of the demo while it is open; commits are rehearsed on copies of it.
    ``connections`` are those whose models can be compared and taken over.
    """

    def __init__(self, resumed: float = math.inf) -> None:
        """Drafts of HEAD and files since ``resumed`` (seconds since 1970) are restored without a question."""
        self._resumed = resumed
        self.demo_database: Path | None = None
        self.connections: StoredConnections | None = None

    async def load_workspace(self) -> None:
        """Imports the event browser, the live feed and the client's libraries. Raises ImportError."""
        await run_in_thread(load_libraries)
        await _import_packages(*_WORKSPACE)

    async def load_schema(self) -> None:
        """Imports the schema page. Raises ImportError."""
        await _import_packages(*_SCHEMA)

    async def workspace(self, context: PageContext, tasks: Tasks) -> ConnectionPages:
        """Creates the pages of a connection one by one."""
        await self.load_workspace()
        from cdb_desktop.ui.shell.workspace import make_workspace

        return await make_workspace(context, tasks, self)

    async def model_page(self, context: PageContext) -> ModelFilePage:
        """The schema page for a model file."""
        await self.load_schema()
        from cdb_desktop.ui.shell.model_file_page import ModelFilePage

        return ModelFilePage(context, self._others(""), self._resumed)

    async def read_model(self, path: Path) -> OpenedFile:
        """Reads a model file. Raises OSError, and DocumentError if it is not a model."""
        await self.load_schema()
        from cdb_desktop.schema.files.model_files import read_file

        return await run_in_thread(lambda: read_file(path))

    def schema_view(self, context: PageContext) -> SchemaView:
        """The schema page without a controller."""
        from cdb_desktop.ui.schema.view import SchemaView

        return SchemaView(context.appearance, context.settings, context.actions)

    def schema_controller(
        self, context: PageContext, view: SchemaView, service: ServiceContext
    ) -> SchemaController:
        """The controller of the schema page; drafts and arrangements are in files beside the settings."""
        from cdb_desktop.app.rehearsal import rehearsal_server
        from cdb_desktop.embedded import count_stored_rows, write_stored_rows
        from cdb_desktop.schema.files.local_store import LocalStore
        from cdb_desktop.ui.schema.controller import OtherServices, SchemaController

        folder = Path(context.settings.fileName()).parent / "schema"
        local_store = LocalStore(folder, service.key.service, service.key.user, self._resumed)
        database = self.demo_database
        others = OtherServices(
            partial(rehearsal_server, database),
            None if database is None else partial(write_stored_rows, database),
            self._others(service.key.key),
            service.title,
            None if database is None else partial(count_stored_rows, database),
        )
        return SchemaController(
            view,
            service.client,
            service.session,
            context.actions,
            service.tasks,
            local_store,
            others,
        )

    def _others(self, key: str) -> OtherConnections | None:
        """The other connections; ``key`` is that of the open one."""
        return None if self.connections is None else self.connections.seen_from(key)

    def errors_view(self, context: PageContext) -> ErrorsView:
        """The page that explains error codes."""
        from cdb_desktop.ui.shell.errors.view import ErrorsView

        return ErrorsView(context.appearance)

    def settings_view(self, context: PageContext) -> SettingsView:
        """The settings page without a controller."""
        from cdb_desktop.ui.shell.settings.view import SettingsView

        return SettingsView(context.appearance)

    def settings_controller(self) -> type[SettingsController]:
        """The class of the controller of the settings page."""
        from cdb_desktop.ui.shell.settings.controller import SettingsController

        return SettingsController

    def report_controller(self) -> type[ReportController]:
        """The class of the controller of problem reports."""
        from cdb_desktop.ui.shell.report.controller import ReportController

        return ReportController

    def faults_controller(self) -> type[FaultsController]:
        """The class of the controller of simulated faults."""
        from cdb_desktop.ui.shell.faults.controller import FaultsController

        return FaultsController

    def snapshot_dialogs(self) -> tuple[type[SaveSnapshotDialog], type[RestoreSnapshotDialog]]:
        """The classes of the dialogs of snapshots."""
        from cdb_desktop.ui.shell.snapshots import RestoreSnapshotDialog, SaveSnapshotDialog

        return SaveSnapshotDialog, RestoreSnapshotDialog

    def connection_dialog(self, context: PageContext, window: QWidget) -> ConnectionDialog:
        """The dialog in which connections are entered."""
        from cdb_desktop.ui.connection.dialog import ConnectionDialog

        return ConnectionDialog(context.appearance, window)

    def sign_in_dialog(
        self, context: PageContext, profile: ConnectionProfile, window: QWidget
    ) -> SignInDialog:
        """The dialog to sign in again."""
        from cdb_desktop.ui.connection.sign_in_dialog import SignInDialog

        return SignInDialog(context.appearance, profile, window)

    def link_dialog(
        self,
        context: PageContext,
        origin: LinkOrigin,
        profile: ConnectionProfile | None,
        present: str,
        window: QWidget,
    ) -> OpenLinkDialog:
        """The dialog for a link to another connection."""
        from cdb_desktop.ui.connection.link_dialog import OpenLinkDialog

        return OpenLinkDialog(context.appearance, origin, profile, present, window)

    def proxy_dialog(self, context: PageContext, proxy: str, window: QWidget) -> ProxyDialog:
        """The dialog for the login of a proxy, which few connections need."""
        from cdb_desktop.ui.connection.proxy_dialog import ProxyDialog

        return ProxyDialog(context.appearance, proxy, window)

    def certificate_dialog(
        self,
        context: PageContext,
        error: CertificateError,
        certificates: Sequence[Certificate],
        window: QWidget,
    ) -> CertificateDialog:
        """The dialog for a certificate that was not accepted."""
        from cdb_desktop.ui.connection.certificate_dialog import CertificateDialog

        return CertificateDialog(context.appearance, error.host, error.problem, certificates, window)

    def palette(
        self,
        context: PageContext,
        window: QWidget,
        settings: Callable[[], SettingsView],
    ) -> CommandPalette:
        """The command palette of a window, which finds actions and settings."""
        from cdb_desktop.ui.shell.palette.palette import CommandPalette
        from cdb_desktop.ui.shell.palette.sources import ActionSource
        from cdb_desktop.ui.shell.settings.palette_source import SettingSource

        show_page = partial(context.actions["settings"].setChecked, True)
        actions = ActionSource(context.actions, context.settings)
        return CommandPalette(window, context.appearance, (actions, SettingSource(settings, show_page)))

    def keys_overlay(self, context: PageContext, window: QWidget) -> KeysOverlay:
        """The list of all keys."""
        from cdb_desktop.ui.shell.palette.keys_overlay import KeysOverlay

        return KeysOverlay(window, context.appearance, context.actions)


async def _import_packages(*packages: str) -> None:
    for name in packages:
        for module in _modules(name):
            importlib.import_module(module)
            await asyncio.sleep(0)
    # Modules are never collected: later collections can skip them.
    gc.freeze()


def _modules(package: str) -> Iterator[str]:
    """The names of a package's modules, those of its packages included."""
    for found in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        if found.ispkg:
            yield from _modules(found.name)
        elif not found.name.endswith(_PROCESS_SUFFIX):
            yield found.name
