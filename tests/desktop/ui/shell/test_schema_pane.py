"""Tests of the pane of the schema page, which is created after the rows are shown."""

import asyncio

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.client import Session
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.shell.page_interfaces import PageContext, ServiceContext
from cdb_desktop.ui.shell.workspace import SchemaPage
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.failures import raise_error
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn


@pytest.fixture
def actions(appearance: Appearance) -> Actions:
    """The actions of a window."""
    made = Actions(appearance)
    made.offer(lambda _right: True)
    return made


@pytest.fixture
def pane(qtbot: QtBot, appearance: Appearance, settings: QSettings, actions: Actions) -> SchemaPage:
    """The empty pane."""
    made = SchemaPage(PageContext(appearance, settings, actions), PageLoader())
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_page_is_created_on_demand(pane: SchemaPage) -> None:
    """It is created once."""
    created: list[QWidget] = []
    pane.made.connect(created.append)
    assert not pane.is_made
    assert pane.findChildren(QWidget) == []
    view = pane.view
    pane.make()
    assert (pane.is_made, created) == (True, [view])


def test_without_a_session_there_is_no_client(pane: SchemaPage) -> None:
    """The page can be shown without one."""
    with pytest.raises(LookupError):
        _ = pane.controller
    assert pane.is_made


@pytest.mark.parametrize("is_made_first", [True, False])
async def test_a_visible_page_shows_the_schema(
    pane: SchemaPage, actions: Actions, sign_in: SignIn, *, is_made_first: bool
) -> None:
    """Whether the page or the session is created first."""
    actions["schema"].setChecked(True)
    async with sign_in() as client, Tasks(raise_error) as tasks:
        assert client.session is not None
        if is_made_first:
            pane.make()
        pane.begin(ServiceContext(client, client.session, tasks, ProfileKey(client.address)))
        pane.make()
        await until(lambda: pane.view.header.version.count() > 0)


async def test_a_hidden_page_sends_no_requests(pane: SchemaPage, actions: Actions, sign_in: SignIn) -> None:
    """It does when it is shown."""
    async with sign_in() as client, Tasks(raise_error) as tasks:
        assert client.session is not None
        pane.begin(ServiceContext(client, client.session, tasks, ProfileKey(client.address)))
        pane.make()
        await asyncio.sleep(0.05)
        assert not tasks.is_running("schema.load")
        assert not pane.controller.store.page.is_read
        pane.choose()
        await until(lambda: pane.view.header.version.count() > 0)


async def test_a_late_page_has_the_current_session(pane: SchemaPage, sign_in: SignIn) -> None:
    """The user may have signed in again before the page was created."""
    async with sign_in() as client, Tasks(raise_error) as tasks:
        assert client.session is not None
        pane.begin(ServiceContext(client, client.session, tasks, ProfileKey(client.address)))
        pane.renew(Session(token=client.session.token))
        pane.choose()
        assert not pane.is_made
        pane.controller.load()
        await until(lambda: pane.controller.store.page.is_read)
        page = pane.controller.store.page
        assert not page.may_commit
