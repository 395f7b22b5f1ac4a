"""Tests of requesting the details of a failure from a real service."""

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from cdb_desktop.queries.links import LinkOrigin
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.failures import raise_error
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.shell.builders import open_workspace
from tests.server import both_generations


@both_generations
async def test_an_unknown_uuid_is_reported(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, sign_in: SignIn, generation: int
) -> None:
    """In place of the details (wire §4); where a service has none, they cannot be requested."""
    window = MainWindow(appearance, settings)
    qtbot.addWidget(window)
    window.show()
    async with sign_in() as client, Tasks(raise_error) as tasks:
        assert client.session is not None
        workspace = open_workspace(window, appearance, settings, session=client.session, tasks=tasks)
        workspace.begin(client, client.session, ProfileKey(client.address), LinkOrigin("Museum"))
        window.explain("error.server.database")
        ask = window.offline_pages.errors.findChild(QPushButton, "errors.ask")
        window.offline_pages.errors.lookup.show_uuid("c0ffee")
        assert ask is not None
        assert ask.isEnabled() is (ask.toolTip() == "") is (generation == 5)
        window.offline_pages.errors.details_requested.emit("c0ffee")
        answer = child_of(window.offline_pages.errors, QLabel, "errors.answer")
        await until(answer.text)
        if generation == 6:
            window.leave()
            return
        assert answer.text().startswith(
            "Error not found. The service keeps no server error with the uuid c0ffee."
        )
        window.leave()
