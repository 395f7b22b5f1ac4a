"""Offers to simulate faults while the demo is open; no other service has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from cdb_desktop.app.connection.session import ConnectionContext, ConnectionSession
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from cdb_desktop.ui.shell.faults.controller import FaultsController


class FaultSimulation(QObject):
    """Controller of the action ``faults``, and of the mark in the status bar while faults are simulated."""

    def __init__(
        self, window: MainWindow, session: ConnectionSession, tasks: Tasks, context: ConnectionContext
    ) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._tasks = tasks
        self._context = context
        self._controller: FaultsController | None = None
        self._action = window.actions_by_name["faults"]
        self._action.triggered.connect(self.open)
        window.status.faults_requested.connect(self._action.trigger)
        session.opened.connect(lambda _pages: self._offer())
        session.left.connect(self._offer)
        session.server_restarted.connect(self._refresh)
        self._offer()

    def open(self) -> None:
        """Opens the dialog."""
        connection = self._session.connection
        if connection is not None and connection.demo is not None:
            self._made().open(connection.client)

    def _offer(self) -> None:
        """Offers the action for a demo that was just opened, or withdraws it."""
        connection = self._session.connection
        is_demo = connection is not None and connection.demo is not None
        self._window.actions_by_name.set_possible("faults", is_demo, tr("Only with the demo."))
        # A demo that was just opened simulates nothing.
        self._window.status.show_faults(active=False)
        if self._controller is not None:
            self._controller.close()

    def _refresh(self) -> None:
        connection = self._session.connection
        if connection is not None and self._controller is not None:
            self._controller.refresh(connection.client)

    def _made(self) -> FaultsController:
        if self._controller is None:
            context, window = self._context, self._window
            controller = context.pages.faults_controller()(window, context.appearance, self._tasks)
            controller.changed.connect(lambda active: window.status.show_faults(active=active))
            self._controller = controller
        return self._controller
