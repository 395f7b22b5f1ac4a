"""Tests of jumping to events, rows and times, with the reference server."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from cdb_desktop.client import Event, EventPage, SlowAnswerError, Sort
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.browser.jump import JumpPopup, JumpTarget
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.times import day_and_time
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.events.conftest import Browse, active_popup
from tests.desktop.ui.finding import open_popup

RETURN, ESCAPE = Qt.Key.Key_Return, Qt.Key.Key_Escape
LATER = "2198-01-01 00:00"


def open_jump(view: EventsView) -> JumpPopup:
    """Opens the popup."""
    view.actions_by_name["jump"].trigger()
    return open_popup(JumpPopup)


def go(view: EventsView, text: str) -> None:
    """Types a target and presses Return."""
    popup = open_jump(view)
    QTest.keyClicks(popup.line, text)
    QTest.keyClick(popup.line, RETURN)


async def lowest_row(view: EventsView, wanted: datetime) -> tuple[Event, Event | None]:
    """The event of the target row and the one before it in time."""
    await until(lambda: "the first from" in view.count.text)
    await until(lambda: view.table.current_event is not None)
    row, here = view.table.currentIndex().row(), view.table.current_event
    assert here is not None
    older = row + (1 if view.query.order[0].descending else -1)
    return here, view.model.event_at(older)


@pytest.mark.parametrize(("field", "descending"), [("_id", True), ("_id", False), ("timestamp", True)])
async def test_a_time_selects_the_first_event_at_or_after_it(
    browse: Browse, sign_in: SignIn, field: str, descending: bool
) -> None:
    """In either sort direction, also far from the loaded rows and with filters."""
    async with sign_in() as client, browse() as (view, controller):
        query = Query(base_types=("user",), sort=(Sort(field, descending),))
        controller.show_query(query)
        await until(lambda: "of" in view.count.text)
        result = view.model.result
        assert result is not None
        middle = await client.list_events(
            result.resolved_query.filter, sort=(Sort("_id"),), limit=1, offset=57
        )
        wanted = middle.events[0].timestamp
        assert wanted is not None
        go(view, day_and_time(wanted))
        here, older = await lowest_row(view, wanted)
        assert here.timestamp == wanted
        assert older is None or (older.timestamp is not None and older.timestamp < wanted)
        assert controller.query == query


async def test_a_time_after_the_newest_event_selects_the_newest(browse: Browse) -> None:
    """With a message; a time before all events selects the oldest."""
    async with browse() as (view, _controller):
        view.table.go_to(70)
        go(view, LATER)
        await until(lambda: "There are no events at or after 2198-01-01 00:00:00" in view.count.text)
        assert view.table.currentIndex().row() == 0
        go(view, "1990-01-01")
        await until(lambda: "the first from 1990-01-01" in view.count.text)
        assert view.table.currentIndex().row() == view.model.rowCount() - 1


async def test_jumping_to_a_time_changes_the_order(browse: Browse) -> None:
    """The popup and then the count say so; Alt+Left restores the previous order."""
    async with browse() as (view, controller):
        by_type = Query(sort=(Sort("type"),))
        controller.show_query(by_type)
        await until(lambda: (event := view.model.event_at(0)) and event.type.startswith("A"))
        oldest = datetime.now(UTC) - timedelta(days=7)
        popup = open_jump(view)
        QTest.keyClicks(popup.line, "7d")
        assert popup.target is JumpTarget.TIME
        assert popup.field.message == "Sorts the rows newest first; Alt+Left goes back."
        QTest.keyClick(popup.line, RETURN)
        assert controller.query == Query()
        await until(lambda: "Newest first now, Alt+Left goes back." in view.count.text)
        await until(lambda: view.table.current_event is not None)
        event = view.table.current_event
        assert event is not None
        assert event.timestamp is not None
        assert abs(event.timestamp - oldest) < timedelta(days=1)
        view.actions_by_name["query_back"].trigger()
        assert controller.query == by_type


async def test_another_query_cancels_a_pending_jump(browse: Browse) -> None:
    """The view stays where the other query has put it."""
    async with browse() as (view, controller):
        controller.show_query(Query(sort=(Sort("type"),)))
        await until(lambda: (event := view.model.event_at(0)) and event.type.startswith("A"))
        go(view, "7d")
        controller.show_query(Query(types=("SEARCH",), sort=(Sort("schema"),)))
        await until(lambda: "of" in view.count.text)
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: view.model.result is not None and not view.model.result.resolved_query.sort)
        await until(lambda: "of" in view.count.text)
        assert view.table.currentIndex().row() <= 0


INVALID = (
    (JumpTarget.EVENT, "99999999999999999999", "This id is too large."),
    (JumpTarget.EVENT, "abc", "Not a number."),
    (JumpTarget.ROW, "0", "Rows begin with 1."),
    (JumpTarget.ROW, "-5", "Not a number."),
    (JumpTarget.TIME, "9999-01-01", "Years must be between 1980 and 2199."),
    (JumpTarget.TIME, "whenever", "Not a time. Try 2026-11-20 14:02, or 2h for two hours ago."),
)


async def test_invalid_targets_are_reported_in_the_popup(browse: Browse) -> None:
    """The popup keeps the input, and nothing scrolls."""
    async with browse() as (view, _controller):
        view.table.go_to(9)
        for goal, text, words in INVALID:
            popup = open_jump(view)
            popup._choose(goal)
            QTest.keyClicks(popup.line, text)
            assert popup.field.message == words
            popup.apply.click()
            assert popup.isVisible(), text
            assert popup.line.text() == text
            QTest.keyClick(popup.line, ESCAPE)
            assert QApplication.activePopupWidget() is None, text
            assert view.table.currentIndex().row() == 9, text


async def test_the_kind_of_target_follows_from_the_input(browse: Browse) -> None:
    """A time needs no selection, nor does a number after it; row numbers are limited to the last row."""
    async with browse() as (view, _controller):
        popup = open_jump(view)
        popup._choose(JumpTarget.ROW)
        for text, goal in (
            ("2h", JumpTarget.TIME),
            ("2", JumpTarget.ROW),
            ("20.11.2026", JumpTarget.TIME),
            ("1,234", JumpTarget.ROW),
        ):
            popup.line.setText(text)
            assert popup.target is goal
        assert popup.value == 1234
        popup.line.setText("99999999")
        assert popup.field.message == "There are fewer rows; this goes to the last one."
        QTest.keyClick(popup.line, RETURN)
        assert view.table.currentIndex().row() == view.model.rowCount() - 1


class HeldLists:
    """Holds responses to list requests until they are released."""

    def __init__(self, controller: EventsController, monkeypatch: pytest.MonkeyPatch) -> None:
        self.free = asyncio.Event()
        self.requests = 0
        client = controller._rows._client
        ask = client.list_events

        async def wait(*args: Any, **options: Any) -> EventPage:
            self.requests += 1
            await self.free.wait()
            return await ask(*args, **options)

        monkeypatch.setattr(client, "list_events", wait)


@pytest.mark.parametrize("text", ["1", "7d"])
async def test_the_popup_stays_open_while_searching(
    browse: Browse, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """It is busy and accepts no input; when the row is found it closes, and the rows have the focus."""
    async with browse() as (view, controller):
        await until(lambda: (top := view.model.event_at(0)) and top.info is not None)
        held = HeldLists(controller, monkeypatch)
        go(view, text)
        popup = open_popup(JumpPopup)
        await until(lambda: popup.is_searching and held.requests)
        assert popup.field.message == "Searching… Esc stops."
        assert not popup.apply.isEnabled()
        QTest.keyClick(popup.line, RETURN)
        QTest.keyClicks(popup.line, "5")
        assert (active_popup(), popup.line.text()) == (popup, text)
        held.free.set()
        await until(lambda: QApplication.activePopupWidget() is None)
        await until(lambda: view.table.currentIndex().row() > 0)
        assert view.table.hasFocus()


@pytest.mark.parametrize("text", ["1", "7d"])
async def test_escape_cancels_the_search_before_it_closes_the_popup(
    browse: Browse, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """The input remains and can be submitted again; nothing scrolls later."""
    async with browse() as (view, controller):
        await until(lambda: (top := view.model.event_at(0)) and top.info is not None)
        held = HeldLists(controller, monkeypatch)
        go(view, text)
        popup = open_popup(JumpPopup)
        await until(lambda: popup.is_searching and held.requests)
        QTest.keyClick(popup.line, ESCAPE)
        assert active_popup() is popup
        assert not popup.is_searching
        assert popup.apply.isEnabled()
        assert not controller._tasks.is_running("events.jump")
        held.free.set()
        QTest.keyClick(popup.line, RETURN)
        await until(lambda: view.table.currentIndex().row() > 0)
        held.free.clear()
        before = view.table.currentIndex().row()
        go(view, "8d")
        QTest.keyClick(active_popup(), ESCAPE)
        QTest.keyClick(active_popup(), ESCAPE)
        assert QApplication.activePopupWidget() is None
        assert view.table.currentIndex().row() == before


async def test_escape_cancels_a_jump_that_waits_for_another_order(
    browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are sorted nevertheless, and no row is selected."""
    async with browse() as (view, controller):
        controller.show_query(Query(sort=(Sort("type"),)))
        await until(lambda: (event := view.model.event_at(0)) and event.type.startswith("A"))
        await until(lambda: "+" not in view.count.text and "events" in view.count.text)
        held = HeldLists(controller, monkeypatch)
        go(view, "7d")
        popup = open_popup(JumpPopup)
        assert popup.is_searching
        popup.close()
        assert QApplication.activePopupWidget() is None
        held.free.set()
        await until(lambda: view.model.result is not None and not view.model.result.resolved_query.sort)
        await until(lambda: view.has_rows and "events" in view.count.text)
        assert view.table.currentIndex().row() <= 0
        assert "Newest first now" not in view.count.text


async def test_a_failure_is_reported_in_the_popup(browse: Browse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Return tries again."""
    async with browse() as (view, controller):

        async def slow(*_args: object, **_options: object) -> None:
            raise SlowAnswerError(5.0)

        with monkeypatch.context() as patch:
            patch.setattr(controller._rows._client, "list_events", slow)
            go(view, "7d")
            popup = open_popup(JumpPopup)
            await until(lambda: not popup.is_searching)
        assert popup.field.message == error_message(SlowAnswerError(5.0)).title
        assert popup.line.text() == "7d"
        QTest.keyClick(popup.line, RETURN)
        await until(lambda: "the first from" in view.count.text)
        assert QApplication.activePopupWidget() is None
