"""The program, which chooses German and restarts; then prints what it has come back to as a line of JSON.

Run it as ``python -m tests.desktop.app.ends.restarting_program ARGUMENTS``.
"""

import asyncio
import json
import os
import sys
import traceback

from cdb_desktop.__main__ import main
from cdb_desktop.app.application import Application
from cdb_desktop.embedded import EmbeddedServer
from cdb_desktop.foundation.i18n import language
from cdb_desktop.ui.shell.main_window import MainWindow
from tests.desktop.app.ends.ending_program import editable_schema
from tests.desktop.patience import until

FILTER, TABLE = "SEARCH", "renamed_before_the_restart"


async def _change_language(window: MainWindow) -> None:
    from PySide6.QtWidgets import QComboBox, QDialog, QPushButton

    from cdb_desktop.queries.query import Query
    from cdb_desktop.schema.edits.tables import RenameTable
    from cdb_desktop.ui.events.view import EventsView

    controller = await editable_schema(window)
    page = controller.store.page
    controller.store.apply(RenameTable(page.document.tables[0].key, TABLE))
    (view,) = window.findChildren(EventsView)
    view.query_requested.emit(Query(types=(FILTER,)))
    await until(lambda: (found := view.model.result) and found.resolved_query.filter.type == (FILTER,))
    view.table.go_to(3)
    await until(lambda: view.named_event is not None)
    window.actions_by_name["settings"].setChecked(True)
    box = window.findChild(QComboBox, "settings.language")
    assert box is not None
    box.setCurrentIndex(box.findData("de"))
    box.activated.emit(box.currentIndex())
    await until(lambda: window.findChild(QDialog, "restart"))
    dialog = window.findChild(QDialog, "restart")
    assert dialog is not None
    button = dialog.findChild(QPushButton, "restart.accept")
    assert button is not None
    assert button.text() == "Restart now · Jetzt neu starten"
    button.click()


async def _report(window: MainWindow) -> None:
    from PySide6.QtCore import QCoreApplication

    from cdb_desktop.ui.events.view import EventsView
    from cdb_desktop.ui.schema.controller import SchemaController

    page = window.actions_by_name.page
    window.offline_pages.settings.leave_requested.emit()
    page_before = window.actions_by_name.page
    await until(lambda: window.findChildren(SchemaController))
    (controller,) = window.findChildren(SchemaController)
    await until(lambda: controller.store.page.is_read and not controller.store.page.editing.is_saved)
    (view,) = window.findChildren(EventsView)
    await until(lambda: view.table.current_event is not None)
    event = view.table.current_event
    assert event is not None
    report = {
        "language": language(),
        "qt": QCoreApplication.translate("QShortcut", "Ctrl"),
        "page": page,
        "page_before": page_before,
        "filters": view.query.types,
        "is_selected": f"--event={event.id}" in sys.argv,
        "table": controller.store.page.document.tables[0].name,
        "title": window.windowTitle(),
        "password": "CDB_PASSWORD" in os.environ,
    }
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()
    window.close()


async def _drive(window: MainWindow) -> None:
    try:
        await until(window.isVisible)
        await (_report if any(one.startswith("--restarted") for one in sys.argv) else _change_language)(
            window
        )
    except Exception:  # noqa: BLE001
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(99)


def _run() -> int:
    original = Application.main

    async def driven(self: Application, early: EmbeddedServer | None) -> int:
        driving = asyncio.create_task(_drive(self._window))
        try:
            return await original(self, early)
        finally:
            driving.cancel()

    Application.main = driven  # type: ignore[method-assign]
    return main()


if __name__ == "__main__":
    sys.exit(_run())
