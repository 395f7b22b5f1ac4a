"""Tests of the notice of events that are newer than the rows, with the reference server."""

import asyncio

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from cdb_desktop.client import Client
from cdb_desktop.events.counts import NewerCount
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.event_summary import SUMMARY
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.events.conftest import Browse


async def test_newer_events_are_announced_without_moving_rows(browse: Browse, sign_in: SignIn) -> None:
    """A button in the row of the titles shows their number; a click loads them and hides it."""
    async with sign_in() as other, browse() as (view, controller):
        view.table.go_to(500)
        top = view.table.visible_rows()[0]
        newest = await _insert(other, 3)
        await until(view.inspector.isVisible)
        await asyncio.sleep(0.1)
        place = view.table.geometry(), view.table.viewport().geometry()
        controller.add_newer(newest)
        await until(view.newer.isVisible)
        assert view.newer.accessibleName() == "3 newer events · F5"
        assert view.table.visible_rows()[0] == top
        assert (view.table.geometry(), view.table.viewport().geometry()) == place
        assert view.table.horizontalHeader().geometry().contains(view.newer.geometry())
        first = _first(view)
        QTest.mouseClick(view.newer, Qt.MouseButton.LeftButton)
        await until(lambda: _first(view) == newest)
        assert newest > first
        assert not view.newer.isVisible()
        assert view.table.visible_rows()[0] == 0


async def test_the_button_covers_no_title(browse: Browse, sign_in: SignIn) -> None:
    """It is shorter where there is little space."""
    async with sign_in() as other, browse() as (view, controller):
        controller.add_newer(await _insert(other, 2))
        await until(view.newer.isVisible)
        header, texts = view.table.horizontalHeader(), set[str]()
        summary = next(place for place, one in enumerate(view.model.columns) if one.name == SUMMARY)
        for width in range(1100, 690, -20):
            view.window().resize(width, 600)
            await asyncio.sleep(0.01)
            texts.add(view.newer.text())
            assert view.newer.accessibleName() == "2 newer events · F5"
            title = header.fontMetrics().horizontalAdvance("Summary")
            assert header.sectionViewportPosition(summary) + title < view.newer.x()
        assert texts == {"2 newer events · F5", "+2"}


async def test_only_matching_events_are_counted(browse: Browse, sign_in: SignIn) -> None:
    """An event of a type that is filtered out is not counted."""
    async with sign_in() as other, browse() as (view, controller):
        controller.show_query(Query(types=("DETAIL_VIEW",)))
        await until(lambda: "of" in view.count.text)
        controller.add_newer(await _insert(other, 2))
        newest = (
            await other.insert_event("DETAIL_VIEW", object_id=1, object_version=1, objecttype="work")
        ).id
        controller.add_newer(newest)
        await until(view.newer.isVisible)
        assert view.newer.text() == "1 newer event · F5"


async def test_hidden_rows_send_no_requests(browse: Browse, sign_in: SignIn) -> None:
    """They are checked as soon as they are visible again."""
    async with sign_in() as other, browse() as (view, controller):
        view.hide()
        controller.add_newer(await _insert(other, 1))
        await asyncio.sleep(0.05)
        assert not view.newer.isVisibleTo(view)
        view.show()
        await until(view.newer.isVisible)


def test_many_newer_events_are_not_counted(view: EventsView) -> None:
    """Above a limit the exact number is not requested."""
    view.newer.show_newer(NewerCount(99, is_exact=False))
    assert view.newer.accessibleName() == "More than 99 newer events · F5"
    assert not view.newer.counts


async def _insert(client: Client, number: int) -> int:
    """Inserts events and returns the id of the last one."""
    written = [await client.insert_event("SEARCH", info={"query": "x"}) for _ in range(number)]
    return written[-1].id


def _first(view: EventsView) -> int:
    event = view.model.event_at(0)
    return 0 if event is None else event.id
