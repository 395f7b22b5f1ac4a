"""Tests of finding users by name in a log with more users than the first rows contain."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListWidget

from cdb_desktop.client import Client, EventPage
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.queries.query import QueryPart
from cdb_desktop.ui.events.filters.users_popup import UsersPopup
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events import crowd
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.events.interruption import end_of_session
from tests.desktop.ui.finding import child_of, open_popup

RETURN, ESCAPE = Qt.Key.Key_Return, Qt.Key.Key_Escape
LOOK = "Search the log"


@pytest.fixture(scope="module")
def reference_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with many users."""
    yield from crowd.served(tmp_path_factory.mktemp("crowd") / "crowd.sqlite")


def opened(view: EventsView) -> UsersPopup:
    """Opens the popup with the focus in its line edit."""
    view.filter_controller.edit(QueryPart.USER, view.filter_bar.chip(QueryPart.USER))
    return open_popup(UsersPopup)


def line(popup: UsersPopup, name: str = "users") -> QLineEdit:
    """The line edit of the popup."""
    return child_of(popup, QLineEdit, f"events.checklist.{name}.search")


def names(popup: UsersPopup) -> list[str]:
    """The visible users."""
    shown = child_of(popup, QListWidget, "events.checklist.users.list")
    items = [shown.item(row) for row in range(shown.count())]
    return [item.text() for item in items if not item.isHidden()]


@pytest.mark.generation5("short records do not name users")
async def test_formerly_active_users_are_found_by_name(browse: Browse) -> None:
    """Opening the popup samples the log, which finds users with many events."""
    async with browse() as (view, controller):
        popup = opened(view)
        QTest.keyClicks(line(popup), "nora")
        await until(lambda: names(popup) == [crowd.BUSY.displayname])
        await until(lambda: not popup._missing.message)
        QTest.keyClick(line(popup), RETURN)
        QTest.keyClick(line(popup), RETURN)
        assert controller.query.users == (2001,)
        await until(lambda: view.model.rowCount() > 2_000)
        await until(lambda: view.filter_bar.summaries == {QueryPart.USER: crowd.BUSY.displayname})


@pytest.mark.generation5("short records do not name users")
async def test_without_matches_the_log_can_be_read(browse: Browse, settings: QSettings) -> None:
    """Reading finds a user with a single event, stops there, and can be continued."""
    settings.setValue("events/overview", False)  # it would read the log, too
    async with browse() as (view, controller):
        assert not view.panels.histogram.isVisible()
        popup = opened(view)
        await until(lambda: not controller._tasks.is_running("events.users"))
        QTest.keyClicks(line(popup), "bird")
        assert names(popup) == []
        known = view.seen.event_count
        assert popup._missing.message == (
            f"No user of this name appears in the {known} events read so far. "
            "A number can be typed instead, such as #5."
        )
        assert popup._missing.button.text() == LOOK
        assert popup._missing.geometry().bottom() <= popup.height()
        QTest.keyClick(line(popup), RETURN)
        await until(lambda: names(popup) == [crowd.RARE.displayname])
        await until(lambda: not controller._tasks.is_running("events.users"))
        assert popup._missing.message.startswith("Found among the last ")
        assert 4_000 < popup.looking.read < 8_000
        popup._missing.button.click()
        await until(lambda: popup.looking.is_whole)
        assert popup._missing.message.startswith("All 12")
        assert popup._missing.button.isHidden()
        line(popup).setText("nobody at all")
        assert popup._missing.message.startswith("No event is by a user of this name. All 12")


@pytest.mark.generation5("short records do not name users")
async def test_reading_shows_progress_and_can_be_stopped(
    browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The popup shows the progress; the button and closing the popup stop reading."""
    list_events, pages = Client.list_events, list[int]()

    async def listed(client: Client, *given: Any, **more: Any) -> EventPage:
        if more["limit"] == PAGE_SIZE:
            pages.append(more["offset"])
            await asyncio.sleep(0.1)
        return await list_events(client, *given, **more)

    async with browse() as (view, controller):
        popup = opened(view)
        await until(lambda: not controller._tasks.is_running("events.users"))
        QTest.keyClicks(line(popup), "nobody")
        monkeypatch.setattr(Client, "list_events", listed)
        popup._missing.button.click()
        await until(lambda: "1999 of 12" in popup._missing.message)
        assert popup._missing.button.text() == "Stop"
        popup._missing.button.click()
        assert not controller._tasks.is_running("events.users")
        assert popup._missing.button.text() == LOOK
        popup._missing.button.click()
        await until(lambda: popup.looking.runs and popup.looking.read)
        QTest.keyClick(popup, ESCAPE)
        await asyncio.sleep(0.3)
        before = len(pages)
        await asyncio.sleep(0.5)
        assert len(pages) == before
        assert not controller._tasks.is_running("events.users")


async def test_numbers_and_groups_are_explained(browse: Browse) -> None:
    """A number can be added; only the user's own groups have names."""
    async with browse() as (view, _controller):
        popup = opened(view)
        QTest.keyClicks(line(popup), "#98765")
        assert popup._missing.message == ""
        assert popup._missing.button.isHidden()
        QTest.keyClicks(line(popup, "groups"), "Nobodies")
        assert popup._no_group.message.startswith("Only your own groups are known by name")
        line(popup, "groups").setText("5")
        assert popup._no_group.message == ""


@pytest.mark.generation5("short records do not name users")
async def test_a_failed_sample_is_reported(browse: Browse) -> None:
    """It can be retried."""
    async with browse() as (view, controller):
        popup = opened(view)
        await until(lambda: not controller._tasks.is_running("events.users"))
        QTest.keyClicks(line(popup), "bird")
        await end_of_session(controller._loader.rows._client)()
        popup._missing.button.click()
        await until(lambda: popup.looking.failure)
        assert popup._missing.message
        assert popup._missing.button.text() == LOOK
