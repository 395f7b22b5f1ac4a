"""The program, ended again and again in different states and ways.

Run it as ``python -m tests.desktop.app.ends.ending_program HOME COUNT SEED``. Each end prints a line of
JSON. The window's modules are loaded once and every program is forked off, as loading them takes longer than
all the rest; from there each is a process like any other, up to the end of Python and of Qt.
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import os
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from cdb_desktop.__main__ import main
from cdb_desktop.app.application import Application
from cdb_desktop.embedded import EmbeddedServer
from cdb_desktop.ui.shell.main_window import MainWindow
from tests.desktop.patience import until

if TYPE_CHECKING:
    from cdb_desktop.ui.schema.controller import SchemaController

STATES = ("loading", "copied", "exporting", "committing")
WAYS = ("window", "keys", "signal", "signal to all")
_LONGEST = 120  # seconds of one program
_FAILED = 99


class Driver:
    """Uses the window of one program and ends it."""

    def __init__(self, state: str, way: str, random: Random, folder: Path) -> None:
        self._state = state
        self._way = way
        self._random = random
        self._folder = folder

    async def drive(self, window: MainWindow) -> None:
        """Brings the program into the state, and ends it at a random moment of it."""
        try:
            await until(window.isVisible)
            await {
                "loading": self._load,
                "copied": self._copy,
                "exporting": self._export,
                "committing": self._commit,
            }[self._state](window)
            await self._end(window)
        except Exception:  # noqa: BLE001
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(_FAILED)

    async def _load(self, _window: MainWindow) -> None:
        await asyncio.sleep(self._random.uniform(0, 2))

    async def _copy(self, window: MainWindow) -> None:
        from cdb_desktop.schema.document.element_ref import TableRef

        controller = await editable_schema(window)
        page = controller.store.page
        controller.store.select(TableRef(page.document.tables[0].key))
        window.actions_by_name["element_copy"].trigger()

    async def _export(self, window: MainWindow) -> None:
        from cdb_desktop.client import CsvOptions
        from cdb_desktop.events.export.options import ExportOptions
        from cdb_desktop.ui.events.export.controller import ExportController
        from cdb_desktop.ui.events.view import EventsView

        window.actions_by_name["events"].setChecked(True)
        await until(lambda: any(view.model.rowCount() for view in window.findChildren(EventsView)), 60)
        controller = window.findChild(ExportController)
        assert isinstance(controller, ExportController)
        controller.export(self._folder / "events.csv", ExportOptions("csv", CsvOptions(max_length=0)))
        await asyncio.sleep(self._random.uniform(0, 0.5))

    async def _commit(self, window: MainWindow) -> None:
        from PySide6.QtCore import Qt

        from cdb_desktop.schema.edits.tables import RenameTable
        from cdb_desktop.ui.schema.commit.controller import CommitDialog

        controller = await editable_schema(window)
        page = controller.store.page
        table = page.document.tables[0].key
        controller.store.apply(RenameTable(table, f"table_{self._random.randrange(1_000_000)}"))
        actions = window.actions_by_name
        actions["schema_save"].trigger()
        await until(lambda: _is_saved(controller), 60)
        await until(actions["schema_commit"].isEnabled, 60)
        actions["schema_commit"].trigger()
        dialog = window.findChild(CommitDialog)
        assert isinstance(dialog, CommitDialog)

        def may_commit() -> bool:
            for item in map(dialog.list.item, range(dialog.list.count())):
                if item.flags() & Qt.ItemFlag.ItemIsUserCheckable:
                    item.setCheckState(Qt.CheckState.Checked)
            return dialog.accept_button.isEnabled()

        await until(may_commit, 60)
        dialog.accept_button.click()
        if not self._way.startswith("signal"):
            dialog.reject()
        await asyncio.sleep(self._random.uniform(0, 0.3))

    async def _end(self, window: MainWindow) -> None:
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest

        if self._way == "window":
            window.close()
        elif self._way == "keys":
            window.activateWindow()  # after a dialog
            await until(window.isActiveWindow)
            QTest.keyClick(window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
        elif self._way == "signal":
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            os.killpg(os.getpgrp(), signal.SIGTERM)


async def editable_schema(window: MainWindow) -> SchemaController:
    """The controller of the schema page, which is loaded when it is first shown, with a model."""
    window.actions_by_name["events"].setChecked(True)
    await until(window.actions_by_name["schema"].isEnabled, 60)
    window.actions_by_name["schema"].setChecked(True)
    found: list[SchemaController] = []

    def is_editable() -> bool:
        from cdb_desktop.ui.schema.controller import SchemaController

        found[:] = window.findChildren(SchemaController)
        return any(each.store.page.is_read and each.store.page.is_editable for each in found)

    await until(is_editable, 60)
    return found[0]


def _is_saved(controller: SchemaController) -> bool:
    page = controller.store.page
    return page.is_read and page.editing.is_saved and not page.busy


def _become_program(driver: Driver, errors: Path) -> None:
    os.setpgid(0, 0)
    file = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 2)
    os.close(file)
    faulthandler.dump_traceback_later(_LONGEST, exit=True)
    original = Application.main

    async def driven(self: Application, early: EmbeddedServer | None) -> int:
        driving = asyncio.create_task(driver.drive(self._window))
        try:
            return await original(self, early)
        finally:
            driving.cancel()

    Application.main = driven  # type: ignore[method-assign]
    sys.argv = ["cdb-desktop", "--demo"]
    sys.exit(main())


def _end_many(folder: Path, count: int, seed: int) -> None:
    random = Random(seed)
    # The first four are all states and all ways.
    ends = [
        (state, WAYS[(at + turn) % len(WAYS)]) for turn in range(len(WAYS)) for at, state in enumerate(STATES)
    ]
    for number in range(count):
        state, way = ends[number % len(ends)]
        errors = folder / "errors.txt"
        driver = Driver(state, way, Random(random.random()), folder)
        child = os.fork()
        if child == 0:
            _become_program(driver, errors)
        _, status = os.waitpid(child, 0)
        is_alone = True
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
            is_alone = False
        report = {"number": number, "state": state, "way": way, "code": os.waitstatus_to_exitcode(status)}
        sys.stdout.write(
            json.dumps({**report, "alone": is_alone, "errors": errors.read_text("utf-8")}) + "\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    _end_many(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
