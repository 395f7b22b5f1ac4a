"""What the tests of the app share: a keyring of their own, and a window with desk and door."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import keyring.core
import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.app.connect import words_in
from cdb_desktop.app.desk import Desk, Setting
from cdb_desktop.app.door import Door
from cdb_desktop.app.known import Known
from cdb_desktop.app.memory import Memory
from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.app.secrets import Secrets
from cdb_desktop.client import Client
from cdb_desktop.ui.connection.connection_sheet import ConnectionSheet
from cdb_desktop.ui.connection.sign_in_sheet import SignInSheet
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.ui.window.workspace import Workspace
from cdb_desktop.vocabulary.sentences import Sentence
from tests.desktop.app.services import MemoryKeyring


@dataclass
class Seat:
    """A window with its door and desk, and what they have told."""

    door: Door
    desk: Desk
    window: MainWindow
    setting: Setting
    opened: list[Workspace] = field(default_factory=list)
    failed: list[Sentence] = field(default_factory=list)

    @property
    def sheet(self) -> ConnectionSheet:
        """The sheet of connections."""
        (found,) = self.window.findChildren(ConnectionSheet)
        return found

    @property
    def sign_in(self) -> SignInSheet:
        """The sheet that asks for the password again."""
        (found,) = self.window.findChildren(SignInSheet)
        return found

    @property
    def client(self) -> Client:
        """The client of the connection that was opened last."""
        return self.opened[-1]._client


Take = Callable[[], AbstractAsyncContextManager[Seat]]


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> MemoryKeyring:
    """The keyring in force; nobody's own one is ever asked."""
    own = MemoryKeyring()
    monkeypatch.setattr(keyring.core, "_keyring_backend", own)
    return own


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all, so that the demo's data is made once."""
    return tmp_path_factory.mktemp("demo")


@pytest.fixture
def take_seat(qtbot: QtBot, appearance: Appearance, settings: QSettings, demo: Path, tmp_path: Path) -> Take:
    """A block with a window without a connection; what was opened in it is closed at its end.

    Not an asynchronous fixture: between a test and the end of such a fixture Qt would turn without the loop.
    """

    @asynccontextmanager
    async def seat() -> AsyncIterator[Seat]:
        window = MainWindow(appearance, settings, PageLoader())
        qtbot.addWidget(window)
        memory = Memory(Known(tmp_path / "connections.json"), Secrets())
        setting = Setting(appearance, settings, words_in("en"), _raise, demo, memory, PageLoader())
        async with Tasks(_raise) as tasks:
            desk = Desk(window, tasks, setting)
            taken = Seat(Door(window, desk, tasks, setting), desk, window, setting)
            desk.opened.connect(taken.opened.append)
            taken.door.failed.connect(taken.failed.append)
            window.show()
            yield taken

    return seat


def _raise(error: Exception) -> None:
    raise error
