"""Tests of opening log files, with a real window and the reference server."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDockWidget, QFileDialog, QPushButton

from cdb_desktop.app.options import Options
from cdb_desktop.events.export.options import ExportOptions, FileFormat
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.deletion import DeletionDialog
from cdb_desktop.ui.events.export.controller import ExportController
from cdb_desktop.ui.events.view import EventsView
from server_stub.backup.event_archive import EventArchive
from server_stub.events import EventDraft
from server_stub.events.record import event_row
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.drops import drop_file
from tests.desktop.patience import until
from tests.server import serving

_COLUMNS = ("id", "time", "type", "user", "object", "summary", "pollable", "info.search.0.string")
_WRITING = (
    *("delete_selected", "delete_found", "event_insert", "follow_query", "live", "live_record", "pause"),
    *("schema", "schema_save", "schema_commit", "event_schema", "disconnect"),
)
_LINE = '{"event":{"_id":%d,"type":"SEARCH","timestamp":"2026-11-22T14:03:00Z"}}\n'


def events_of(app: AppWindow) -> EventsView:
    """The event browser of the connection that was opened last."""
    return app.opened[-1].events_view


def databases(app: AppWindow) -> list[Path]:
    """The folders of the databases of open logs."""
    return list(app.context.opened.glob("log-*"))


def content(file: Path) -> bytes:
    """The content of a file."""
    return file.read_bytes()


async def export(app: AppWindow, target: Path, form: FileFormat = "csv") -> bytes:
    """Exports the rows, and returns the content of the file."""
    view = events_of(app)
    controller = view.findChild(ExportController)
    assert isinstance(controller, ExportController)
    controller.export(target, ExportOptions(form, columns=_COLUMNS if form == "csv" else ()))
    await until(lambda: view.notice.isVisible() and view.notice.title == "Exported")
    view.notice.hide()
    return content(target)


async def show(app: AppWindow, query: Query) -> list[int]:
    """Shows a query, and returns the ids of its rows."""
    app.opened[-1]._events.show_query(query)
    model = events_of(app).model
    await until(
        lambda: (
            (shown := model.result) is not None
            and shown.resolved_query.filter.type == query.types
            and shown.total is not None
        )
    )
    result = model.result
    assert result is not None
    return [event.id for row in range(result.rows) if (event := result.event(row)) is not None]


async def open_file(app: AppWindow, file: Path) -> None:
    """Opens a file as the command line does, and waits for its rows."""
    app.controller.start(Options(log=str(file)))
    await until(lambda: app.opened or app.failed)
    assert app.failed == []
    await until(lambda: events_of(app).has_rows)


async def test_an_export_has_the_same_rows_and_csv_as_the_service(
    open_app: OpenApp, reference_server: str, tmp_path: Path
) -> None:
    """Filters work as they do at the service; closing the file removes its database."""
    chosen, searches = Query(types=("OBJECT_UPDATE", "SEARCH")), Query(types=("SEARCH",))
    async with open_app() as app:
        app.controller.start(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: app.opened)
        rows = await show(app, chosen)
        exported = await export(app, tmp_path / "service.csv")
        await export(app, tmp_path / "Ereignisse.jsonl", "jsonl")
        some = await show(app, searches)
    async with open_app() as app:
        await open_file(app, tmp_path / "Ereignisse.jsonl")
        window = app.window
        assert window.windowTitle() == "Ereignisse.jsonl"
        assert (
            window.status.who.text()
            == "Ereignisse.jsonl · a file, not a service: its events can only be read"
        )
        assert not window.notice.isVisible()
        assert await show(app, searches) == some
        assert await show(app, chosen) == rows
        assert await export(app, tmp_path / "file.csv") == exported
        actions = window.actions_by_name
        for name in _WRITING:
            assert not actions[name].isEnabled(), name
            assert "This is a file" in actions[name].toolTip(), name
        for name in ("export", "jump", "summary", "views", "refresh", "model_close", "log_open"):
            assert actions[name].isEnabled(), name
        dock = window.findChild(QDockWidget, "live")
        assert isinstance(dock, QDockWidget)
        assert not dock.isVisible()
        assert len(databases(app)) == 1
        actions["model_close"].trigger()
        await until(window.start.choices.isVisible)
        await until(lambda: not databases(app))


async def test_damaged_and_repeated_lines_are_named(open_app: OpenApp, tmp_path: Path) -> None:
    """The others are shown; the file may be dropped on the window."""
    file = tmp_path / "feed.jsonl"
    file.write_text(_LINE % 1 + "no JSON\n" + _LINE % 2 + _LINE % 2)
    async with open_app() as app:
        app.controller.start(Options())
        drop_file(app.window, file)
        await until(lambda: app.opened and events_of(app).has_rows)
        assert app.window.notice.title == "Not all lines of feed.jsonl are shown"
        assert "skipped: 2." in app.window.notice.text
        assert "One line repeats" in app.window.notice.text
        assert events_of(app).model.rowCount() == 2


async def test_an_archive_is_opened_by_its_manifest(open_app: OpenApp, tmp_path: Path) -> None:
    """It shows the events of all its files; without one of them it is refused."""
    drafts = [EventDraft("SEARCH", 1_700_000_000), EventDraft("USER_LOGIN", 1_700_000_001)]
    rows = [(id_, *event_row(draft, "here")) for id_, draft in enumerate(drafts, 7)]
    with EventArchive.opened(tmp_path, "here") as archive:
        for row in rows:
            archive.write(iter([[row]]))
    manifest = tmp_path / "events.cdbarchive"
    async with open_app() as app:
        await open_file(app, manifest)
        assert await show(app, Query()) == [8, 7]
    (tmp_path / "events-000000000007-000000000007.parquet").unlink()
    async with open_app() as app:
        app.controller.start(Options(log=str(manifest)))
        await until(lambda: app.failed)
        assert "events-000000000007-000000000007.parquet is missing" in app.failed[-1].text


async def test_files_that_are_no_logs_are_refused(open_app: OpenApp, tmp_path: Path) -> None:
    """The start page stays, and nothing is left."""
    file = tmp_path / "other.jsonl"
    file.write_text("[1, 2]\n")
    async with open_app() as app:
        app.controller.start(Options(log=str(file)))
        await until(lambda: app.failed)
        assert app.failed[-1].title == "other.jsonl contains no events"
        assert app.window.start.choices.isVisible()
        app.controller.start(Options(log=str(tmp_path / "missing.jsonl")))
        await until(lambda: len(app.failed) == 2)
        assert app.failed[-1].title == "missing.jsonl was not opened"
        assert not databases(app)


async def test_reading_can_be_cancelled_on_the_start_page(open_app: OpenApp, tmp_path: Path) -> None:
    """The child process ends, and its database is removed."""
    file = tmp_path / "large.jsonl"
    file.write_text("".join(_LINE % number for number in range(1, 100_000)))
    async with open_app() as app:
        app.window.actions_by_name["log_open"].trigger()
        dialog = app.window.findChild(QFileDialog)
        assert isinstance(dialog, QFileDialog)
        assert dialog.selectedNameFilter().startswith("Logs")
        dialog.fileSelected.emit(str(file))
        dialog.close()
        await until(lambda: app.window.start.is_connecting)
        await until(lambda: databases(app))
        app.window.start.back_requested.emit()
        assert app.window.start.choices.isVisible()
        await until(lambda: not databases(app))
        assert app.opened == []


async def test_a_backup_opens_in_another_window_and_has_the_deleted_events(
    open_app: OpenApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection, with its feed and edits, stays as it is."""
    file, home = tmp_path / "deleted events.jsonl", tmp_path / "home"
    home.mkdir()
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    database = tmp_path / "demo.sqlite"
    with serving(database, "--demo", "--demo-events", "2000") as url:
        async with open_app() as app:
            rows = await _deleted(app, url, file)
    async with open_app() as app:
        await open_file(app, file)
        assert await show(app, Query(types=("SEARCH",))) == rows


async def _deleted(app: AppWindow, url: str, file: Path) -> list[int]:
    """Deletes events, opens the backup in another window, and returns the ids."""
    app.controller.start(Options(server=url, login="root", password="admin"))
    await until(lambda: app.opened)
    rows = await show(app, Query(types=("SEARCH",)))
    view = events_of(app)
    await _delete_all(app, len(rows), file)
    (button,) = (one for one in view.notice.findChildren(QPushButton) if one.text() == "Open the backup")
    button.click()
    try:
        await until(lambda: _windows_of(file))
        assert app.window.notice.title == "deleted events.jsonl"
        assert app.window.actions_by_name.is_connected
        assert len(app.opened) == 1
    finally:
        for process in _windows_of(file):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    return rows


async def _delete_all(app: AppWindow, count: int, file: Path) -> None:
    view = events_of(app)
    app.window.actions_by_name["delete_found"].trigger()
    await until(lambda: view.findChild(DeletionDialog))
    dialog = view.findChild(DeletionDialog)
    assert isinstance(dialog, DeletionDialog)
    dialog.path.setText(str(file))
    dialog.typed.setText(str(count))
    dialog.accept_button.click()
    await until(lambda: view.notice.isVisible() and view.notice.title == "Deleted")


def _windows_of(file: Path) -> list[int]:
    """The processes that were started with a file."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            arguments = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
            if b"cdb_desktop" in arguments and str(file).encode() in arguments:
                found.append(int(entry.name))
    return found
