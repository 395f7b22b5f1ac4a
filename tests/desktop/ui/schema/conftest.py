"""The schema page on the screen, with or without a service."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import copyfile

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.app.rehearsal import rehearsal_server
from cdb_desktop.client import Client, Session
from cdb_desktop.embedded import count_stored_rows, write_stored_rows
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.schema.working_copy import open_head as begun
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.controller import OtherServices, SchemaController
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnections
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from tests.chaos import Chaos, chaos_of
from tests.desktop.failures import raise_error
from tests.desktop.forked_servers import forked_servers
from tests.desktop.patience import until
from tests.desktop.schema.models import opened
from tests.desktop.ui.schema.service import Service, service

__all__ = ["forked_servers"]

ROOT = Session(token="t", system_rights={"system.root": {}})
NOBODY = "http://127.0.0.1:1"


@dataclass(frozen=True)
class Bench:
    """The view of the page with its own actions and settings."""

    view: SchemaView
    actions: Actions
    settings: QSettings
    connections: OtherConnections | None = None

    @asynccontextmanager
    async def at(
        self, client: Client, session: Session, database: Path | None = None
    ) -> AsyncIterator[SchemaController]:
        """A controller for a session that has not read anything yet.

        ``database`` is that of the service if its rows can be read.
        """
        self.actions.offer(session.allows)
        self.actions.show_page("schema")
        async with Tasks(raise_error) as tasks:
            local_store = LocalStore(Path(self.settings.fileName()).parent / "schema", client.address)
            others = OtherServices(
                partial(rehearsal_server, database),
                None if database is None else partial(write_stored_rows, database),
                self.connections,
                count_rows=None if database is None else partial(count_stored_rows, database),
            )
            yield SchemaController(self.view, client, session, self.actions, tasks, local_store, others)

    @asynccontextmanager
    async def with_museum(
        self, current: Document | None = None, session: Session = ROOT
    ) -> AsyncIterator[SchemaController]:
        """The small museum as HEAD, and as CURRENT unless another one is given; there is no service."""
        async with Client(NOBODY) as client, self.at(client, session) as controller:
            editing = begun(opened(), current or opened())
            develop = session.allows("system.datamodel.development")
            controller.store.put(PageState(editing, may_develop=develop, may_commit=develop))
            await until(lambda: self.view.diagram.has_picture)
            yield controller

    @asynccontextmanager
    async def signed_in(
        self, url: str, login: str, password: str = "", database: Path | None = None
    ) -> AsyncIterator[SchemaController]:
        """A user who is signed in to a service, with the schema read."""
        async with Client(url) as client:
            session = await client.authenticate(login, password or login)
            async with self.at(client, session, database) as controller:
                controller.load()
                await until(lambda: self.view.diagram.has_picture)
                yield controller


def is_saved(controller: SchemaController) -> bool:
    """Whether the page has nothing to save and is not saving."""
    page = controller.store.page
    return page.is_read and page.editing.is_saved and not page.busy


def titles(controller: SchemaController) -> list[str]:
    """The titles of the steps that are not undone."""
    history = controller.store.page.editing.history
    return [str(state.title) for state in history.states[1 : history.position + 1]]


@pytest.fixture
def bench(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> Bench:
    """The page on the screen."""
    return _bench(qtbot, appearance, settings)


@pytest.fixture
def next_bench(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> Bench:
    """The page of the next start with the same settings."""
    return _bench(qtbot, appearance, settings)


def _bench(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> Bench:
    actions = Actions(appearance)
    view = SchemaView(appearance, settings, actions)
    view.addActions([actions[name] for name in actions])
    qtbot.addWidget(view)
    view.resize(1200, 700)
    with qtbot.waitExposed(view):
        view.show()
    view.activateWindow()
    return Bench(view, actions, settings)


@pytest.fixture(scope="session")
def museum_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a museum, created once."""
    file = tmp_path_factory.mktemp("museum") / "demo.sqlite"
    with service(file, "--demo", "--demo-events", "10"):
        return file


@pytest.fixture
def own(museum_file: Path, tmp_path: Path, generation: int) -> Iterator[Service]:
    """A server with its own copy of the museum."""
    file = tmp_path / "museum.sqlite"
    for part in museum_file.parent.glob("demo.sqlite*"):
        copyfile(part, tmp_path / part.name.replace("demo", "museum"))
    with service(file, "--chaos", "off", "--generation", str(generation)) as running:
        yield running


@pytest.fixture
def own_chaos(own: Service) -> Iterator[Chaos]:
    """The faults of that server."""
    with chaos_of(own.url) as chaos:
        yield chaos
