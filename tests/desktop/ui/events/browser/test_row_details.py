"""Tests of the summaries of visible rows, of expanded rows, and of what the menu offers for a cell."""

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from cdb_desktop.client import Client, EventPage, Sort, UnreachableError
from cdb_desktop.events.ticket import CopyFormat
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.menus import entry, open_menu, submenus, texts


class Calls:
    """The lists that a client requests; whole ones fail if ``is_broken``."""

    def __init__(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        self.options: list[dict[str, Any]] = []
        self.is_broken = False
        ask = client.list_events

        async def listed(*args: Any, **options: Any) -> EventPage:
            self.options.append(options)
            if self.is_broken and options.get("full"):
                raise UnreachableError("refused")
            return await ask(*args, **options)

        monkeypatch.setattr(client, "list_events", listed)

    @property
    def whole(self) -> list[dict[str, Any]]:
        """The calls for whole records."""
        return [options for options in self.options if options.get("full")]


def summaries(view: EventsView) -> list[str]:
    """The texts of the visible summaries."""
    place = [column.name for column in view.model.columns].index("summary")
    first, last = view.table.visible_rows()
    return [str(view.model.index(row, place).data()) for row in range(first, last + 1)]


async def searches(view: EventsView, controller: Any) -> None:
    """Waits for the rows of searches, whose short records say nothing."""
    # The oldest are from the demo; other tests may have inserted newer ones, which had no hits.
    controller.show_query(Query(types=("SEARCH",), sort=(Sort("_id"),)))
    await until(lambda: (event := view.model.event_at(0)) and event.type == "SEARCH")


@pytest.mark.generation5("lists have short records")
async def test_only_visible_rows_are_fetched_whole(browse: Browse, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages stay short, and each visible row gets its summary, far down too."""
    async with browse() as (view, controller):
        calls = Calls(controller._rows._client, monkeypatch)
        await searches(view, controller)
        await until(lambda: all("hit" in text for text in summaries(view)))
        await until(lambda: view.model.rowCount() > 200)
        view.table.go_to(180)
        await until(lambda: all("hit" in text for text in summaries(view)))
        rows = view.table.visible_rows()[1] - view.table.visible_rows()[0] + 1
        assert 2 <= len(calls.whole) <= 5
        assert all(options["limit"] <= 3 * rows for options in calls.whole)
        result = view.model.result
        assert result is not None
        assert all(event.info is None for page in result.loaded_events() for event in page)
        before = len(calls.whole)
        view.table.step(1)
        await asyncio.sleep(0.1)
        assert len(calls.whole) == before


async def test_rows_that_match_words_are_fetched_by_id(browse: Browse) -> None:
    """They do not follow one another in the service, whose pages would contain others."""
    async with browse() as (view, controller):
        of_works = Condition("work", PatternKind.OBJECT)
        # The oldest are from the demo, as above.
        controller.show_query(Query(types=("DETAIL_VIEW",), conditions=(of_works,), sort=(Sort("_id"),)))
        await until(lambda: (event := view.model.event_at(30)) and event.objecttype == "work")
        await until(lambda: all("(work__" in text for text in summaries(view)))  # the mask


async def test_a_refresh_keeps_the_summaries(browse: Browse, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not requested again."""
    async with browse() as (view, controller):
        await searches(view, controller)
        await until(lambda: all("hit" in text for text in summaries(view)))
        before = view.model.result
        calls = Calls(controller._rows._client, monkeypatch)
        controller.load()
        await until(lambda: view.model.result is not before)
        assert all("hit" in text for text in summaries(view))
        assert not calls.whole


@pytest.mark.generation5("lists have short records")
async def test_a_failure_leaves_the_rows(browse: Browse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a notice: the rows are there. Scrolling tries again."""
    async with browse() as (view, controller):
        calls = Calls(controller._rows._client, monkeypatch)
        calls.is_broken = True
        await searches(view, controller)
        await until(lambda: len(calls.whole) == 1)
        assert summaries(view)[0] == ""
        assert not view.notice.isVisible()
        calls.is_broken = False
        view.table.go_to(180)
        await until(lambda: all("hit" in text for text in summaries(view)))


@pytest.mark.generation5("lists have short records")
async def test_without_the_column_nothing_is_fetched(browse: Browse, monkeypatch: pytest.MonkeyPatch) -> None:
    """An expanded row gets its info even so."""
    async with browse() as (view, controller):
        view.columns.show(("id", "type"))
        calls = Calls(controller._rows._client, monkeypatch)
        await searches(view, controller)
        view.table.go_to(3)
        low = view.table.rowHeight(3)
        QTest.keyClick(view.table, Qt.Key.Key_Space)
        await until(lambda: (event := view.model.event_at(3)) and event.info is not None)
        await until(lambda: view.table.rowHeight(3) > 5 * low)
        assert [options["limit"] for options in calls.whole] == [1]
        QTest.keyClick(view.table, Qt.Key.Key_Space)
        assert view.table.rowHeight(3) == low


async def test_copied_rows_have_their_summaries(browse: Browse) -> None:
    """Also those that were never visible."""
    async with browse() as (view, controller):
        await searches(view, controller)
        await until(lambda: view.model.rowCount() > 200)
        for first in (0, 150):
            chosen = view.table.selectionModel()
            for row in range(first, first + 50):
                chosen.select(
                    view.model.index(row, 0), chosen.SelectionFlag.Select | chosen.SelectionFlag.Rows
                )
        view.table.copy_requested.emit(CopyFormat.TSV)
        await until(lambda: len(QGuiApplication.clipboard().text().splitlines()) == 100)
        assert all("hit" in line for line in QGuiApplication.clipboard().text().splitlines())


def menu_at(view: EventsView, name: str) -> QMenu:
    """Opens the context menu at a cell of the first row."""
    place = [column.name for column in view.model.columns].index(name)
    at = QPoint(view.table.columnViewportPosition(place) + 10, view.table.rowViewportPosition(0) + 5)
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(
        view.table.viewport(), QContextMenuEvent(reason, at, view.table.viewport().mapToGlobal(at))
    )
    return open_menu()


async def test_the_menu_filters_by_and_copies_the_cell(browse: Browse) -> None:
    """The filter by the cell is the first; the service cannot filter by a summary."""
    async with browse() as (view, controller):
        await searches(view, controller)
        await until(lambda: all("hit" in text for text in summaries(view)))
        event = view.model.event_at(0)
        assert event is not None
        menu = menu_at(view, "user")
        user = event.user_displayname
        assert texts(menu)[:5] == [f"Only {user}", f"Without {user}", "Only", "Without", "Around"]
        assert texts(submenus(menu)["Only"])[:2] == [user, "SEARCH"]
        menu.close()
        menu = menu_at(view, "time")
        assert texts(menu)[0] == "±1 minute around this event"
        menu.close()
        menu = menu_at(view, "summary")
        assert texts(menu)[0] == "Only SEARCH"
        copied = submenus(menu)["Copy"].actions()[0]
        assert plain(copied.text()).startswith("“"), "the quotes of the summary, and no others"
        copied.trigger()
        assert QGuiApplication.clipboard().text() == summaries(view)[0]
        entry(menu, "Expand the row").trigger()
        menu.close()
        assert view.table.expanded.is_open(event)
        menu = menu_at(view, "id")
        assert "Collapse the row" in texts(menu)
        submenus(menu)["Copy"].actions()[0].trigger()
        assert QGuiApplication.clipboard().text() == str(event.id)
        menu.close()
