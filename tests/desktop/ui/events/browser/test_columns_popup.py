"""Tests of the keys of info that the sheet of columns offers, against the reference server."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from cdb_desktop.client import EventPage, SlowAnswerError
from cdb_desktop.events.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.columns_popup import ColumnsPopup
from cdb_desktop.ui.events.popups.checklist import BESIDE
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, popup
from tests.desktop.ui.events.filters.test_filters import add_by_entry

USUAL = ("id", "time", "type", "user", "object")
DOWN, SPACE, RETURN, ESCAPE = (Qt.Key.Key_Down, Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Escape)


def opened(actions: Actions) -> ColumnsPopup:
    """The sheet, by its key."""
    actions["columns"].trigger()
    sheet = popup()
    assert isinstance(sheet, ColumnsPopup)
    return sheet


def keys_in(sheet: ColumnsPopup) -> list[str]:
    """The keys of info that are in sight."""
    items = (sheet.list.list.item(row) for row in range(sheet.list.list.count()))
    return [item.text() for item in items if item.text().startswith("info.") and not item.isHidden()]


def share_of(sheet: ColumnsPopup, key: str) -> object:
    """What stands beside a key."""
    (found,) = sheet.list.list.findItems(key, Qt.MatchFlag.MatchExactly)
    return found.data(BESIDE)


def said(sheet: ColumnsPopup) -> str:
    """What stands in it."""
    return " ".join(label.text() for label in sheet.findChildren(QLabel))


async def test_keys_are_offered_before_any_is_known(browse: Browse, actions: Actions) -> None:
    """The rows came without info: a sample brings the keys, typing narrows them, Space shows one."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: "of" in view.count.text)
        sheet = opened(actions)
        assert "Searching for keys of info…" in said(sheet)
        await until(lambda: keys_in(sheet))
        assert "most frequent first." in said(sheet)
        keys = keys_in(sheet)
        assert {"info.search", "info.search.0.string", "info.limit"} <= set(keys)
        QTest.keyClicks(sheet.list.search, "string")
        assert keys_in(sheet) == [key for key in keys if "string" in key]
        for _step in range(keys_in(sheet).index("info.search.0.string") + 1):
            QTest.keyClick(sheet.focusWidget(), DOWN)
        current = sheet.list.list.currentItem()
        assert current.text() == "info.search.0.string"
        assert "events with info have it." in current.toolTip()
        shares = [int(str(share_of(sheet, key)).removesuffix(" %")) for key in keys]
        assert shares == sorted(shares, reverse=True)
        QTest.keyClick(sheet.list.list, SPACE)
        QTest.keyClick(sheet.list.list, RETURN)
        assert view.columns.shown == (*USUAL, "info.search.0.string")
        place = [column.name for column in view.model.columns].index("info.search.0.string")
        await until(lambda: any(view.model.index(row, place).data() for row in range(20)))


async def test_other_filters_bring_other_keys(browse: Browse, actions: Actions) -> None:
    """Those that are known stay, and are there at once."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: "of" in view.count.text)
        sheet = opened(actions)
        await until(lambda: "info.limit" in keys_in(sheet))
        QTest.keyClick(sheet.list.search, ESCAPE)
        controller.show_query(Query(types=("API_CALL",)))
        await until(lambda: (event := view.model.event_at(0)) and event.type == "API_CALL")
        sheet = opened(actions)
        known = set(keys_in(sheet))
        assert "info.limit" in known
        await until(lambda: "The list ends with" in said(sheet))
        assert set(keys_in(sheet)) > known
        sheet.close()


async def test_rows_with_info_need_no_sample(
    browse: Browse, actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their own keys are offered, and nothing is asked for them."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        view.columns.show((*USUAL, "info.limit"))
        await until(lambda: (event := view.model.event_at(0)) and event.info is not None)
        client, asked = controller._rows._client, []
        ask = client.list_events

        async def listed(*args: Any, **options: Any) -> EventPage:
            asked.append(options)
            return await ask(*args, **options)

        monkeypatch.setattr(client, "list_events", listed)
        sheet = opened(actions)
        await until(lambda: "The list ends with" in said(sheet))
        assert "keys of info found in 1000 events" in said(sheet)
        assert not [options for options in asked if options.get("full") and options.get("limit", 0) < 1000]
        sheet.close()


async def test_what_the_inspector_has_shown_is_offered(browse: Browse, actions: Actions) -> None:
    """Also when the rows of now have nothing like it."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: (event := view.model.event_at(0)) and event.type == "SEARCH")
        view.table.go_to(50)
        await until(lambda: (shown := view.inspector.details) and shown.is_whole)
        assert view.inspector.details is not None
        assert "search" in view.inspector.details.info
        controller.show_query(Query(types=("USER_LOGIN",)))
        await until(lambda: (event := view.model.event_at(0)) and event.type == "USER_LOGIN")
        sheet = opened(actions)
        await until(lambda: "The list ends with" in said(sheet))
        assert "info.search" in keys_in(sheet)
        sheet.close()


async def test_a_search_for_keys_that_fails_leaves_the_sheet(
    browse: Browse, actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so, and a key can be typed all the same."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)

        async def slow(*_args: object, **_options: object) -> None:
            raise SlowAnswerError(5.0)

        monkeypatch.setattr(controller._rows._client, "list_events", slow)
        sheet = opened(actions)
        await until(lambda: "Not looked up:" in said(sheet))
        monkeypatch.undo()
        add_by_entry(sheet.list.search, "info.rare.key")
        QTest.keyClick(sheet.list.search, RETURN)
        assert view.columns.shown == (*USUAL, "info.rare.key")
