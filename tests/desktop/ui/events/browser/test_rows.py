"""Tests of selecting, copying and jumping in the event browser, with the reference server."""

from __future__ import annotations

import msgspec
import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit

from cdb_desktop.client import Event, EventFilter, Sort
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.jump import JumpPopup
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, active_popup

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def current_id(view: EventsView) -> int | None:
    """The id of the event in the current row, or None if it is not loaded."""
    event = view.table.current_event
    return None if event is None else event.id


async def test_end_and_home_go_to_either_end(browse: Browse) -> None:
    """The last event is fetched when End is pressed."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        QTest.keyClick(view.table, Qt.Key.Key_End)
        await until(lambda: current_id(view) == 1)
        await until(lambda: view.inspector.details and view.inspector.details.event.id == 1)
        QTest.keyClick(view.table, Qt.Key.Key_Home)
        assert view.table.currentIndex().row() == 0


async def test_everything_can_be_selected(browse: Browse) -> None:
    """The number of selected rows is shown beside the count."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        QTest.keyClick(view.table, Qt.Key.Key_A, CONTROL)
        rows = view.model.rowCount()
        assert f"{QLocale().toString(rows)} selected" in view.count.text


async def test_selected_rows_are_copied_wherever_they_are(browse: Browse) -> None:
    """Rows that are not loaded are fetched; secrets are masked."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        view.table.selectAll()
        QTest.keyClick(view.table, Qt.Key.Key_C, CONTROL)
        await until(lambda: "Copied" in view.count.text)
        lines = QGuiApplication.clipboard().text().splitlines()
        assert len(lines) == view.model.rowCount()
        assert lines[-1].split("\t")[0] == "1"
        view.table.go_to(0)
        QTest.keyClick(view.table, Qt.Key.Key_C, CONTROL | SHIFT)
        await until(lambda: QGuiApplication.clipboard().text().startswith("{"))
        copied = msgspec.json.decode(QGuiApplication.clipboard().text())
        assert copied["event"]["_id"] == current_id(view)


async def test_a_jump_finds_an_event_anywhere(browse: Browse, actions: Actions) -> None:
    """An id is typed into the popup, and the service locates the row."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        actions["jump"].trigger()
        number = active_popup().focusWidget()
        assert number is not None
        QTest.keyClicks(number, "77")
        QTest.keyClick(number, Qt.Key.Key_Return)
        await until(lambda: current_id(view) == 77)
        assert view.table.visible_rows()[0] <= view.table.currentIndex().row()


async def test_a_jump_to_a_row_and_to_an_event_outside_the_rows(browse: Browse) -> None:
    """Rows count from 1; an event that is not among the rows is shown in the inspector."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        view.actions_by_name["jump"].trigger()
        goal = active_popup().findChild(QComboBox)
        assert isinstance(goal, QComboBox)
        goal.setCurrentIndex(1)
        number = active_popup().findChild(QLineEdit)
        assert isinstance(number, QLineEdit)
        QTest.keyClicks(number, "5")
        active_popup().close()
        assert view.table.currentIndex().row() == 4
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: (event := view.model.event_at(0)) and event.type == "SEARCH")
        other = await _other_than_search(view, controller)
        go_to_id(view, other)
        await until(lambda: view.outside is not None and view.outside.id == other)
        assert "Not among these rows" in view.inspector.note
        assert view.table.selected_ranges == []


def go_to_id(view: EventsView, number: int) -> JumpPopup:
    """Opens the jump popup and submits an id."""
    view.actions_by_name["jump"].trigger()
    popup = active_popup()
    assert isinstance(popup, JumpPopup)
    popup.line.setText(str(number))
    QTest.keyClick(popup.line, Qt.Key.Key_Return)
    return popup


async def _other_than_search(view: EventsView, controller: EventsController) -> int:
    """The id of an existing event that is not a search."""
    page = await controller._rows._client.list_events(EventFilter(), limit=100)
    shown = {event.id for event in view.model.result.loaded_events()[0]} if view.model.result else set()
    return next(event.id for event in page.events[1:] if event.id not in shown)


@pytest.mark.parametrize("query", [Query(), Query(sort=(Sort("type"),))])
async def test_an_unknown_id_keeps_the_popup_open(browse: Browse, query: Query) -> None:
    """The popup shows the id and the reason; the rows do not scroll."""
    async with browse() as (view, controller):
        controller.show_query(query)
        await until(lambda: view.model.rowCount() >= 2000)
        popup = go_to_id(view, 10**9)
        await until(lambda: "There is no event 1000000000" in popup.field.message)
        assert active_popup() is popup
        assert popup.value == 10**9
        assert not view.table.currentIndex().isValid()
        QTest.keyClick(popup, Qt.Key.Key_Escape)


async def test_the_inspector_shows_the_complete_record(browse: Browse) -> None:
    """First the fields of the row, then the complete record, with a masked session token."""
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        view.table.go_to(3)
        shown = view.inspector.details
        assert shown is not None
        assert (shown.event.id, shown.is_whole) == (current_id(view), False)
        await until(lambda: (now := view.inspector.details) and now.is_whole)
        assert view.inspector.note == ""
        assert '"info"' in view.inspector.json.text
        view.inspector.next_requested.emit()
        assert view.table.currentIndex().row() == 4
        assert view.inspector.details.event.id == current_id(view)  # type: ignore[union-attr]


async def test_a_deleted_event_is_reported_in_the_inspector(browse: Browse) -> None:
    """The fields of the row remain visible."""
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        view.table.record_chosen.emit(Event(id=10**12, type="SEARCH"))
        await until(lambda: "deleted" in view.inspector.note)
        assert view.inspector.title == "SEARCH"
