"""Tests of the info keys in the columns popup, with the reference server."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from cdb_desktop.client import EventPage, SlowAnswerError
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.columns_popup import ColumnsPopup
from cdb_desktop.ui.widgets.labels import BESIDE
from tests.desktop.patience import until
from tests.desktop.ui.events.browser.test_columns import open_columns
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.events.filters.test_filters import add_by_entry

USUAL = ("id", "time", "type", "user", "object", "summary")
DOWN, SPACE, RETURN, ESCAPE = (Qt.Key.Key_Down, Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Escape)


def keys_in(popup: ColumnsPopup) -> list[str]:
    """The visible info keys."""
    items = (popup.list.list.item(row) for row in range(popup.list.list.count()))
    return [item.text() for item in items if item.text().startswith("info.") and not item.isHidden()]


def share_of(popup: ColumnsPopup, key: str) -> object:
    """The text beside a key."""
    (found,) = popup.list.list.findItems(key, Qt.MatchFlag.MatchExactly)
    return found.data(BESIDE)


def message_in(popup: ColumnsPopup) -> str:
    """The message of the popup."""
    return " ".join(label.text() for label in popup.findChildren(QLabel))


async def test_keys_are_offered_for_rows_without_info(browse: Browse, actions: Actions) -> None:
    """A sample provides the keys, typing filters them, Space adds one as a column."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: "of" in view.count.text)
        popup = open_columns(actions)
        assert "Searching for keys of info…" in message_in(popup)
        await until(lambda: keys_in(popup))
        assert "most frequent first." in message_in(popup)
        keys = keys_in(popup)
        assert {"info.search", "info.search.0.string", "info.limit"} <= set(keys)
        QTest.keyClicks(popup.list.search, "string")
        assert keys_in(popup) == [key for key in keys if "string" in key]
        for _step in range(keys_in(popup).index("info.search.0.string") + 1):
            QTest.keyClick(popup.focusWidget(), DOWN)
        current = popup.list.list.currentItem()
        assert current.text() == "info.search.0.string"
        assert "events with info have it." in current.toolTip()
        shares = [int(str(share_of(popup, key)).removesuffix(" %")) for key in keys]
        assert shares == sorted(shares, reverse=True)
        QTest.keyClick(popup.list.list, SPACE)
        QTest.keyClick(popup.list.list, RETURN)
        assert view.columns.shown == (*USUAL, "info.search.0.string")
        place = [column.name for column in view.model.columns].index("info.search.0.string")
        await until(lambda: any(view.model.index(row, place).data() for row in range(20)))


async def test_rows_with_info_need_no_sample(
    browse: Browse, actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keys of the rows are offered without any request."""
    async with browse() as (view, controller):
        view.columns.show((*USUAL, "info.limit"))
        await until(lambda: controller._rows.result and controller._rows.result.loaded_events()[0][0].info)
        client, requests = controller._rows._client, []
        ask = client.list_events

        async def listed(*args: Any, **options: Any) -> EventPage:
            requests.append(options)
            return await ask(*args, **options)

        monkeypatch.setattr(client, "list_events", listed)
        popup = open_columns(actions)
        await until(lambda: "The list ends with" in message_in(popup))
        assert "keys of info found in 1000 events" in message_in(popup)
        assert not [options for options in requests if options.get("full") and options.get("limit", 0) < 1000]
        popup.close()


async def test_keys_shown_by_the_inspector_are_offered(browse: Browse, actions: Actions) -> None:
    """Also if no current row has them."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: (event := view.model.event_at(0)) and event.type == "SEARCH")
        view.table.go_to(50)
        await until(lambda: (shown := view.inspector.details) and shown.is_whole)
        assert view.inspector.details is not None
        assert "search" in view.inspector.details.info
        controller.show_query(Query(types=("USER_LOGIN",)))
        await until(lambda: (event := view.model.event_at(0)) and event.type == "USER_LOGIN")
        popup = open_columns(actions)
        await until(lambda: "The list ends with" in message_in(popup))
        assert "info.search" in keys_in(popup)
        popup.close()


@pytest.mark.generation5("lists have short records")
async def test_a_failed_sample_is_reported_in_the_popup(
    browse: Browse, actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The popup stays open, and a key can still be typed."""
    async with browse() as (view, controller):

        async def slow(*_args: object, **_options: object) -> None:
            raise SlowAnswerError(5.0)

        monkeypatch.setattr(controller._rows._client, "list_events", slow)
        popup = open_columns(actions)
        await until(lambda: "Not looked up:" in message_in(popup))
        monkeypatch.undo()
        add_by_entry(popup.list.search, "info.rare.key")
        QTest.keyClick(popup.list.search, RETURN)
        assert view.columns.shown == (*USUAL, "info.rare.key")
