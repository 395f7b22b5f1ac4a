"""Tests of opening connections, with real services, a real window and a keyring in memory."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QToolButton

from cdb_desktop.app.connection.open_file import OpenFileController
from cdb_desktop.app.options import Options
from cdb_desktop.client import Client
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.saved_views import SavedView, encode_view_file
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.schema.promotion.connections import OtherConnectionDialog
from cdb_desktop.ui.schema.promotion.controller import PromotionDialog
from tests.desktop.app.conftest import AppWindow, OpenApp
from tests.desktop.app.services import MemoryKeyring
from tests.desktop.client.raw_service import raw_service
from tests.desktop.drops import drop_file
from tests.desktop.patience import until
from tests.desktop.schema.models import museum
from tests.desktop.ui.finding import child_of

PAGE = b"<!doctype html><title>Welcome</title>"
OF_A_PORTAL = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: %d\r\n\r\n%s" % (
    len(PAGE),
    PAGE,
)


async def test_the_dialog_opens_a_connection_and_stores_it(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring
) -> None:
    """A connection opens without a dialog the next time; the password is stored in the keyring."""
    async with open_app() as app:
        app.window.actions_by_name["connect"].trigger()
        await _type(app, reference_server, "root", "admin")
        await until(lambda: app.opened)
        assert not app.is_connection_dialog_open
        await until(lambda: keys.passwords)
        assert keys.passwords == {("cdb-desktop", f"root@{reference_server}"): "admin"}
        (profile,) = app.context.store.file.profiles
        assert profile.used > time.time() - 60
    async with open_app() as app:
        app.controller.start(Options())
        await until(lambda: app.opened)
        assert app.window.status.who.text() == "Museum (demo) · Root"


async def test_a_password_that_is_not_stored_is_requested(open_app: OpenApp, reference_server: str) -> None:
    """All other fields are filled in, and the password field has the focus."""
    async with open_app() as app:
        app.context.store.note(ConnectionProfile(reference_server, "root", "Museum"))
        app.controller.start(Options())
        await until(lambda: app.is_connection_dialog_open)
        form = app.connection_dialog.form
        assert (form.address.text(), form.login.text(), form.name.text()) == (
            reference_server,
            "root",
            "Museum",
        )
        assert form.focusWidget() is form.password
        assert app.window.start.choices.isVisible()


@pytest.mark.parametrize(
    ("stored", "given", "is_in"), [("wrong", "admin", True), ("admin", "", True), ("", "", False)]
)
async def test_the_password_for_the_command_line_is_looked_up(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring, stored: str, given: str, *, is_in: bool
) -> None:
    """It is taken from the environment, else from the keyring, else from the dialog."""
    if stored:
        keys.set_password("cdb-desktop", f"root@{reference_server}", stored)
    async with open_app() as app:
        app.controller.start(Options(server=reference_server, login="root", password=given))
        await until(lambda: app.opened or app.is_connection_dialog_open)
        assert (bool(app.opened), app.is_connection_dialog_open) == (is_in, not is_in)


async def test_the_page_of_the_last_run_is_restored(open_app: OpenApp, reference_server: str) -> None:
    """The start page, which shows the progress, is replaced by the last page of the connection."""
    async with open_app() as app:
        app.window.actions_by_name["schema"].setChecked(True)
        await app.connect(reference_server)
        assert app.window.actions_by_name["schema"].isChecked()


async def test_a_wrong_password_is_reported_at_its_field(open_app: OpenApp, reference_server: str) -> None:
    """All other fields keep their values."""
    async with open_app() as app:
        app.window.actions_by_name["connect"].trigger()
        await _type(app, reference_server, "nobody", "wrong")
        await until(lambda: app.failed)
        assert "did not accept" in app.connection_dialog.form.hint("password").text()
        assert app.connection_dialog.form.login.text() == "nobody"
        assert app.opened == []


async def test_an_unreachable_service_is_reported_on_the_page(open_app: OpenApp) -> None:
    """The page has an action to try again and one to go back."""
    async with open_app() as app:
        app.controller.start(Options(server="http://127.0.0.1:1", login="root", password="x"))
        await until(lambda: app.failed)
        assert app.failed[0].title == "Nobody answers at this address"
        assert app.window.start.failure == app.failed[0]
        app.window.start.again_requested.emit()
        await until(lambda: len(app.failed) == 2)
        app.window.start.back_requested.emit()
        assert app.window.start.choices.isVisible()


async def test_a_web_page_is_not_accepted_as_a_service(open_app: OpenApp) -> None:
    """The error is shown at the address."""
    async with open_app() as app, raw_service(*[[OF_A_PORTAL]] * 4) as portal:
        app.window.actions_by_name["connect"].trigger()
        await _type(app, portal.url, "root", "admin")
        await until(lambda: app.failed)
        assert "Answer not understood" in app.connection_dialog.form.hint("address").text()


async def test_a_service_can_be_tested_first(open_app: OpenApp, reference_server: str) -> None:
    """The test shows name and version and whether the user can sign in; no connection is opened."""
    async with open_app() as app:
        app.window.actions_by_name["connect"].trigger()
        app.connection_dialog.form.address.setText(reference_server)
        await _test(app, "Museum (demo) · ")
        assert app.connection_dialog.outcome.text().endswith("responds.")
        app.connection_dialog.form.login.setText("root")
        app.connection_dialog.form.password.setText("admin")
        await _test(app, "Root can sign in.")
        assert app.opened == []


async def test_an_attempt_that_takes_too_long_can_be_cancelled(open_app: OpenApp) -> None:
    """Connecting to a service that accepts the connection and never answers can be cancelled."""
    async with open_app() as app, _silent() as url:
        app.controller.start(Options(server=url, login="root", password="admin"))
        await until(lambda: app.window.start.is_connecting)
        await asyncio.sleep(0.1)
        assert (app.window.windowTitle(), app.window.status.who.text()) == ("Connecting", "Connecting")
        page = app.window.start.currentWidget()
        assert page is not None
        QTest.keyClick(page, Qt.Key.Key_Escape)
        assert app.window.start.choices.isVisible()
        assert (app.window.windowTitle(), app.window.status.who.text()) == ("Not connected", "Not connected")
        assert app.failed == []


async def test_opening_a_model_file_cancels_connecting(open_app: OpenApp, tmp_path: Path) -> None:
    """The page for the events of a service shows the start page, even if a connection was being opened."""
    file = tmp_path / "museum.json"
    file.write_text(json.dumps(museum()))
    async with open_app() as app:
        actions = app.window.actions_by_name
        app.window.start.show_choices()
        child_of(app.window.start, QToolButton, "connection.start.demo_new").click()
        assert app.window.start.is_connecting
        await until(lambda: app.opened)
        assert "generation 6" in app.window.status.about.text()
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
    """A view is opened in the current connection, or with the next one if there is no connection."""
    file, broken = _view_file(tmp_path / "Exports.cdbview"), tmp_path / "broken.cdbview"
    broken.write_text("{")
    async with open_app() as app:
        (files,) = app.window.findChildren(OpenFileController)
        app.controller.start(Options(view=str(file)))
        assert app.window.notice.isVisible()
        assert app.window.notice.title == "Exports.cdbview waits for a connection"
        assert app.window.start.choices.isVisible()
        events = (await app.connect()).events_view
        assert events.query.types == ("EXPORT_FINISH",)
        assert not app.window.notice.isVisible()
        app.window.actions_by_name["schema"].setChecked(True)
        events.query_requested.emit(Query())
        files.open(file)
        assert app.window.actions_by_name["events"].isChecked()
        assert events.query.types == ("EXPORT_FINISH",)
        files.open(broken)
        assert events.notice.title == "Not opened: broken.cdbview"


async def test_a_file_that_is_neither_model_nor_view_is_reported(open_app: OpenApp, tmp_path: Path) -> None:
    """Every file that is dropped on the window is either opened or reported."""
    file = tmp_path / "holiday.png"
    file.write_bytes(b"\x89PNG")
    async with open_app() as app:
        drop_file(app.window, file)
        await until(lambda: app.failed)
        assert app.window.notice.title == "holiday.png is neither a data model, a view nor a log"


def _view_file(path: Path) -> Path:
    path.write_bytes(encode_view_file(SavedView("Exports", Query(types=("EXPORT_FINISH",)))))
    return path


async def _open_file(app: AppWindow, file: Path) -> None:
    """Opens a file by dropping it on the window, which is the same as choosing it."""
    child_of(app.window, OpenFileController).open(file)
    await until(lambda: app.window.windowTitle().startswith("museum.json"))


async def test_a_connection_can_be_deleted(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring
) -> None:
    """A deleted connection is removed from the list, the file and the keyring."""
    entry = ConnectionProfile(reference_server, "root", "Museum")
    keys.set_password("cdb-desktop", entry.key, "admin")
    async with open_app() as app:
        app.context.store.note(entry)
        app.window.start.choices.show_profiles(app.context.store.file.profiles)
        app.window.start.choices.forgotten.emit(replace(entry, used=1.0))
        await until(lambda: not keys.passwords)
        assert app.context.store.file.profiles == ()
        assert app.window.start.choices.recent.count() == 0


async def _type(app: AppWindow, address: str, login: str, password: str) -> None:
    await until(app.connection_dialog.isActiveWindow)
    form = app.connection_dialog.form
    for field, text in ((form.address, address), (form.login, login), (form.password, password)):
        field.clear()
        QTest.keyClicks(field, text)
    form.remember.setChecked(True)
    QTest.keyClick(form.password, Qt.Key.Key_Return)


async def _test(app: AppWindow, message: str) -> None:
    app.connection_dialog.form.changed.emit()
    child_of(app.connection_dialog, QPushButton, "connection.dialog.test").click()
    await until(lambda: message in app.connection_dialog.outcome.text())


@asynccontextmanager
async def _silent() -> AsyncIterator[str]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_a_model_is_read_with_the_stored_password(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring
) -> None:
    """Also that of the connection that is open, which is marked. The session is ended afterwards."""
    async with open_app() as app:
        store = app.context.store
        store.note(ConnectionProfile(reference_server, "modeller", "Other"))
        keys.set_password("cdb-desktop", f"modeller@{reference_server}", "modeller")
        await app.connect(reference_server)
        app.window.actions_by_name["schema"].setChecked(True)
        await until(lambda: app.opened[-1].schema.view.header.version.count() > 0)
        app.window.actions_by_name["schema_promote"].trigger()
        view = app.opened[-1].schema.view
        (asked,) = view.findChildren(OtherConnectionDialog)
        titles = [asked.profiles.item(row).text() for row in range(asked.profiles.count())]
        assert ["this connection" in title for title in titles] == [True, False]
        assert asked.chosen is not None
        assert asked.chosen.title == "Other"
        store.file.forget(ConnectionProfile(reference_server, "modeller"))
        asked.accept_button.click()
        await until(lambda: bool(view.findChildren(PromotionDialog)))
        (dialog,) = view.findChildren(PromotionDialog)
        await until(lambda: dialog.counts.text() == "No differences.")
        async with Client(reference_server) as client:
            await client.authenticate("root", "admin")
            events = (await client.list_events(limit=20)).events
        assert next(event.type for event in events if event.user_id != 1) == "USER_LOGOUT"


async def test_without_another_connection_the_dialog_leads_to_one(
    open_app: OpenApp, reference_server: str
) -> None:
    """The only one is that which is open: a button closes the dialog and opens that for a connection."""
    async with open_app() as app:
        await app.connect(reference_server)
        app.window.actions_by_name["schema"].setChecked(True)
        await until(lambda: app.opened[-1].schema.view.header.version.count() > 0)
        app.window.actions_by_name["schema_promote"].trigger()
        view = app.opened[-1].schema.view
        child_of(view, QPushButton, "schema.other.connect").click()
        await until(lambda: app.is_connection_dialog_open)
        await until(lambda: not view.findChildren(OtherConnectionDialog))
