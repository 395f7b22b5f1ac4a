"""Tests of jumping to events that are not among the rows."""

import json
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from cdb_desktop.client import Event, Sort
from cdb_desktop.events.ticket import CopyFormat
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.deletion import DeletionDialog
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.events.browser.test_jump import go, open_jump
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.finding import child_of

LOGINS = Query(types=("USER_LOGIN",))


def shown(view: EventsView) -> int | None:
    """The id of the event in the inspector."""
    return None if view.inspector.details is None else view.inspector.details.event.id


def current_id(view: EventsView) -> int | None:
    """The id of the event in the current row."""
    return None if view.table.current_event is None else view.table.current_event.id


def offer(view: EventsView) -> QPushButton:
    """The button that would select the event in the rows."""
    return child_of(view.inspector, QPushButton, "events.inspector.rows")


async def run_query(view: EventsView, controller: EventsController, query: Query) -> None:
    """Runs a query and waits until all of its rows are counted."""
    controller.show_query(query)
    await until(lambda: view.has_rows and "of" in view.count.text)


async def outside_event(sign_in: SignIn, query: Callable[[Event], bool]) -> Event:
    """An old event."""
    async with sign_in() as client:
        page = await client.list_events(sort=(Sort("_id"),), limit=300, offset=200)
    return next(event for event in page.events if query(event))


async def test_an_event_outside_the_filter_is_shown_in_the_inspector(browse: Browse, sign_in: SignIn) -> None:
    """No row is selected, a notice names the filter that excludes it, and a button shows it in the rows."""
    other = await outside_event(sign_in, lambda event: event.type != "USER_LOGIN")
    async with browse() as (view, controller):
        await run_query(view, controller, LOGINS)
        view.table.go_to(3)
        go(view, str(other.id))
        await until(lambda: view.outside is not None)
        details = view.inspector.details
        assert details is not None
        assert (details.event.id, details.event.type, details.is_whole) == (other.id, other.type, True)
        assert view.table.selected_ranges == []
        assert view.table.current_event is None
        assert view.inspector.note == "Not among these rows because of the filter Type: USER_LOGIN."
        assert controller.query == LOGINS
        assert offer(view).text() == "Remove this filter and show it"
        offer(view).click()
        await until(lambda: current_id(view) is not None)
        assert (current_id(view), controller.query) == (other.id, Query())
        await until(lambda: shown(view) == other.id)
        assert view.outside is None
        await until(lambda: view.inspector.note == "")


async def test_actions_apply_to_the_shown_event(browse: Browse, sign_in: SignIn, actions: Actions) -> None:
    """Deleting and copying apply to it until rows are selected."""
    other = await outside_event(sign_in, lambda event: event.type != "USER_LOGIN")
    async with browse() as (view, controller):
        await run_query(view, controller, LOGINS)
        view.table.go_to(3)
        controller.jump.go_to_event(other.id)
        await until(lambda: view.outside is not None)
        assert actions["delete_selected"].isEnabled()
        actions["delete_selected"].trigger()
        await until(lambda: isinstance(QApplication.activeModalWidget(), DeletionDialog))
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, DeletionDialog)
        assert list(dialog._plan.ids) == [other.id]
        dialog.reject()
        view.table.copy_requested.emit(CopyFormat.JSON)
        assert json.loads(QGuiApplication.clipboard().text())["event"]["_id"] == other.id
        view.table.selectAll()
        assert view.outside is None
        assert view.inspector.details is None
        view.table.go_to(2)
        await until(lambda: shown(view) is not None and shown(view) == current_id(view))


async def test_a_refresh_keeps_it_and_another_query_does_not(browse: Browse, sign_in: SignIn) -> None:
    """It is shown until the query changes."""
    other = await outside_event(sign_in, lambda event: event.type != "USER_LOGIN")
    async with browse() as (view, controller):
        await run_query(view, controller, LOGINS)
        view.table.go_to(3)
        controller.jump.go_to_event(other.id)
        await until(lambda: view.outside is not None)
        before = view.model.result
        controller.load()
        await until(lambda: view.model.result is not before)
        assert shown(view) == other.id
        assert view.table.selected_ranges == []
        await run_query(view, controller, Query(types=("USER_LOGOUT",)))
        assert view.outside is None
        assert view.inspector.details is None


async def test_an_event_newer_than_the_rows_is_shown_after_a_refresh(browse: Browse, sign_in: SignIn) -> None:
    """The rows end at the time of their query."""
    async with sign_in() as client, browse() as (view, controller):
        result = view.model.result
        assert result is not None
        made = (await client.insert_event("SEARCH")).id
        controller.jump.go_to_event(made)
        await until(lambda: view.outside is not None)
        assert view.inspector.note == "Not among these rows: it is newer."
        assert view.table.selected_ranges == []
        offer(view).click()
        await until(lambda: current_id(view) == made)
        assert view.outside is None


async def test_in_another_order_sorting_by_id_is_offered(browse: Browse, sign_in: SignIn) -> None:
    """The service can locate rows by id only; one click sorts by it."""
    async with browse() as (view, controller):
        controller.show_query(Query(sort=(Sort("type"),)))
        await until(lambda: (event := view.model.event_at(0)) and event.type.startswith("A"))
        other = await outside_event(sign_in, lambda event: event.type == "USER_LOGIN")
        controller.jump.go_to_event(other.id)
        await until(lambda: view.outside is not None)
        assert shown(view) == other.id
        assert view.inspector.note == "Its row is not known in this sort order."
        offer(view).click()
        await until(lambda: current_id(view) == other.id)
        assert controller.query == Query()


async def test_an_id_that_does_not_exist_selects_nothing(browse: Browse) -> None:
    """The popup or else a notice says so; the selected row stays selected."""
    async with browse() as (view, controller):
        view.table.go_to(3)
        await until(lambda: shown(view) is not None)
        before = shown(view)
        popup = open_jump(view)
        QTest.keyClicks(popup.line, "987654321")
        QTest.keyClick(popup.line, Qt.Key.Key_Return)
        await until(lambda: not popup.is_searching)
        assert popup.field.message == "There is no event 987654321 (any more)."
        QTest.keyClick(popup.line, Qt.Key.Key_Escape)
        controller.jump.go_to_event(987654321)
        await until(view.notice.isVisible)
        assert view.notice.text == "There is no event 987654321 (any more)."
        assert (current_id(view), shown(view), view.outside) == (before, before, None)
        view.table.go_to(5)
        controller.jump.go_to_event(4)
        await until(lambda: current_id(view) == 4)
        assert not view.notice.isVisible()


@pytest.mark.parametrize("is_open", [True, False])
async def test_an_id_outside_the_filter_is_shown_in_the_inspector(
    browse: Browse, sign_in: SignIn, is_open: bool, actions: Actions
) -> None:
    """Also if the inspector was closed."""
    other = await outside_event(sign_in, lambda event: event.type != "USER_LOGIN")
    async with browse() as (view, controller):
        await run_query(view, controller, LOGINS)
        view.table.go_to(3)
        actions["inspector"].setChecked(is_open)
        view.filter_controller.event_requested.emit(other.id)
        await until(lambda: view.outside is not None)
        assert actions["inspector"].isChecked()
        assert (shown(view), view.table.selected_ranges) == (other.id, [])
