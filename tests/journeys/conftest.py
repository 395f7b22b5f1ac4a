"""Fixtures of the user stories: Qt's event loop, a log with 20,000 events, a user's folders and keyring."""

import logging
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import keyring.core
import pytest
from PySide6.QtCore import QLocale, QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.ui.shell.settings.language import use_locale
from tests.demo_files import create_demo
from tests.desktop.app.services import MemoryKeyring
from tests.desktop.conftest import pytest_asyncio_loop_factories
from tests.desktop.forked_servers import forked_servers
from tests.journeys.server import copied

__all__ = ["forked_servers", "pytest_asyncio_loop_factories"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Adds a timeout."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.timeout(60))


@pytest.fixture(scope="session")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database file with 20,000 events, created once, to be copied."""
    file = tmp_path_factory.mktemp("museum") / "demo.sqlite"
    create_demo(file, 20_000)
    return file


@pytest.fixture
def own_museum(museum: Path, tmp_path: Path) -> Path:
    """A copy of the database file that may be changed."""
    return copied(museum, tmp_path / "museum")


@pytest.fixture
def folders(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[UserFolders]:
    """The folders of a new user; changes of the program to the process are undone."""
    monkeypatch.setattr(keyring.core, "_keyring_backend", MemoryKeyring())
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    numbers = signal.SIGINT, signal.SIGTERM
    handlers, locale = [signal.getsignal(number) for number in numbers], QLocale()
    user = tmp_path / "user"
    settings = QSettings(str(user / "cdb-desktop.ini"), QSettings.Format.IniFormat)
    settings.setValue("language", "en")
    settings.sync()
    yield UserFolders(user, user / "logs", user / "demo", user / "opened")
    use_locale("en", locale)
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)
    assert [one.getMessage() for one in caplog.get_records("call") if one.levelno >= logging.ERROR] == []
