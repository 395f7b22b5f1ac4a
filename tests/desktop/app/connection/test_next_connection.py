"""Tests of a second connection in the same run: no object of the first one is still active."""

import asyncio
import gc
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QSignalBlocker
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from shiboken6 import isValid

from cdb_desktop.app.connection.controller import LinkController
from cdb_desktop.app.connection.open_file import OpenFileController
from cdb_desktop.app.options import Options
from cdb_desktop.app.process import report_unhandled
from cdb_desktop.queries.links import Link, LinkOrigin
from cdb_desktop.ui.connection.dialog import ConnectionDialog
from cdb_desktop.ui.connection.dialogs import OpenLinkDialog
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.live.recording import EndRecordingDialog
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.patience import until
from tests.server import serving

EXCLUDED = {"quit", "connect", "demo", "demo_new", "disconnect", "sign_in"}  # they end the connection
PAGES = ("events", "schema")  # of a connection
ALL_PAGES = (*PAGES, "errors", "settings")


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Exception]]:
    """The exceptions of slots and callbacks; garbage collection is off, so that cycles stay alive."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    was_enabled = gc.isenabled()
    gc.disable()
    yield []
    if was_enabled:
        gc.enable()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[str]:
    """The base URL of a server that may be changed, since actions that save are triggered as well."""
    with serving(tmp_path / "own.sqlite", "--demo", "--demo-events", "2000") as url:
        yield url


async def test_actions_reach_the_current_connection_only(
    open_app: OpenApp, own_server: str, reported: list[Exception]
) -> None:
    """Every enabled action is triggered, on both pages of the second connection."""
    async with open_app() as app:
        report_unhandled(reported.append)
        await _open_twice(app, own_server)
        for page in PAGES:
            app.window.actions_by_name[page].setChecked(True)
            await _settled(app)
            for name in app.window.actions_by_name:
                await _trigger(app, name, page)
            assert reported == []


async def test_the_panes_of_the_previous_connection_are_deleted_at_once(
    open_app: OpenApp, reference_server: str, reported: list[Exception]
) -> None:
    """Pages, feed, feed title, sign-in dialog and the objects that connect them are deleted."""
    async with open_app() as app:
        report_unhandled(reported.append)
        await _open(app, reference_server)
        before, dialog = app.opened[0], app.sign_in
        left = (before, *before.pages.values(), before.feed, before.live_view.strip, dialog)
        app.window.actions_by_name["disconnect"].trigger()
        await until(app.window.start.choices.isVisible)
        await until(lambda: not app.window.actions_by_name.is_connected)
        await asyncio.sleep(0.05)
        assert [one for one in left if isValid(one)] == []
        assert reported == []


async def test_tasks_of_a_closed_connection_are_not_started(
    open_app: OpenApp, reference_server: str, reported: list[Exception]
) -> None:
    """A task that is requested after the connection was closed has neither client nor pane."""
    async with open_app() as app:
        report_unhandled(reported.append)
        await _open(app, reference_server)
        tasks, begun = app.opened[0]._tasks, []
        await _open(app, reference_server)

        async def late() -> None:
            begun.append(1)

        tasks.start("late", late(), on_error=reported.append)
        await asyncio.sleep(0.05)
        assert (begun, reported, tasks.is_running("late")) == ([], [], False)


async def test_another_connection_asks_before_a_recording_ends(
    open_app: OpenApp, reference_server: str
) -> None:
    """Whichever way it is opened; after Cancel the present one stays, and a dialog can be sent again."""
    async with open_app() as app:
        await _open(app, reference_server)
        actions = app.window.actions_by_name
        (links,) = app.window.findChildren(LinkController)
        (files,) = app.window.findChildren(OpenFileController)
        with QSignalBlocker(actions["live_record"]):
            actions["live_record"].setChecked(True)
        actions["connect"].trigger()
        dialog = app.window.findChild(ConnectionDialog)
        assert dialog is not None
        for name, text in {"address": reference_server, "login": "root", "password": "admin"}.items():
            field = dialog.findChild(QLineEdit, f"connection.dialog.{name}")
            assert field is not None
            QTest.keyClicks(field, text)
        for begin in (
            actions["demo"].trigger,
            partial(links._ask, Link(LinkOrigin("Library")), ConnectionProfile(reference_server, "viewer")),
            partial(files.open, Path("museum.json")),
            dialog._connect.click,
        ):
            begin()
            for asking in app.window.findChildren(OpenLinkDialog):
                asking.switch_requested.emit(ConnectionProfile(reference_server, "viewer"))
                asking.setParent(None)
            (question,) = app.window.findChildren(EndRecordingDialog)
            question.cancel_button.click()
            QApplication.sendPostedEvents(question, QEvent.Type.DeferredDelete)
            assert (len(app.opened), dialog._connect.isEnabled()) == (1, True)
        dialog._connect.click()
        app.window.findChildren(EndRecordingDialog)[0].accept_button.click()
        await until(lambda: len(app.opened) == 2)


async def _open_twice(app: AppWindow, url: str) -> None:
    await _open(app, url)
    app.window.actions_by_name["schema"].setChecked(True)
    await _settled(app)
    await _open(app, url)


async def _open(app: AppWindow, url: str) -> None:
    before = len(app.opened)
    app.controller.start(Options(server=url, login="root", password="admin"))
    await until(lambda: len(app.opened) > before)
    await _settled(app)


async def _settled(app: AppWindow) -> None:
    """Waits until the rows are loaded, and on the schema page the schema.

    The events of a table, which an action looks for, may be none.
    """
    workspace = app.opened[-1]
    events = workspace.events_view
    await until(lambda: events.model.rowCount() or "No event passes" in events.empty_page.state.text)
    if app.window.actions_by_name["schema"].isChecked():
        await until(lambda: workspace.schema.view.header.version.count() > 0)


async def _trigger(app: AppWindow, name: str, page: str) -> None:
    action: QAction = app.window.actions_by_name[name]
    if name in EXCLUDED or name in ALL_PAGES or not action.isEnabled():
        return
    action.trigger()
    await asyncio.sleep(0.01)
    for _ in range(3):
        shown = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if shown is None:
            break
        shown.close()
        await asyncio.sleep(0.01)
    app.window.actions_by_name[page].setChecked(True)
