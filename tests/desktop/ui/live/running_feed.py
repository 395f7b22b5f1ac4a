"""A live view that follows a model of a service over a real socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QLabel, QPlainTextEdit
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live.controller import LiveController
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.failures import raise_error
from tests.desktop.live.model_service import ModelService
from tests.desktop.patience import until
from tests.desktop.ui.finding import child_of


class RunningFeed:
    """A live view and its controller."""

    def __init__(self, view: LiveView, controller: LiveController, actions: Actions) -> None:
        self.view = view
        self.controller = controller
        self.actions = actions

    def text(self) -> str:
        """The whole text of the gap report."""
        popup = self.view.gap_report
        labels = [label.text() for label in popup.findChildren(QLabel)]
        find_events = child_of(popup, QPlainTextEdit, "live.account.ranges")
        return "\n".join([*labels, find_events.toPlainText()])


@asynccontextmanager
async def following(
    service: ModelService, qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> AsyncIterator[RunningFeed]:
    actions = Actions(appearance)
    view = LiveView(appearance, settings, actions)
    qtbot.addWidget(view)
    qtbot.addWidget(view.strip)
    view.strip.resize(1200, 32)
    view.show()
    view.strip.show()
    with service.serve():
        async with Client(service.url) as client, Tasks(raise_error) as tasks:
            session = await client.authenticate("root", "x")
            actions.offer(session.allows)
            controller = LiveController(view, client, session, tasks, actions)
            controller.load()
            await until(lambda: view.is_following)
            yield RunningFeed(view, controller, actions)
