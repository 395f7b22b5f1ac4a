"""Tests of the live feed against the reference server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live.controller import LiveController
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.live.servers import Server


class Watching(NamedTuple):
    """A feed that runs on the screen, with the client that it asks."""

    view: LiveView
    controller: LiveController
    client: Client

    @property
    def types(self) -> list[str]:
        """The types of the events in the feed."""
        return [self.view.model.event_at(row).type for row in range(self.view.model.rowCount())]

    @property
    def ids(self) -> list[int]:
        """Their ids."""
        return [self.view.model.event_at(row).id for row in range(self.view.model.rowCount())]


LogFollower = Callable[[Client], AbstractAsyncContextManager[Watching]]


@pytest.fixture
def watch(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> LogFollower:
    """A block with the feed of a client that is signed in."""

    @asynccontextmanager
    async def watching(client: Client) -> AsyncIterator[Watching]:
        view = LiveView(appearance, settings, actions := Actions(appearance))
        qtbot.addWidget(view)
        qtbot.addWidget(view.strip)
        view.resize(800, 200)
        view.show()
        async with Tasks(_raise) as tasks:
            assert client.session is not None
            controller = LiveController(view, client, client.session, tasks, actions)
            controller.load()
            yield Watching(view, controller, client)

    return watching


async def test_it_begins_with_what_happened_last_and_goes_on(watch: LogFollower, sign_in: SignIn) -> None:
    """The feed is filled from the list, and a log-in elsewhere arrives by itself."""
    async with sign_in() as client, watch(client) as watching:
        await until(lambda: watching.view.is_following and watching.view.has_rows)
        before = watching.types
        async with sign_in("support", "support"):
            await until(lambda: len(watching.types) > len(before))
        assert watching.types[: len(before)] == before
        assert watching.types[-1] == "USER_LOGIN"


async def test_without_the_right_to_list_it_follows_all_the_same(watch: LogFollower, sign_in: SignIn) -> None:
    """Polling takes no right but a session (§4.2)."""
    async with sign_in("viewer", "viewer") as client, watch(client) as watching:
        await until(lambda: watching.view.is_following)
        assert not watching.view.has_rows
        async with sign_in("support", "support"):
            await until(lambda: watching.types == ["USER_LOGIN"])


async def test_a_commit_arrives_also_from_a_server_that_was_killed_in_between(
    watch: LogFollower, tmp_path: Path
) -> None:
    """The way of the story: SCHEMA_COMMIT is seen to arrive, nothing is missed, nothing comes twice."""
    with Server(tmp_path / "log.sqlite") as server:
        async with Client(server.url) as client:
            await client.authenticate("root", "admin")
            async with watch(client) as watching:
                await until(lambda: watching.view.is_following)
                before = watching.ids
                server.kill()
                await until(lambda: "trying again" in watching.view.strip.status)
                assert watching.ids == before
                server.start()
                await client.commit_schema()
                watching.controller.try_now()
                await until(lambda: "SCHEMA_COMMIT" in watching.types[len(before) :])
                assert watching.view.is_following
                assert watching.ids[: len(before)] == before
                assert len(set(watching.ids)) == len(watching.ids)


async def test_signing_in_again_goes_on_with_the_rows(watch: LogFollower, sign_in: SignIn) -> None:
    """A session that was ended is told, its rows stay, and a new one fills the gap."""
    async with sign_in() as client, watch(client) as watching:
        await until(lambda: watching.view.is_following)
        before = watching.ids
        await client.deauthenticate()
        session = await client.authenticate("root", "admin")
        watching.controller.renew(session)
        await until(lambda: watching.ids[-1] == session.current_max_event_id)
        assert watching.ids[: len(before)] == before
        assert watching.view.notices.title == "A gap was filled"


def _raise(error: Exception) -> None:
    raise error
