"""Tests of inserting events, with the reference server."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.insert import InsertDialog
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.conftest import sign_in_at
from tests.desktop.ui.events.conftest import Browse, OpenBrowser
from tests.desktop.ui.finding import child_of
from tests.server import both_generations, serving


def opened(view: EventsView, actions: Actions) -> InsertDialog:
    """Opens the dialog."""
    actions["event_insert"].trigger()
    return child_of(view, InsertDialog)


@both_generations
async def test_an_event_is_inserted_and_shown(browse: Browse, actions: Actions, generation: int) -> None:
    """With its info and object; the button shows it although filters exclude it."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("OBJECT_DELETE",)))
        await until(lambda: view.model.rowCount() < 2000)
        dialog = opened(view, actions)
        assert "cannot be undone" in dialog.text
        assert dialog.type.count() == (2 if generation == 5 else 4)
        dialog.type.setCurrentText(" ")
        assert dialog.accept_button.isEnabled() is (generation == 5)
        event_type = "DETAIL_VIEW" if generation == 5 else "PLUGIN_TRIAL"
        dialog.type.setCurrentText(event_type)
        dialog.info.setPlainText('{"tried": "out"}')
        dialog.form.show_values({"objecttype": "work", "object_id": "1042", "pollable": True})
        dialog.accept_button.click()
        await until(lambda: dialog.windowTitle().startswith("Event"))
        dialog.accept_button.click()
        await until(lambda: view.table.current_event is not None and view.inspector.isVisible())
        await until(lambda: "tried" in view.inspector.json.text)
        assert '"pollable": true' in view.inspector.json.text
        event = view.table.current_event
        assert event is not None
        assert (event.type, event.object_id) == (event_type, 1042)


async def test_invalid_input_is_reported_below_its_field(browse: Browse, actions: Actions) -> None:
    """While it is typed; the button is disabled until the input is valid."""
    async with browse() as (view, _controller):
        dialog = opened(view, actions)
        dialog.info.setPlainText('{"a": 1, b}')
        assert dialog.form.hint("info").text().endswith("This is no JSON: look at line 1, character 10.")
        dialog.form.show_values({"object_id": "x"})
        assert dialog.form.hint("object_id").text().endswith("A whole number, or nothing.")
        assert not dialog.accept_button.isEnabled()
        dialog.info.setPlainText('{"a": 1}')
        dialog.form.show_values({"object_id": ""})
        assert not dialog.form.hint("info").text()
        assert dialog.accept_button.isEnabled()
        dialog.close()


async def test_insert_another_keeps_the_input(browse: Browse, actions: Actions) -> None:
    """For several similar events in succession."""
    async with browse() as (view, _controller):
        dialog = opened(view, actions)
        dialog.info.setPlainText('{"a": 1}')
        dialog.accept_button.click()
        await until(dialog.another.isVisible)
        dialog.another.click()
        assert dialog.draft.info == '{"a": 1}'
        assert dialog.accept_button.text() == "Write event"
        dialog.close()


async def test_inserting_requires_no_right_to_list_events(browse: Browse, actions: Actions) -> None:
    """Inserting requires no right (§4.4); the button that shows the event is hidden."""
    async with browse("viewer", "viewer") as (view, _controller):
        dialog = opened(view, actions)
        dialog.accept_button.click()
        await until(dialog.another.isVisible)
        assert dialog.accept_button.text() == "Close"
        dialog.accept_button.click()


async def test_a_disabled_type_is_reported(
    tmp_path: Path, open_browser: OpenBrowser, actions: Actions
) -> None:
    """With advice; the dialog stays open, and the other type can be inserted."""
    options = ("--demo", "--demo-events", "10", "--set", "system.log.search=false")
    with serving(tmp_path / "frugal.sqlite", *options) as url:
        async with sign_in_at(url)() as client, open_browser(client) as (view, _controller):
            dialog = opened(view, actions)
            dialog.accept_button.click()
            await until(lambda: "switched off" in dialog.fault)
            assert "system.log.search" in dialog.fault
            dialog.type.setCurrentText("DETAIL_VIEW")
            dialog.accept_button.click()
            await until(dialog.another.isVisible)
            dialog.close()


async def test_tab_moves_from_the_fields_to_the_buttons(browse: Browse, actions: Actions) -> None:
    """In visual order; Tab in the info field moves on as well."""
    async with browse() as (view, _controller):
        dialog = opened(view, actions)
        dialog.type.setFocus()
        seen: list[str] = []
        for _step in range(7):
            found = dialog.focusWidget()
            seen.append(found.objectName().removeprefix("events.insert."))
            QTest.keyClick(found, Qt.Key.Key_Tab)
        fields = ["type", "info", "objecttype", "object_id", "object_version", "pollable"]
        assert seen == [*fields, "cancel"]
        assert dialog.focusWidget() is dialog.accept_button
        dialog.close()
