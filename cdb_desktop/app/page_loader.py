"""Imports the pages of a connection after the first window and creates them.

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
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cdb_desktop.client import load_libraries
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.ui.shell.page_interfaces import PageContext, ServiceContext
from cdb_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from cdb_desktop.schema.files.model_files import OpenedFile
    from cdb_desktop.ui.schema.controller import SchemaController
    from cdb_desktop.ui.schema.promotion.other_connection import OtherConnections
    from cdb_desktop.ui.schema.view import SchemaView
    from cdb_desktop.ui.shell.model_file_page import ModelFilePage
    from cdb_desktop.ui.shell.workspace import Workspace

_WORKSPACE = ("cdb_desktop.events", "cdb_desktop.live", "cdb_desktop.ui.live", "cdb_desktop.ui.events")
_SCHEMA = ("cdb_desktop.schema", "cdb_desktop.ui.schema")
_PROCESS_SUFFIX = "_helper"  # the main modules of child processes


class StoredConnections(Protocol):
    """The remembered connections, implemented by `cdb_desktop.app.connection.others`."""

    def seen_from(self, key: str) -> OtherConnections: ...


class PageLoader:
    """Imports and creates pages. Implements `page_interfaces.SchemaFactory`.

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

    async def workspace(self, context: PageContext, tasks: Tasks) -> Workspace:
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
