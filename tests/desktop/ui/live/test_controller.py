"""Tests of the live feed against the reference server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import NamedTuple

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client
from cdb_desktop.ui.live.controller import LiveController
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.sentences import sentence
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn


class Watching(NamedTuple):
    """A feed that runs, with the client that it asks."""

    view: LiveView
    controller: LiveController
    client: Client

    def types(self) -> list[str]:
        """The types of the events in the feed."""
        model = self.view.table.model()
        return [model.index(row, 2).data() for row in range(model.rowCount())]


Watch = Callable[..., AbstractAsyncContextManager[Watching]]


@pytest.fixture
def watch(qtbot: QtBot, appearance: Appearance, settings: QSettings, sign_in: SignIn) -> Watch:
    """A block with the feed of a user."""

    @asynccontextmanager
    async def watching(*user: str) -> AsyncIterator[Watching]:
        view = LiveView(appearance, settings, QAction())
        qtbot.addWidget(view)
        qtbot.addWidget(view.strip)
        async with sign_in(*user) as client, Tasks(_raise) as tasks:
            assert client.session is not None
            controller = LiveController(view, client, client.session, tasks, sentence)
            controller.load()
            yield Watching(view, controller, client)

    return watching


async def test_it_begins_with_what_happened_last_and_goes_on(watch: Watch, sign_in: SignIn) -> None:
    """The feed is filled from the list, and a log-in elsewhere arrives by itself."""
    async with watch() as watching:
        await until(lambda: watching.view.is_following and watching.view.has_rows)
        before = watching.types()
        async with sign_in("support", "support"):
            await until(lambda: len(watching.types()) > len(before))
        assert watching.types()[: len(before)] == before
        assert watching.types()[-1] == "USER_LOGIN"


async def test_without_the_right_to_list_it_follows_all_the_same(watch: Watch, sign_in: SignIn) -> None:
    """Polling takes no right but a session (§4.2)."""
    async with watch("viewer", "viewer") as watching:
        await until(lambda: watching.view.is_following)
        assert not watching.view.has_rows
        async with sign_in("support", "support"):
            await until(lambda: watching.types() == ["USER_LOGIN"])


async def test_a_pause_loses_nothing(watch: Watch, sign_in: SignIn) -> None:
    """Polling goes on from the cursor where it stopped."""
    async with watch("viewer", "viewer") as watching:
        await until(lambda: watching.view.is_following)
        watching.controller.pause(True)
        async with sign_in("support", "support"):
            pass
        assert watching.types() == []
        watching.controller.pause(False)
        await until(lambda: watching.types() == ["USER_LOGIN"])


def _raise(error: Exception) -> None:
    raise error
