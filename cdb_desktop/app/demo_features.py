"""What only the demo offers: snapshots, to which its server goes back, and simulated faults."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QObject, QTimer

from cdb_desktop.app.connection.connect import Connection, demo_connection
from cdb_desktop.app.connection.session import ConnectionContext, ConnectionSession
from cdb_desktop.client import Client, FaultInjection
from cdb_desktop.embedded import EmbeddedServer, Snapshot, SnapshotStore
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.times import day_and_time

if TYPE_CHECKING:
    from cdb_desktop.ui.shell import demo_dialogs
    from cdb_desktop.ui.widgets.dialog import BaseDialog
else:
    demo_dialogs = lazy("cdb_desktop.ui.shell.demo_dialogs")

_LIST, _SAVE, _REMOVE = "snapshots.list", "snapshots.save", "snapshots.remove"
RATE = 0.1  # of the requests
_READ, _CHANGE = "faults.read", "faults.change"
_INTERVAL = 2_000  # milliseconds between two readings of the counts


class _DemoFeature(QObject):
    """Offers actions while the demo is open; leaving it ends their tasks and closes their dialog."""

    _actions: ClassVar[tuple[str, ...]]
    _work: ClassVar[tuple[str, ...]]
    _dialog: BaseDialog | None = None

    def __init__(
        self, window: MainWindow, session: ConnectionSession, tasks: Tasks, context: ConnectionContext
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._tasks = window, session, tasks
        self._appearance = context.appearance
        session.opened.connect(lambda _pages: self._offer())
        session.left.connect(self._offer)
        self._offer()

    @property
    def _server(self) -> EmbeddedServer | None:
        connection = self._session.connection
        return connection.demo if connection is not None else None

    def _offer(self) -> None:
        for name in self._actions:
            possible = self._server is not None
            self._window.actions_by_name.set_possible(name, possible, tr("Only with the demo."))
        for task in self._work:
            self._tasks.cancel(task)
        if self._dialog is not None:
            self._dialog.close()

    def _forget(self) -> None:
        self._dialog = None


class DemoSnapshots(_DemoFeature):
    """Controller of the actions ``snapshot_save`` and ``snapshot_restore``, which only the demo has."""

    _actions = ("snapshot_save", "snapshot_restore")
    _work = (_LIST, _SAVE, _REMOVE)
    _restored: Snapshot | None = None

    def __init__(
        self, window: MainWindow, session: ConnectionSession, tasks: Tasks, context: ConnectionContext
    ) -> None:
        super().__init__(window, session, tasks, context)
        actions = window.actions_by_name
        actions["snapshot_save"].triggered.connect(lambda: self._open(self._open_saving))
        actions["snapshot_restore"].triggered.connect(lambda: self._open(self._open_restoring))

    def _offer(self) -> None:
        super()._offer()
        if self._restored is not None and self._server is not None:
            self._notify(self._restored)

    def _open(self, open_with: Callable[[EmbeddedServer, list[Snapshot]], None]) -> None:
        server = self._server
        if self._dialog is not None:
            self._dialog.activateWindow()
        elif server is not None:
            self._tasks.start(_LIST, self._list(server, open_with))

    async def _list(
        self, server: EmbeddedServer, open_with: Callable[[EmbeddedServer, list[Snapshot]], None]
    ) -> None:
        open_with(server, await run_in_thread(_store(server).all))

    # Saving

    def _open_saving(self, server: EmbeddedServer, found: list[Snapshot]) -> None:
        dialog = self._dialog = demo_dialogs.SaveSnapshotDialog(self._appearance, found, self._window)
        dialog.finished.connect(self._forget)
        dialog.save_requested.connect(lambda name: self._save(server, name, dialog))
        dialog.open()

    def _save(self, server: EmbeddedServer, name: str, dialog: demo_dialogs.SaveSnapshotDialog) -> None:
        dialog.show_working(working=True)

        def fail(error: Exception) -> None:
            if self._dialog is dialog:
                dialog.show_working(working=False)
                dialog.show_failure(error_message(error))

        self._tasks.start(_SAVE, self._saved(server, name), on_error=fail)

    async def _saved(self, server: EmbeddedServer, name: str) -> None:
        await run_in_thread(lambda: _store(server).save(name))
        if self._dialog is not None:
            self._dialog.close()
        text = tr("File → Demo service → Go back to snapshot… restores it.")
        self._window.notice.show_notice("accent", tr("Saved the snapshot {name}", name=name), text)

    # Going back

    def _open_restoring(self, server: EmbeddedServer, found: list[Snapshot]) -> None:
        dialog = self._dialog = demo_dialogs.RestoreSnapshotDialog(self._appearance, found, self._window)
        dialog.finished.connect(self._forget)
        known = {snapshot.name: snapshot for snapshot in found}
        dialog.restore_requested.connect(lambda name: self._restore(server, known[name]))
        dialog.removal_requested.connect(lambda name: self._remove(server, name, dialog))
        dialog.open()

    def _remove(self, server: EmbeddedServer, name: str, dialog: demo_dialogs.RestoreSnapshotDialog) -> None:
        def fail(error: Exception) -> None:
            if self._dialog is dialog:
                dialog.show_failure(error_message(error))

        self._tasks.start(_REMOVE, self._removed(server, name, dialog), on_error=fail)

    async def _removed(
        self, server: EmbeddedServer, name: str, dialog: demo_dialogs.RestoreSnapshotDialog
    ) -> None:
        await run_in_thread(lambda: _store(server).remove(name))
        found = await run_in_thread(_store(server).all)
        if self._dialog is dialog:
            dialog.show_rows(found)

    def _restore(self, server: EmbeddedServer, snapshot: Snapshot) -> None:
        if self._dialog is not None:
            self._dialog.close()
        text = tr("The demo service restarts with the data of the snapshot.")
        title = tr("Going back to {name}", name=snapshot.name)
        self._window.notice.show_notice("accent", title, text)
        self._session.open(self._restored_demo(server, snapshot), self._fail)

    @asynccontextmanager
    async def _restored_demo(self, server: EmbeddedServer, snapshot: Snapshot) -> AsyncIterator[Connection]:
        """The demo with the restored database: all pages are loaded again, and the live feed begins anew."""
        restored = await server.replaced_after(lambda: _store(server).restore(snapshot.name))
        self._restored = snapshot
        async with demo_connection(restored) as connection:
            yield connection

    def _fail(self, error: Exception) -> None:
        self._restored = None
        self._window.notice.show_failure(error_message(error))

    def _notify(self, snapshot: Snapshot) -> None:
        self._restored = None
        text = tr(
            "The demo has its data of {moment} again. Events, schema and live feed were reloaded. New events "
            "reuse the ids of events that were discarded.",
            moment=day_and_time(snapshot.saved),
        )
        self._window.notice.show_notice("accent", tr("Back to the snapshot {name}", name=snapshot.name), text)


def _store(server: EmbeddedServer) -> SnapshotStore:
    return SnapshotStore(server.folder.database)


class FaultSimulation(_DemoFeature):
    """Controller of the action ``faults``, and of the mark in the status bar while faults are simulated."""

    _actions = ("faults",)
    _work = (_READ, _CHANGE)
    _dialog: demo_dialogs.FaultsDialog | None = None

    def __init__(
        self, window: MainWindow, session: ConnectionSession, tasks: Tasks, context: ConnectionContext
    ) -> None:
        super().__init__(window, session, tasks, context)
        action = window.actions_by_name["faults"]
        action.triggered.connect(self.open)
        window.status.faults_requested.connect(action.trigger)
        session.server_restarted.connect(self._refresh)

    @property
    def _client(self) -> Client | None:
        """The client of the demo."""
        connection = self._session.connection
        return connection.client if connection is not None and self._server is not None else None

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
        super()._offer()
        # A demo that was just opened simulates nothing.
        self._window.status.show_faults(active=False)

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
        dialog = self._dialog = demo_dialogs.FaultsDialog(self._appearance, state, self._window)
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
