"""Tests of finding users by name in a log with more of them than the first rows show."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListWidget

from cdb_desktop.client import Client, EventPage
from cdb_desktop.events.query import QueryPart
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.ui.events.filters.users_popup import UsersPopup
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events import crowd
from tests.desktop.ui.events.conftest import Browse, popup
from tests.desktop.ui.events.interruption import end_of_session

RETURN, ESCAPE = Qt.Key.Key_Return, Qt.Key.Key_Escape
LOOK = "Search the log"


@pytest.fixture(scope="module")
def reference_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with many users."""
    yield from crowd.served(tmp_path_factory.mktemp("crowd") / "crowd.sqlite")


def opened(view: EventsView) -> UsersPopup:
    """The sheet, with the keys in the line for a name."""
    view.filter_controller.edit(QueryPart.USER, view.filter_bar.chip(QueryPart.USER))
    sheet = popup()
    assert isinstance(sheet, UsersPopup)
    return sheet


def line(sheet: UsersPopup, name: str = "users") -> QLineEdit:
    """Where a name is typed."""
    found = sheet.findChild(QLineEdit, f"events.checklist.{name}.search")
    assert isinstance(found, QLineEdit)
    return found


def names(sheet: UsersPopup) -> list[str]:
    """The users in sight."""
    shown = sheet.findChild(QListWidget, "events.checklist.users.list")
    assert isinstance(shown, QListWidget)
    items = [shown.item(row) for row in range(shown.count())]
    return [item.text() for item in items if not item.isHidden()]


async def test_who_was_busy_long_ago_is_found_by_name(browse: Browse) -> None:
    """Without any button: who opens the sheet has met those with many events."""
    async with browse() as (view, controller):
        await until(lambda: view.has_rows)
        sheet = opened(view)
        QTest.keyClicks(line(sheet), "nora")
        await until(lambda: names(sheet) == [crowd.BUSY.displayname])
        await until(lambda: not sheet._missing.message)
        QTest.keyClick(line(sheet), RETURN)
        QTest.keyClick(line(sheet), RETURN)
        assert controller.query.users == (2001,)
        await until(lambda: view.model.rowCount() > 2_000)
        await until(lambda: view.filter_bar.summaries == {QueryPart.USER: crowd.BUSY.displayname})


async def test_nothing_found_says_why_and_the_log_can_be_read(browse: Browse) -> None:
    """One who did a single thing is found by reading, which stops there, and goes on when that is wanted."""
    async with browse() as (view, controller):
        await until(lambda: view.has_rows)
        sheet = opened(view)
        await until(lambda: not controller._tasks.is_running("events.users"))
        QTest.keyClicks(line(sheet), "bird")
        assert names(sheet) == []
        known = view.seen.event_count
        assert sheet._missing.message == (
            f"No user of this name appears in the {known} events read so far. "
            "A number can be typed instead, such as #5."
        )
        assert sheet._missing.button.text() == LOOK
        assert sheet._missing.geometry().bottom() <= sheet.height()
        QTest.keyClick(line(sheet), RETURN)
        await until(lambda: names(sheet) == [crowd.RARE.displayname])
        await until(lambda: not controller._tasks.is_running("events.users"))
        assert sheet._missing.message.startswith("Found among the last ")
        assert 4_000 < sheet.looking.read < 8_000
        sheet._missing.button.click()
        await until(lambda: sheet.looking.is_whole)
        assert sheet._missing.message.startswith("All 12")
        assert sheet._missing.button.isHidden()
        line(sheet).setText("nobody at all")
        assert sheet._missing.message.startswith("No event is by a user of this name. All 12")


async def test_reading_is_told_and_ends_with_the_button_and_the_sheet(
    browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How far it is stands in the sheet; nothing is read for a sheet that is closed."""
    list_events, pages = Client.list_events, list[int]()

    async def listed(client: Client, *given: Any, **more: Any) -> EventPage:
        if more["limit"] == PAGE_SIZE:
            pages.append(more["offset"])
            await asyncio.sleep(0.1)
        return await list_events(client, *given, **more)

    async with browse() as (view, controller):
        await until(lambda: view.has_rows)
        sheet = opened(view)
        await until(lambda: not controller._tasks.is_running("events.users"))
        QTest.keyClicks(line(sheet), "nobody")
        monkeypatch.setattr(Client, "list_events", listed)
        sheet._missing.button.click()
        await until(lambda: "1999 of 12" in sheet._missing.message)
        assert sheet._missing.button.text() == "Stop"
        sheet._missing.button.click()
        assert not controller._tasks.is_running("events.users")
        assert sheet._missing.button.text() == LOOK
        sheet._missing.button.click()
        await until(lambda: sheet.looking.runs and sheet.looking.read)
        QTest.keyClick(sheet, ESCAPE)
        await asyncio.sleep(0.3)
        before = len(pages)
        await asyncio.sleep(0.5)
        assert len(pages) == before
        assert not controller._tasks.is_running("events.users")


async def test_numbers_and_groups_are_told_in_words(browse: Browse) -> None:
    """A number can be added; of groups only one's own have names."""
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        sheet = opened(view)
        QTest.keyClicks(line(sheet), "#98765")
        assert sheet._missing.message == ""
        assert sheet._missing.button.isHidden()
        QTest.keyClicks(line(sheet, "groups"), "Nobodies")
        assert sheet._no_group.message.startswith("Only your own groups are known by name")
        line(sheet, "groups").setText("5")
        assert sheet._no_group.message == ""


async def test_a_look_that_fails_says_so(browse: Browse) -> None:
    """And can be tried again."""
    async with browse() as (view, controller):
        await until(lambda: view.has_rows)
        sheet = opened(view)
        await until(lambda: not controller._tasks.is_running("events.users"))
        QTest.keyClicks(line(sheet), "bird")
        await end_of_session(controller._loader.rows._client)()
        sheet._missing.button.click()
        await until(lambda: sheet.looking.failure)
        assert sheet._missing.message
        assert sheet._missing.button.text() == LOOK
