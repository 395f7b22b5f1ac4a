"""The event browser in a window, signed in at a server, for its measurements."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import qasync
from PySide6.QtCore import QEvent, QObject, QSettings
from PySide6.QtWidgets import QApplication, QMainWindow

from cdb_desktop.app.process import GarbageCollector
from cdb_desktop.client import Client
from cdb_desktop.queries.links import LinkOrigin
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.failures import raise_error
from tests.performance.memory import own_memory

_SIZE = 1600, 900
_PATIENCE = 600  # seconds

_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Browser:
    """A browser without rows; `idle` is the memory of the program at this time, in MB."""

    view: EventsView
    controller: EventsController
    client: Client
    idle: float

    async def ask(self, query: Query) -> None:
        """Changes the query and waits until the rows are loaded and counted."""
        before = self.view.model.result
        if query == self.controller.query:
            self.controller.load()
        else:
            self.controller.show_query(query)
        await self.see(lambda: self.view.model.result is not before)

    async def see(self, condition: Callable[[], object] = lambda: True) -> None:
        """Waits until rows are loaded and counted, and ``condition`` is true."""
        model = self.view.model
        await until(lambda: model.result is not None and model.result.total is not None and condition())


class Painted(QObject):
    """Records when rows of the current result are painted first."""

    def __init__(self, view: EventsView) -> None:
        super().__init__(view)
        self._view = view
        self._is_painting = False
        self.at = 0.0
        self.result: object = None
        view.table.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Paints the rows and records the time."""
        if event.type() != QEvent.Type.Paint or self._is_painting:
            return False
        self._is_painting = True
        QApplication.sendEvent(watched, event)
        self._is_painting = False
        result = self._view.model.result
        if self._view.has_rows and self.result is not result:
            self.at, self.result = time.perf_counter(), result
        return True


async def until(condition: Callable[[], object], seconds: float = _PATIENCE) -> None:
    """Waits until a condition is true."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  # conditions are of any kind
            await asyncio.sleep(0.002)


@asynccontextmanager
async def browser(
    app: QApplication, url: str, folder: Path, *, overview: bool = True
) -> AsyncIterator[Browser]:
    """A window of root at a server; without ``overview`` there are no counts beside the rows."""
    # For this process only: another one starts with default settings.
    settings = QSettings(str(folder / f"settings-{os.getpid()}.ini"), QSettings.Format.IniFormat)
    appearance = Appearance(app, settings)
    window = QMainWindow()
    GarbageCollector(window)
    actions = Actions(appearance, window)
    view = EventsView(appearance, settings, actions)
    actions["overview"].setChecked(overview)
    window.setCentralWidget(view)
    window.resize(*_SIZE)
    window.show()
    async with Client(url) as client, Tasks(raise_error) as tasks:
        await client.authenticate("root", "admin")
        controller = EventsController(view, client, tasks, ProfileKey(client.address), LinkOrigin("Museum"))
        view.table.viewport().repaint()
        yield Browser(view, controller, client, own_memory())


def run(work: Callable[[QApplication], Coroutine[Any, Any, _Found]]) -> _Found:
    """Runs ``work`` in the window's event loop and returns its result."""
    found = QApplication.instance()
    app = found if isinstance(found, QApplication) else QApplication([])
    with asyncio.Runner(loop_factory=partial(qasync.QEventLoop, app)) as runner:
        return runner.run(work(app))
