"""Tests of events that are written by hand, against the reference server."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client
from cdb_desktop.events.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.insert import InsertDialog
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.server import serving


def opened(view: EventsView, actions: Actions) -> InsertDialog:
    """The sheet."""
    actions["event_insert"].trigger()
    sheet = view.findChild(InsertDialog)
    assert isinstance(sheet, InsertDialog)
    return sheet


async def test_an_event_is_written_and_shown(browse: Browse, actions: Actions) -> None:
    """With its info and object; the way leads to it although filters had hidden it."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        controller.show_query(Query(types=("OBJECT_DELETE",)))
        await until(lambda: view.model.rowCount() < 2000)
        sheet = opened(view, actions)
        assert "cannot be undone" in sheet.text
        sheet.type.setCurrentText("DETAIL_VIEW")
        sheet.info.setPlainText('{"tried": "out"}')
        sheet.objecttype.setText("work")
        sheet.object_id.setText("1042")
        sheet.accept_button.click()
        await until(lambda: sheet.windowTitle().startswith("Event"))
        sheet.accept_button.click()
        await until(lambda: view.table.current_event is not None and view.inspector.isVisible())
        await until(lambda: "tried" in view.inspector.json.text)
        event = view.table.current_event
        assert event is not None
        assert (event.type, event.object_id) == ("DETAIL_VIEW", 1042)


async def test_what_cannot_be_sent_is_told_below_its_field(browse: Browse, actions: Actions) -> None:
    """While it is typed; nothing can be agreed to until it is right."""
    async with browse() as (view, _controller):
        sheet = opened(view, actions)
        sheet.info.setPlainText('{"a": 1,}')
        assert sheet.notes["info"].text() == "This is no JSON: look at line 1, character 9."
        sheet.object_id.setText("x")
        assert sheet.notes["object_id"].text() == "A whole number, or nothing."
        assert not sheet.accept_button.isEnabled()
        sheet.info.setPlainText('{"a": 1}')
        sheet.object_id.clear()
        assert not sheet.notes["info"].text().strip()
        assert sheet.accept_button.isEnabled()
        sheet.close()


async def test_another_one_keeps_what_was_typed(browse: Browse, actions: Actions) -> None:
    """Somebody who tries things out writes several."""
    async with browse() as (view, _controller):
        sheet = opened(view, actions)
        sheet.info.setPlainText('{"a": 1}')
        sheet.accept_button.click()
        await until(sheet.another.isVisible)
        sheet.another.click()
        assert sheet.draft.info == '{"a": 1}'
        assert sheet.accept_button.text() == "Write event"
        sheet.close()


async def test_who_may_not_see_events_may_write_them(browse: Browse, actions: Actions) -> None:
    """Writing takes no right (§4.4); there is no way to what cannot be seen."""
    async with browse("viewer", "viewer") as (view, _controller):
        sheet = opened(view, actions)
        sheet.accept_button.click()
        await until(sheet.another.isVisible)
        assert sheet.accept_button.text() == "Close"
        sheet.accept_button.click()


async def test_a_type_that_is_switched_off_is_told(
    tmp_path: Path, qtbot: QtBot, appearance: Appearance, settings: QSettings, actions: Actions
) -> None:
    """In words and with who can help; the sheet stays, and the other type can be written."""
    view = EventsView(appearance, settings, actions)
    qtbot.addWidget(view)
    view.show()
    options = ("--demo", "--demo-events", "10", "--set", "system.log.search=false")
    with serving(tmp_path / "frugal.sqlite", *options) as url:
        async with Client(url) as client, Tasks(lambda _error: None) as tasks:
            await client.authenticate("root", "admin")
            EventsController(view, client, tasks, ProfileKey(client.address))
            sheet = opened(view, actions)
            sheet.accept_button.click()
            await until(lambda: "switched off" in sheet.fault)
            assert "system.log.search" in sheet.fault
            sheet.type.setCurrentText("DETAIL_VIEW")
            sheet.accept_button.click()
            await until(sheet.another.isVisible)
            sheet.close()


async def test_tab_goes_from_the_fields_to_the_buttons(browse: Browse, actions: Actions) -> None:
    """As the sheet is read; Tab in info leads on, as there are no tabs in JSON."""
    async with browse() as (view, _controller):
        sheet = opened(view, actions)
        sheet.type.setFocus()
        seen: list[str] = []
        for _step in range(6):
            found = sheet.focusWidget()
            seen.append(found.objectName().removeprefix("events.insert."))
            QTest.keyClick(found, Qt.Key.Key_Tab)
        assert seen == ["type", "info", "objecttype", "object_id", "object_version", "cancel"]
        assert sheet.focusWidget() is sheet.accept_button
        sheet.close()
