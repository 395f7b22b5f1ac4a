"""Tests of slow queries: progress, cancellation, and no rows of another query."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from cdb_desktop.client import Event, Sort
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.events.conftest import OpenBrowser
from tests.desktop.ui.events.gate import Gate

SEARCHES = Query(types=("SEARCH",))
LOAD = "events.load"
ROWS_ALONE = ("export", "jump", "export_options", "delete_found", "summary")


@dataclass(frozen=True)
class SlowBrowser:
    """A visible browser whose requests pass through a gate."""

    view: EventsView
    controller: EventsController
    tasks: Tasks
    gate: Gate

    @property
    def titles(self) -> list[str]:
        """The titles of running tasks."""
        return [work.title for work in self.tasks.running]

    @property
    def is_waiting(self) -> bool:
        """Whether the rows are placeholders."""
        return self.view.table.is_waiting

    def event(self, row: int) -> Event:
        """The event of a row."""
        event = self.view.model.event_at(row)
        assert event is not None
        return event

    async def settle(self) -> None:
        """Waits until the rows are loaded and counted."""
        await until(lambda: self.view.has_rows and not self.tasks.is_running(LOAD))


Browsing = Callable[[], AbstractAsyncContextManager[SlowBrowser]]


@pytest.fixture
def slow(open_browser: OpenBrowser, sign_in: SignIn) -> Browsing:
    """A context manager that yields such a browser while it requests its first rows."""

    @asynccontextmanager
    async def browsing() -> AsyncIterator[SlowBrowser]:
        gate = Gate()
        async with sign_in(transport=gate) as client, open_browser(client) as (view, controller):
            yield SlowBrowser(view, controller, controller._tasks, gate)

    return browsing


async def test_a_slow_refresh_is_shown_and_can_be_cancelled(slow: Browsing) -> None:
    """The rows remain meanwhile; cancelling restores the count."""
    async with slow() as browser:
        view, controller, tasks = browser.view, browser.controller, browser.tasks
        controller.load()
        await browser.settle()
        count_text, result = view.count.text, view.model.result
        browser.gate.close()
        controller.load()
        assert view.count.text == count_text
        await until(lambda: "Loading events" in view.count.text)
        assert view.has_rows
        assert view.model.result is result
        assert "Loading events" in browser.titles
        tasks.give_up(LOAD)
        await until(lambda: view.count.text == count_text)
        controller.load()
        await until(lambda: "Loading events" in view.count.text)
        browser.gate.open()
        await until(lambda: view.model.result is not result)
        assert "Loading" not in view.count.text


async def test_cancelling_a_slow_query_restores_the_previous_one(slow: Browsing, actions: Actions) -> None:
    """With rows, position and chips; the cancelled query stays in the history, also after a restart."""
    async with slow() as browser:
        view, controller = browser.view, browser.controller
        controller.load()
        await browser.settle()
        result, count_text = view.model.result, view.count.text
        view.table.go_to(500)
        top, chosen = view.table.verticalScrollBar().value(), view.table.current_event
        browser.gate.close()
        controller.show_query(SEARCHES)
        await until(lambda: browser.is_waiting)
        assert "Loading events" in view.count.text
        assert browser.titles == ["Loading events"]
        assert not any(actions[name].isEnabled() for name in ROWS_ALONE)
        browser.tasks.give_up(LOAD)
        assert controller.query == Query() == view.query
        assert view.filter_bar.summaries == {}
        assert view.model.result is result
        assert (view.table.verticalScrollBar().value(), view.table.current_event) == (top, chosen)
        assert view.count.text.startswith("Cancelled: the previous query is active again.")
        view.count.show_message("")
        assert view.count.text == count_text
        assert all(actions[name].isEnabled() for name in ROWS_ALONE)
        assert not browser.tasks.is_running(LOAD)
        browser.gate.open()
        actions["query_forward"].trigger()
        await until(lambda: view.has_rows and {browser.event(row).type for row in range(9)} == {"SEARCH"})
        await browser.settle()


async def test_escape_cancels_a_query(slow: Browsing, actions: Actions) -> None:
    """Escape first cancels the query, then closes the inspector."""
    async with slow() as browser:
        view = browser.view
        browser.controller.load()
        await browser.settle()
        view.table.setFocus()
        view.table.selectRow(0)
        browser.gate.close()
        browser.controller.show_query(Query(sort=(Sort("user_id"),)))
        await until(lambda: browser.is_waiting)
        QTest.keyClick(view.table, Qt.Key.Key_Escape)
        assert browser.controller.query == Query()
        assert view.has_rows
        assert actions["inspector"].isChecked()
        QTest.keyClick(view.table, Qt.Key.Key_Escape)
        assert not actions["inspector"].isChecked()


async def test_cancelling_the_first_query_offers_to_load_the_rows(slow: Browsing) -> None:
    """There is no previous query; a button loads the rows."""
    async with slow() as browser:
        browser.gate.close()
        browser.controller.load()
        await until(lambda: browser.gate.waiting == 1 and browser.is_waiting)
        browser.tasks.give_up(LOAD)
        picture = browser.view.empty_page.state
        assert picture.isVisible()
        assert picture.text == "Loading was cancelled, and no events had been loaded before."
        assert not browser.is_waiting
        assert not browser.view.count.text.strip()
        browser.gate.open()
        picture.step_requested.emit()
        await browser.settle()
        assert not picture.isVisible()


async def test_the_newest_of_slow_queries_is_shown(slow: Browsing) -> None:
    """Earlier requests are cancelled; going back to loaded rows needs no request."""
    async with slow() as browser:
        view, controller, gate = browser.view, browser.controller, browser.gate
        controller.load()
        await browser.settle()
        result = view.model.result
        gate.close()
        for types in (("SEARCH",), ("USER_LOGIN",), ("OBJECT_DELETE",)):
            controller.show_query(Query(types=types))
            await until(lambda: gate.waiting == 1)
        controller.load()
        await until(lambda: browser.is_waiting)
        controller.show_query(Query())
        assert view.model.result is result
        await until(lambda: gate.waiting == 1)
        controller.show_query(Query(types=("OBJECT_UPDATE",)))
        gate.open()
        await until(
            lambda: view.has_rows and {browser.event(row).type for row in range(9)} == {"OBJECT_UPDATE"}
        )


async def test_actions_do_not_apply_to_rows_of_another_query(slow: Browsing, actions: Actions) -> None:
    """As soon as a query has started, although the old rows are still visible."""
    async with slow() as browser:
        view, controller = browser.view, browser.controller
        controller.load()
        await browser.settle()
        browser.gate.close("type=")
        controller.show_query(SEARCHES)
        assert not browser.is_waiting
        actions["delete_found"].trigger()
        assert view.count.text.startswith("There are no events to delete.")
        assert "events.delete.look" not in [work.name for work in browser.tasks.running]
        browser.gate.open()
        await browser.settle()


async def test_slow_counting_can_be_cancelled(slow: Browsing) -> None:
    """The rows remain, and their number stays unknown."""
    async with slow() as browser:
        view, controller = browser.view, browser.controller
        browser.gate.close("limit=1&")
        controller.load()
        await until(lambda: view.has_rows)
        assert browser.titles == ["Counting events"]
        browser.tasks.give_up(LOAD)
        assert view.has_rows
        assert "1000+ events" in view.count.text
        assert controller.query == Query()


async def test_closing_does_not_cancel_the_query(slow: Browsing) -> None:
    """The next start runs the query that was loading."""
    async with slow() as browser:
        browser.controller.load()
        await browser.settle()
        browser.gate.close("type=")
        browser.controller.show_query(SEARCHES)
        await until(lambda: browser.is_waiting)
    async with slow() as browser:
        assert browser.controller.query == SEARCHES
