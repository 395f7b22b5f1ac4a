"""Tests of the ways in, with real services, a real window and a keyring of their own."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from cdb_desktop.app.connection.open_file import OpenFileController
from cdb_desktop.app.options import Options
from cdb_desktop.events.query import Query
from cdb_desktop.events.saved_views import SavedView
from cdb_desktop.events.view_files import encode_view_file
from cdb_desktop.ui.connection.profile import ConnectionProfile
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.app.services import MemoryKeyring
from tests.desktop.client.raw_service import raw_service
from tests.desktop.patience import until
from tests.desktop.schema.models import museum

PAGE = b"<!doctype html><title>Welcome</title>"
OF_A_PORTAL = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: %d\r\n\r\n%s" % (
    len(PAGE),
    PAGE,
)


async def test_without_arguments_and_memory_the_choices_are_seen(open_app: OpenApp) -> None:
    """Nothing is asked of anybody yet."""
    async with open_app() as app:
        app.controller.start(Options())
        assert app.window.start.choices.isVisible()
        assert not app.is_sheet_open


async def test_the_sheet_opens_a_connection_and_remembers_it(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring
) -> None:
    """Typed once, it opens by itself the next time; the password lies in the keyring."""
    async with open_app() as app:
        app.window.actions_by_name["connect"].trigger()
        await _type(app, reference_server, "root", "admin")
        await until(lambda: app.opened)
        assert not app.is_sheet_open
        await until(lambda: keys.kept)
        assert keys.kept == {("cdb-desktop", f"root@{reference_server}"): "admin"}
        (known,) = app.context.store.file.profiles
        assert known.used > time.time() - 60
    async with open_app() as app:
        app.controller.start(Options())
        await until(lambda: app.opened)
        assert app.window.status.who == "Museum (demo) · Root"


async def test_a_password_that_nobody_remembers_is_asked_for(
    open_app: OpenApp, reference_server: str
) -> None:
    """With everything else filled in, and the keyboard where it is missing."""
    async with open_app() as app:
        app.context.store.note(ConnectionProfile(reference_server, "root", "Museum"))
        app.controller.start(Options())
        await until(lambda: app.is_sheet_open)
        form = app.sheet.form
        assert (form.address.text(), form.login.text(), form.name.text()) == (
            reference_server,
            "root",
            "Museum",
        )
        assert form.focusWidget() is form.password
        assert app.window.start.choices.isVisible()


@pytest.mark.parametrize(
    ("kept", "given", "is_in"), [("wrong", "admin", True), ("admin", "", True), ("", "", False)]
)
async def test_the_command_line_finds_its_password(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring, kept: str, given: str, *, is_in: bool
) -> None:
    """From the environment, else from the keyring, else from the dialog."""
    if kept:
        keys.set_password("cdb-desktop", f"root@{reference_server}", kept)
    async with open_app() as app:
        app.controller.start(Options(server=reference_server, login="root", password=given))
        await until(lambda: app.opened or app.is_sheet_open)
        assert (bool(app.opened), app.is_sheet_open) == (is_in, not is_in)


async def test_the_page_of_the_last_time_comes_back(open_app: OpenApp, reference_server: str) -> None:
    """The start page, which shows the progress, replaces either page of a connection."""
    async with open_app() as app:
        app.window.actions_by_name["schema"].setChecked(True)
        app.controller.start(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: bool(app.opened))
        assert app.window.actions_by_name["schema"].isChecked()


async def test_a_wrong_password_is_told_at_its_field(open_app: OpenApp, reference_server: str) -> None:
    """And everything else stays as it was typed."""
    async with open_app() as app:
        app.window.actions_by_name["connect"].trigger()
        await _type(app, reference_server, "nobody", "wrong")
        await until(lambda: app.failed)
        assert "did not accept" in app.sheet.form.hint("password").text()
        assert app.sheet.form.login.text() == "nobody"
        assert app.opened == []


async def test_a_service_that_is_not_there_is_told_on_the_page(open_app: OpenApp) -> None:
    """With a way to try again and a way back."""
    async with open_app() as app:
        app.controller.start(Options(server="http://127.0.0.1:1", login="root", password="x"))
        await until(lambda: app.failed)
        assert app.failed[0].title == "Nobody answers at this address"
        assert app.window.start.failure == app.failed[0]
        app.window.start.again_requested.emit()
        await until(lambda: len(app.failed) == 2)
        app.window.start.back_requested.emit()
        assert app.window.start.choices.isVisible()


async def test_a_web_page_is_not_taken_for_a_service(open_app: OpenApp) -> None:
    """In words at the address."""
    async with open_app() as app, raw_service([OF_A_PORTAL]) as portal:
        app.window.actions_by_name["connect"].trigger()
        await _type(app, portal.url, "root", "admin")
        await until(lambda: app.failed)
        assert "Answer not understood" in app.sheet.form.hint("address").text()


async def test_a_service_can_be_tested_first(open_app: OpenApp, reference_server: str) -> None:
    """It shows name and version, and whether the user can sign in; nothing is opened."""
    async with open_app() as app:
        app.window.actions_by_name["connect"].trigger()
        app.sheet.form.address.setText(reference_server)
        await _test(app, "Museum (demo) · ")
        assert app.sheet.outcome.text().endswith("responds.")
        app.sheet.form.login.setText("root")
        app.sheet.form.password.setText("admin")
        await _test(app, "Root can sign in.")
        assert app.opened == []


async def test_a_way_that_takes_too_long_can_be_given_up(open_app: OpenApp) -> None:
    """A service that takes the call and never answers holds nobody."""
    async with open_app() as app, _silent() as url:
        app.controller.start(Options(server=url, login="root", password="admin"))
        await until(lambda: app.window.start.is_connecting)
        await asyncio.sleep(0.1)
        page = app.window.start.currentWidget()
        assert page is not None
        QTest.keyClick(page, Qt.Key.Key_Escape)
        assert app.window.start.choices.isVisible()
        assert app.failed == []


async def test_beside_a_model_file_nothing_is_connecting(open_app: OpenApp, tmp_path: Path) -> None:
    """The page where the events of a service would be offers the ways in, whatever was on its way before."""
    file = tmp_path / "museum.json"
    file.write_text(json.dumps(museum()))
    async with open_app() as app:
        actions = app.window.actions_by_name
        app.controller.open_demo()
        assert app.window.start.is_connecting
        await until(lambda: app.opened)
        await _open_file(app, file)
        actions["events"].setChecked(True)
        assert app.window.start.choices.isVisible()
        actions["model_close"].trigger()
        await until(lambda: not app.window.windowTitle().startswith("museum.json"))
        async with _silent() as url:
            app.controller.start(Options(server=url, login="root", password="admin"))
            await until(lambda: app.window.start.is_connecting)
            await _open_file(app, file)
            actions["events"].setChecked(True)
            assert app.window.start.choices.isVisible()


async def test_a_view_is_opened_in_the_browser(open_app: OpenApp, tmp_path: Path) -> None:
    """In the connection that there is; without one it says so, waits, and is opened with the next."""
    file, broken = _view_file(tmp_path / "Exports.cdbview"), tmp_path / "broken.cdbview"
    broken.write_text("{")
    async with open_app() as app:
        (files,) = app.window.findChildren(OpenFileController)
        app.controller.start(Options(view=str(file)))
        assert app.window.notice.isVisible()
        assert app.window.notice.title == "Exports.cdbview waits for a connection"
        assert app.window.start.choices.isVisible()
        app.controller.open_demo()
        await until(lambda: app.opened)
        events = app.opened[-1].events_view
        assert events.query.types == ("EXPORT_FINISH",)
        assert not app.window.notice.isVisible()
        app.window.actions_by_name["schema"].setChecked(True)
        events.query_requested.emit(Query())
        files.open(file)
        assert app.window.actions_by_name["events"].isChecked()
        assert events.query.types == ("EXPORT_FINISH",)
        files.open(broken)
        assert events.notice.title == "Not opened: broken.cdbview"


async def test_what_is_neither_model_nor_view_is_said_so(open_app: OpenApp, tmp_path: Path) -> None:
    """Whatever is dropped on the window gets an answer."""
    file = tmp_path / "holiday.png"
    file.write_bytes(b"\x89PNG")
    async with open_app() as app:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(file))])
        copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(QPoint(300, 300), copy, data, left, none)
        QApplication.sendEvent(app.window, enter)
        assert enter.isAccepted()
        QApplication.sendEvent(app.window, QDropEvent(QPointF(300, 300), copy, data, left, none))
        await until(lambda: app.failed)
        assert app.window.notice.title == "holiday.png is neither a data model nor a view"


def _view_file(path: Path) -> Path:
    path.write_bytes(encode_view_file(SavedView("Exports", Query(types=("EXPORT_FINISH",)))))
    return path


async def _open_file(app: AppWindow, file: Path) -> None:
    """By dropping it on the window or choosing it, which come to the same."""
    (files,) = app.window.findChildren(OpenFileController)
    files.open(file)
    await until(lambda: app.window.windowTitle().startswith("museum.json"))


async def test_a_connection_can_be_forgotten(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring
) -> None:
    """From list, file and keyring."""
    entry = ConnectionProfile(reference_server, "root", "Museum")
    keys.set_password("cdb-desktop", entry.key, "admin")
    async with open_app() as app:
        app.context.store.note(entry)
        app.window.start.choices.show_profiles(app.context.store.file.profiles)
        app.window.start.choices.forgotten.emit(replace(entry, used=1.0))
        await until(lambda: not keys.kept)
        assert app.context.store.file.profiles == ()
        assert app.window.start.choices.recent.count() == 0


async def _type(app: AppWindow, address: str, login: str, password: str) -> None:
    await until(app.sheet.isActiveWindow)
    form = app.sheet.form
    for field, text in ((form.address, address), (form.login, login), (form.password, password)):
        field.clear()
        QTest.keyClicks(field, text)
    form.remember.setChecked(True)
    QTest.keyClick(form.password, Qt.Key.Key_Return)


async def _test(app: AppWindow, words: str) -> None:
    button = app.sheet.findChild(QPushButton, "connection.sheet.test")
    assert button is not None
    app.sheet.form.changed.emit()
    button.click()
    await until(lambda: words in app.sheet.outcome.text())


@asynccontextmanager
async def _silent() -> AsyncIterator[str]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
