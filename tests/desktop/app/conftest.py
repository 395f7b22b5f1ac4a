"""Fixtures of the app's tests: a keyring in memory, and a window that can connect."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import keyring.core
import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.app.connection.controller import ConnectionController
from cdb_desktop.app.connection.passwords import PasswordStore
from cdb_desktop.app.connection.session import ConnectionContext, ConnectionSession
from cdb_desktop.app.connection.store import ConnectionFile, ConnectionStore
from cdb_desktop.app.options import Options
from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.client import Client
from cdb_desktop.ui.connection.dialog import ConnectionDialog
from cdb_desktop.ui.connection.dialogs import SignInDialog
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.workspace import Workspace
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from tests.demo_files import create_demo
from tests.desktop.app.services import MemoryKeyring
from tests.desktop.failures import raise_error
from tests.desktop.forked_servers import forked_servers
from tests.desktop.patience import until

__all__ = ["forked_servers"]


@dataclass
class AppWindow:
    """A window with its connection, and the values that its signals have emitted."""

    controller: ConnectionController
    session: ConnectionSession
    window: MainWindow
    context: ConnectionContext
    opened: list[Workspace] = field(default_factory=list)
    failed: list[ErrorMessage] = field(default_factory=list)

    @property
    def connection_dialog(self) -> ConnectionDialog:
        """The connection dialog, which must have been opened before."""
        (found,) = self.window.findChildren(ConnectionDialog)
        return found

    @property
    def is_connection_dialog_open(self) -> bool:
        """Whether the connection dialog is visible."""
        return any(dialog.isVisible() for dialog in self.window.findChildren(ConnectionDialog))

    @property
    def sign_in(self) -> SignInDialog:
        """The dialog for signing in again."""
        (found,) = self.window.findChildren(SignInDialog)
        return found

    async def connect(self, url: str = "", login: str = "root") -> Workspace:
        """Opens a service, or the demo, as the command line does, and returns the pages."""
        before, password = len(self.opened), "admin" if login == "root" else login
        service = Options(server=url, login=login, password=password)
        self.controller.start(service if url else Options(demo=True))
        await until(lambda: len(self.opened) > before or self.failed)
        assert self.failed == []
        return self.opened[-1]

    @property
    def client(self) -> Client:
        """The client of the connection that was opened last."""
        return self.opened[-1]._client


OpenApp = Callable[[], AbstractAsyncContextManager[AppWindow]]


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> MemoryKeyring:
    """Installs a keyring in memory in place of the system's keyring."""
    own = MemoryKeyring()
    monkeypatch.setattr(keyring.core, "_keyring_backend", own)
    return own


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the demo data that all tests share."""
    folder = tmp_path_factory.mktemp("demo")
    create_demo(folder / "demo.sqlite", 20_000)
    return folder


@pytest.fixture
def open_app(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, demo: Path, tmp_path: Path
) -> OpenApp:
    """A block with a window without a connection; what was opened in it is closed at its end.

    Not an asynchronous fixture: between a test and the end of such a fixture Qt would turn without the loop.
    """

    @asynccontextmanager
    async def open_window() -> AsyncIterator[AppWindow]:
        window = MainWindow(appearance, settings)
        qtbot.addWidget(window)
        store = ConnectionStore(ConnectionFile(tmp_path / "connections.json"), PasswordStore())
        context = ConnectionContext(
            appearance, settings, raise_error, demo, store, PageLoader(), tmp_path / "opened"
        )
        async with Tasks(raise_error) as tasks:
            session = ConnectionSession(window, tasks, context)
            controller = ConnectionController(window, session, tasks, context)
            app = AppWindow(controller, session, window, context)
            session.opened.connect(app.opened.append)
            controller.failed.connect(app.failed.append)
            window.show()
            yield app

    return open_window
