"""Simulates faults while the demo is open; no other service has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from cdb_desktop.app.connection.session import ConnectionContext, ConnectionSession
from cdb_desktop.client import Client, FaultInjection
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import error_message

if TYPE_CHECKING:
    from cdb_desktop.ui.shell import faults
else:
    faults = lazy("cdb_desktop.ui.shell.faults")

RATE = 0.1  # of the requests
_READ, _CHANGE = "faults.read", "faults.change"
_INTERVAL = 2_000  # milliseconds between two readings of the counts


class FaultSimulation(QObject):
    """Controller of the action ``faults``, and of the mark in the status bar while faults are simulated."""

    def __init__(
        self, window: MainWindow, session: ConnectionSession, tasks: Tasks, context: ConnectionContext
    ) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._tasks = tasks
        self._appearance = context.appearance
        self._dialog: faults.FaultsDialog | None = None
        self._action = window.actions_by_name["faults"]
        self._action.triggered.connect(self.open)
        window.status.faults_requested.connect(self._action.trigger)
        session.opened.connect(lambda _pages: self._offer())
        session.left.connect(self._offer)
        session.server_restarted.connect(self._refresh)
        self._offer()

    @property
    def _client(self) -> Client | None:
        """The client of the demo."""
        connection = self._session.connection
        is_demo = connection is not None and connection.demo is not None
        return connection.client if connection is not None and is_demo else None

    def open(self) -> None:
        """Opens the dialog with the faults that the service knows and those that are switched on."""
        client = self._client
        if self._dialog is not None:
            self._dialog.activateWindow()
        elif client is not None:
            # A fault may have made the calls of the connection wait; those of the dialog never get one.
            client.try_now()
            self._tasks.start(_READ, self._open(client))

    def _offer(self) -> None:
        """Offers the action for a demo that was just opened, or withdraws it."""
        is_demo = self._client is not None
        self._window.actions_by_name.set_possible("faults", is_demo, tr("Only with the demo."))
        # A demo that was just opened simulates nothing.
        self._window.status.show_faults(active=False)
        self._tasks.cancel(_READ)
        self._tasks.cancel(_CHANGE)
        if self._dialog is not None:
            self._dialog.close()

    def _refresh(self) -> None:
        """Reads which faults are switched on: a service that was restarted has forgotten them."""
        client = self._client
        if client is not None:
            client.try_now()
            self._tasks.start(_READ, self._read(client))

    async def _read(self, client: Client) -> None:
        self._show(await client.fault_injection())

    def _show(self, state: FaultInjection) -> None:
        self._window.status.show_faults(active=state.active)
        if self._dialog is not None:
            self._dialog.show_state(state)

    async def _open(self, client: Client) -> None:
        state = await client.fault_injection()
        dialog = self._dialog = faults.FaultsDialog(self._appearance, state, self._window)
        dialog.finished.connect(self._forget)
        dialog.switched.connect(lambda chosen: self._switch(client, chosen))
        counting = QTimer(dialog, interval=_INTERVAL)
        counting.timeout.connect(lambda: self._count(client))
        counting.start()
        dialog.open()

    def _count(self, client: Client) -> None:
        """Reads the counts again, as soon as the calls of the connection do not wait."""
        if not self._tasks.is_running(_READ) and not self._tasks.is_running(_CHANGE):
            self._tasks.start(_READ, self._read(client), on_error=lambda _error: None)

    def _switch(self, client: Client, chosen: tuple[str, ...]) -> None:
        client.try_now()
        self._tasks.cancel(_READ)
        self._tasks.start(_CHANGE, self._change(client, chosen), on_error=self._fail)

    async def _change(self, client: Client, chosen: tuple[str, ...]) -> None:
        self._show(await client.inject_faults(RATE if chosen else 0, chosen))
        if self._dialog is not None:
            self._dialog.show_fault("")

    def _fail(self, error: Exception) -> None:
        if self._dialog is not None:
            self._dialog.show_failure(error_message(error))
            self._refresh()  # nothing was switched

    def _forget(self) -> None:
        self._dialog = None
