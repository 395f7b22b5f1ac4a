"""Switches simulated faults of the demo service on and off, and shows in the status bar that they are on."""

from __future__ import annotations

from collections.abc import Awaitable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from cdb_desktop.client import Client, FaultInjection
from cdb_desktop.ui.shell.faults.dialog import FaultsDialog
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import error_message

_READ, _CHANGE = "faults.read", "faults.change"


class FaultsController(QObject):
    """Opens one dialog at a time, for the service of ``client``.

    Signals: ``changed`` with whether faults are simulated.
    """

    changed = Signal(bool)

    def __init__(self, window: QWidget, appearance: Appearance, tasks: Tasks) -> None:
        super().__init__(window)
        self._window = window
        self._appearance = appearance
        self._tasks = tasks
        self._dialog: FaultsDialog | None = None

    def open(self, client: Client) -> None:
        """Opens the dialog with the faults that the service knows and those that are switched on."""
        if self._dialog is not None:
            self._dialog.activateWindow()
            return
        # A fault may have made the calls of the connection wait; these two never get one.
        client.try_now()
        self._tasks.start(_READ, self._open(client))

    def refresh(self, client: Client) -> None:
        """Reads whether faults are switched on: a service that was restarted has forgotten them."""
        self._tasks.start(_READ, self._refresh(client))

    def close(self) -> None:
        """Closes the dialog: there is no demo any more."""
        self._tasks.cancel(_READ)
        self._tasks.cancel(_CHANGE)
        if self._dialog is not None:
            self._dialog.close()

    async def _open(self, client: Client) -> None:
        dialog = self._dialog = FaultsDialog(self._appearance, await client.fault_injection(), self._window)
        dialog.finished.connect(self._forget)
        dialog.simulation_requested.connect(lambda: self._simulate(client, dialog))
        dialog.end_requested.connect(lambda: self._end(client))
        dialog.open()

    async def _refresh(self, client: Client) -> None:
        self.changed.emit((await client.fault_injection()).active)

    def _simulate(self, client: Client, dialog: FaultsDialog) -> None:
        self._start(client, client.inject_faults(dialog.rate, dialog.chosen))

    def _end(self, client: Client) -> None:
        self._start(client, client.inject_faults(0))

    def _start(self, client: Client, change: Awaitable[FaultInjection]) -> None:
        if self._dialog is not None:
            self._dialog.show_working(working=True)
        client.try_now()
        self._tasks.start(_CHANGE, self._change(change), on_error=self._fail)

    async def _change(self, change: Awaitable[FaultInjection]) -> None:
        self.changed.emit((await change).active)
        if self._dialog is not None:
            self._dialog.close()

    def _fail(self, error: Exception) -> None:
        if self._dialog is not None:
            self._dialog.show_working(working=False)
            self._dialog.show_failure(error_message(error))

    def _forget(self) -> None:
        self._dialog = None
        self._tasks.cancel(_CHANGE)
