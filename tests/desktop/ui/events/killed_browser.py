"""A browser in its own process that exports or deletes until a call is never answered, to be killed then.

Arguments: address, file of the settings, file to write, ``export`` or ``delete``.
"""

import asyncio
import sys
from pathlib import Path

import qasync
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from cdb_desktop.client import Client
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.queries.links import LinkOrigin
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.deletion import DeletionDialog
from cdb_desktop.ui.events.export.controller import ExportController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.failures import raise_error
from tests.desktop.patience import until
from tests.desktop.ui.events.interruption import Interruption
from tests.desktop.ui.finding import child_of

HOME = ProfileKey("the service", "root")
_CALLS = {"export": ("offset=1998", 1), "delete": ("DELETE", 2)}  # that are never responded to


async def _work(url: str, settings: QSettings, target: Path, what: str) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    appearance = Appearance(app, settings)
    actions = Actions(appearance)
    actions.offer(lambda _right: True)
    actions.show_page("events")
    view = EventsView(appearance, settings, actions)
    view.show()
    wire = Interruption(*_CALLS[what])
    async with Client(url, transport=wire) as client, Tasks(raise_error) as tasks:
        await client.authenticate("root", "admin")
        controller = EventsController(view, client, tasks, HOME, LinkOrigin("Museum"))
        controller.load()
        await until(lambda: view.model.rowCount() > 1_000)
        wire.act = _never
        (_export if what == "export" else _delete)(view, actions, target)
        while True:
            await asyncio.sleep(0.05)
            dialog = view.findChild(DeletionDialog)
            if isinstance(dialog, DeletionDialog) and dialog.isVisible():
                dialog.path.setText(str(target))
                dialog.typed.setText(str(view.model.rowCount()))
                dialog.accept_button.click()


def _export(view: EventsView, _actions: Actions, target: Path) -> None:
    exporting = child_of(view, ExportController)
    exporting.export(target, ExportOptions("jsonl"))


def _delete(_view: EventsView, actions: Actions, _target: Path) -> None:
    actions["delete_found"].trigger()


async def _never() -> None:
    await asyncio.Event().wait()


if __name__ == "__main__":
    application = QApplication([])
    address, kept, file, kind = sys.argv[1:]
    with asyncio.Runner(loop_factory=lambda: qasync.QEventLoop(application)) as runner:
        runner.run(_work(address, QSettings(kept, QSettings.Format.IniFormat), Path(file), kind))
