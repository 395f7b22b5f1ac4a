"""Saves snapshots of the demo, and goes back to them: its server starts again on the restored database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from cdb_desktop.app.connection.connect import Connection, demo_connection
from cdb_desktop.app.connection.session import ConnectionContext, ConnectionSession
from cdb_desktop.embedded import EmbeddedServer, Snapshot, SnapshotStore
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.lazy import lazy
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.times import day_and_time

if TYPE_CHECKING:
    from cdb_desktop.ui.shell import snapshots
else:
    snapshots = lazy("cdb_desktop.ui.shell.snapshots")

_ACTIONS = ("snapshot_save", "snapshot_restore")
_LIST, _SAVE, _REMOVE = "snapshots.list", "snapshots.save", "snapshots.remove"


class DemoSnapshots(QObject):
    """Controller of the actions ``snapshot_save`` and ``snapshot_restore``, which only the demo has."""

    def __init__(
        self, window: MainWindow, session: ConnectionSession, tasks: Tasks, context: ConnectionContext
    ) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._tasks = tasks
        self._context = context
        self._dialog: snapshots.SaveSnapshotDialog | snapshots.RestoreSnapshotDialog | None = None
        self._restored: Snapshot | None = None
        actions = window.actions_by_name
        actions["snapshot_save"].triggered.connect(lambda: self._open(self._open_saving))
        actions["snapshot_restore"].triggered.connect(lambda: self._open(self._open_restoring))
        session.opened.connect(lambda _pages: self._offer())
        session.left.connect(self._offer)
        self._offer()

    @property
    def _server(self) -> EmbeddedServer | None:
        connection = self._session.connection
        return connection.demo if connection is not None else None

    def _offer(self) -> None:
        """Offers the actions for a demo that was just opened, or withdraws them."""
        for name in _ACTIONS:
            possible = self._server is not None
            self._window.actions_by_name.set_possible(name, possible, tr("Only with the demo."))
        for task in (_LIST, _SAVE, _REMOVE):
            self._tasks.cancel(task)
        if self._dialog is not None:
            self._dialog.close()
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
        dialog = self._dialog = snapshots.SaveSnapshotDialog(self._context.appearance, found, self._window)
        dialog.finished.connect(self._forget)
        dialog.save_requested.connect(lambda name: self._save(server, name, dialog))
        dialog.open()

    def _save(self, server: EmbeddedServer, name: str, dialog: snapshots.SaveSnapshotDialog) -> None:
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
        dialog = self._dialog = snapshots.RestoreSnapshotDialog(self._context.appearance, found, self._window)
        dialog.finished.connect(self._forget)
        known = {snapshot.name: snapshot for snapshot in found}
        dialog.restore_requested.connect(lambda name: self._restore(server, known[name]))
        dialog.removal_requested.connect(lambda name: self._remove(server, name, dialog))
        dialog.open()

    def _remove(self, server: EmbeddedServer, name: str, dialog: snapshots.RestoreSnapshotDialog) -> None:
        def fail(error: Exception) -> None:
            if self._dialog is dialog:
                dialog.show_failure(error_message(error))

        self._tasks.start(_REMOVE, self._removed(server, name, dialog), on_error=fail)

    async def _removed(
        self, server: EmbeddedServer, name: str, dialog: snapshots.RestoreSnapshotDialog
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

    def _forget(self) -> None:
        self._dialog = None


def _store(server: EmbeddedServer) -> SnapshotStore:
    return SnapshotStore(server.folder.database)
