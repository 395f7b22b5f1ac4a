"""Fixtures for the tests of the window."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.queries.links import LinkOrigin
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.workspace import Workspace
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.failures import raise_error
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.shell.builders import open_workspace

Work = Callable[..., AbstractAsyncContextManager[tuple[MainWindow, Workspace]]]


@pytest.fixture
def open_window(qtbot: QtBot, appearance: Appearance, settings: QSettings, sign_in: SignIn) -> Work:
    """Returns a context manager with the window of a signed-in user."""

    @asynccontextmanager
    async def working(*user: str) -> AsyncIterator[tuple[MainWindow, Workspace]]:
        window = MainWindow(appearance, settings)
        qtbot.addWidget(window)
        window.resize(1300, 800)
        window.show()
        async with sign_in(*user) as client, Tasks(raise_error) as tasks:
            assert client.session is not None
            workspace = open_workspace(window, appearance, settings, session=client.session, tasks=tasks)
            workspace.begin(client, client.session, ProfileKey(client.address), LinkOrigin("Museum"))
            yield window, workspace
            window.leave()

    return working
