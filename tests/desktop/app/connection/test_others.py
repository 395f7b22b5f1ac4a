"""Tests of the other connections of the program, whose models are read with a session of their own."""

from PySide6.QtWidgets import QPushButton

from cdb_desktop.app.options import Options
from cdb_desktop.client import Client
from cdb_desktop.ui.connection.dialog import ConnectionDialog
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.schema.promotion.connections import OtherConnectionDialog
from cdb_desktop.ui.schema.promotion.controller import PromotionDialog
from tests.desktop.app.conftest import OpenApp
from tests.desktop.app.services import MemoryKeyring
from tests.desktop.patience import until


async def test_a_model_is_read_with_the_stored_password(
    open_app: OpenApp, reference_server: str, keys: MemoryKeyring
) -> None:
    """Also that of the connection that is open, which is marked. The session is ended afterwards."""
    async with open_app() as app:
        store = app.context.store
        store.note(ConnectionProfile(reference_server, "modeller", "Other"))
        keys.set_password("cdb-desktop", f"modeller@{reference_server}", "modeller")
        app.controller.start(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: len(app.opened) == 1)
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
        app.controller.start(Options(server=reference_server, login="root", password="admin"))
        await until(lambda: len(app.opened) == 1)
        app.window.actions_by_name["schema"].setChecked(True)
        await until(lambda: app.opened[-1].schema.view.header.version.count() > 0)
        app.window.actions_by_name["schema_promote"].trigger()
        view = app.opened[-1].schema.view
        connect = view.findChild(QPushButton, "schema.other.connect")
        assert connect is not None
        connect.click()
        await until(lambda: app.window.findChild(ConnectionDialog) is not None)
        await until(lambda: not view.findChildren(OtherConnectionDialog))
