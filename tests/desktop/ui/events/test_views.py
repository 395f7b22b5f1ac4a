"""Tests of saved views, of columns, and of the queries that are remembered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from cdb_desktop.client import Sort
from cdb_desktop.events.history import History
from cdb_desktop.events.query import Query
from cdb_desktop.events.saved_views import ColumnState
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.columns_popup import ColumnsPopup
from cdb_desktop.ui.events.name_popup import NamePopup
from cdb_desktop.ui.events.query_memory import keep_history, kept_history
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.events.view_keeping import ViewKeeping
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse

USUAL = ("id", "time", "type", "user", "object")
QUERY = Query(types=("SEARCH",), sort=(Sort("timestamp"),))


def keeping(view: EventsView) -> ViewKeeping:
    """What keeps the views."""
    found = view.findChild(ViewKeeping)
    assert isinstance(found, ViewKeeping)
    return found


def menu_of(view: EventsView) -> QMenu:
    """The menu of views."""
    found = view.findChild(QMenu, "events.views.menu")
    assert isinstance(found, QMenu)
    return found


async def test_a_view_is_named_and_opened_after_a_restart(browse: Browse, actions: Actions) -> None:
    """Query, order, columns and widths are as they were."""
    async with browse() as (view, controller):
        await until(lambda: view.has_rows)
        controller.ask(QUERY)
        view.columns.show(("type", "id", "objecttype"))
        view.table.horizontalHeader().resizeSection(0, 133)
        keeping(view)._ask_name()
        popup = QApplication.activePopupWidget()
        assert isinstance(popup, NamePopup)
        QTest.keyClicks(popup.line, "Searches")
        QTest.keyClick(popup.line, Qt.Key.Key_Return)
        states = view.columns.states
    async with browse() as (view, controller):
        view.columns.apply(())
        assert controller.query == Query()
        actions["views"].trigger()
        entry = menu_of(view).actions()[0]
        assert entry.text() == "Searches"
        entry.trigger()
        assert controller.query == QUERY
        assert view.columns.states == states
        assert ColumnState("id", 133) in states
        assert set(view.columns.shown) == {"type", "id", "objecttype"}


async def test_a_view_goes_to_others_as_a_file(browse: Browse, tmp_path: Path) -> None:
    """Who opens it has it among theirs; one of another version is refused in words, nothing changes."""
    file = tmp_path / "Deletions.cdbview"
    async with browse() as (view, controller):
        controller.ask(QUERY)
        keeping(view).share(file)
        controller.ask(Query())
        keeping(view).open_file(file)
        assert controller.query == QUERY
        assert [one.name for one in keeping(view).views] == ["Deletions"]
        file.write_bytes(file.read_bytes().replace(b'"version": 1', b'"version": 9'))
        keeping(view).open_file(file)
        assert "another version of the program (format 9, here 1)" in view.notice.text
        keeping(view).open_file(tmp_path / "missing")
        assert view.notice.text.startswith("Not opened: ")
        keeping(view).share(tmp_path / "no" / "where")
        assert view.notice.text.startswith("Not written: ")
        keeping(view).forget("Deletions")
        assert keeping(view).views == ()
        assert controller.query == QUERY


async def test_a_key_of_info_becomes_a_column(browse: Browse, actions: Actions) -> None:
    """Typed in the sheet of columns; the rows then bring their info, and secrets stay hidden."""
    async with browse() as (view, controller):
        await until(lambda: view.has_rows)
        controller.ask(Query(types=("LOGIN_FAILED",)))
        await until(lambda: "of" in view.count.text)
        actions["columns"].trigger()
        popup = QApplication.activePopupWidget()
        assert isinstance(popup, ColumnsPopup)
        for name in ("info.reason", "info.method"):
            QTest.keyClicks(popup.list.search, name)
            QTest.keyClick(popup.list.search, Qt.Key.Key_Return)
        QTest.keyClick(popup.list.search, Qt.Key.Key_Return)
        assert view.columns.shown == (*USUAL, "info.reason", "info.method")
        place = [column.name for column in view.model.columns].index("info.method")
        await until(lambda: view.model.data(view.model.index(0, place)) == "easydb")
        view.columns.show(USUAL)
        assert list(view.columns.shown) == list(USUAL)


def test_columns_are_as_they_were(view: EventsView, again: Callable[[], EventsView], qtbot: object) -> None:
    """Order, width and choice, by their names."""
    header = view.table.horizontalHeader()
    view.columns.show((*USUAL, "schema", "info.batch_id"))
    header.moveSection(header.visualIndex(2), 0)
    view.columns._keep()
    second = again()
    assert second.columns.shown == ("type", "id", "time", "user", "object", "schema", "info.batch_id")
    second.columns.apply(())
    assert list(second.columns.shown) == list(USUAL)


async def test_queries_of_the_last_time_can_be_gone_back_to(browse: Browse, actions: Actions) -> None:
    """Alt+Left leads into the history before the start; forward comes back."""
    async with browse() as (view, controller):
        for types in (("SEARCH",), ("USER_LOGIN",)):
            controller.ask(Query(types=types))
    async with browse() as (view, controller):
        assert controller.query == Query()
        seen = []
        for _step in range(2):
            actions["query_back"].trigger()
            seen.append(controller.query.types)
        assert seen == [("USER_LOGIN",), ("SEARCH",)]
        actions["query_forward"].trigger()
        assert controller.query.types == ("USER_LOGIN",)
        await until(lambda: view.has_rows)


def test_a_broken_memory_is_none(view: EventsView) -> None:
    """What somebody has put into the settings cannot keep the program from starting."""
    settings = view.settings
    keep_history(settings, History(QUERY))
    assert kept_history(settings).back().present == QUERY
    settings.setValue("events/history", '[{"types": 5}]')
    assert kept_history(settings) == History()
    settings.setValue("events/column_states", "{")
    settings.setValue("events/views", "{")
    assert view.columns.shown == USUAL
