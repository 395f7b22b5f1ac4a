"""Tests of the window's connection in one process with a real server, from its start to its end."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.app.connect import words_in
from cdb_desktop.app.demo import demo_server
from cdb_desktop.app.desk import Desk, Setting
from cdb_desktop.app.options import Options
from cdb_desktop.embedded import open_demo_folder
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.ui.window.workspace import Workspace
from cdb_desktop.vocabulary.sentences import Sentence
from tests.desktop.patience import until


@dataclass
class Seat:
    """A desk with its window, and what it has told."""

    desk: Desk
    window: MainWindow
    demo: Path
    opened: list[Workspace] = field(default_factory=list)
    failed: list[Sentence] = field(default_factory=list)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all, so that the demo's data is made once."""
    return tmp_path_factory.mktemp("demo")


Take = Callable[[], AbstractAsyncContextManager[Seat]]


@pytest.fixture
def take_seat(qtbot: QtBot, appearance: Appearance, settings: QSettings, demo: Path) -> Take:
    """A block with a window without a connection; what was opened in it is closed at its end.

    Not an asynchronous fixture: between a test and the end of such a fixture Qt would turn without the loop.
    """

    @asynccontextmanager
    async def seat() -> AsyncIterator[Seat]:
        window = MainWindow(appearance, settings)
        qtbot.addWidget(window)
        setting = Setting(appearance, settings, words_in("en"), _raise, demo)
        async with Tasks(_raise) as tasks:
            seat = Seat(Desk(window, tasks, setting), window, demo)
            seat.desk.opened.connect(seat.opened.append)
            seat.desk.failed.connect(seat.failed.append)
            window.show()
            yield seat

    return seat


async def test_rows_load_again_after_the_server_was_killed(take_seat: Take) -> None:
    """The server comes back at its address, and the table goes on where it was."""
    async with take_seat() as seat:
        server = demo_server(seat.demo)
        seat.desk.open_demo(server)
        await until(lambda: seat.opened)
        table = seat.opened[0].events_view.table
        await until(lambda: table.model().rowCount() > 10_000)
        os.kill(server.pid, signal.SIGKILL)
        table.scrollToBottom()
        await until(seat.window.notice.isVisible)
        await until(lambda: not seat.window.notice.isVisible())
        await until(lambda: table.model().index(table.visible_rows()[0], 0).data())
        assert table.visible_rows()[0] > 10_000


async def test_a_second_window_on_the_demo_works_on_a_copy_and_says_so(take_seat: Take) -> None:
    """Nobody's data is touched twice."""
    async with take_seat() as seat:
        with open_demo_folder(seat.demo):
            seat.desk.open_demo()
            await until(lambda: seat.opened)
        assert seat.window.notice.isVisible()
        assert "copy" in seat.window.notice.title


async def test_a_service_that_is_not_there_is_told_on_the_page(take_seat: Take) -> None:
    """The window stays, with the reason and a way to try again."""
    async with take_seat() as seat:
        seat.desk.open_server(Options(server="http://127.0.0.1:1", login="root", password="x"))
        await until(lambda: seat.failed)
        assert seat.failed[0].title == "Nobody answers at this address"
        assert seat.opened == []


def _raise(error: Exception) -> None:
    raise error
