"""Tests of overview and facets, with the reference server."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeWidgetItem

from cdb_desktop.client import Client, EventPage, Sort
from cdb_desktop.events.counts import CONCURRENT_CALLS
from cdb_desktop.events.overview import Overview
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.queries.query import Query, QueryPart
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.filters.controller import ChoicesPopup
from cdb_desktop.ui.events.overview import controller as controller_module
from cdb_desktop.ui.events.overview.facet_panel import _More
from cdb_desktop.ui.events.overview.histogram import Histogram
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import RunningTask
from cdb_desktop.ui.widgets.labels import BESIDE
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan
from tests.chaos import Chaos
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.events.conftest import Browse

LEFT, NO_KEY = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


async def counted(view: EventsView) -> Histogram:
    """Shows the overview of all rows and waits until it is complete."""
    histogram = view.panels.histogram
    await until(lambda: view.model.result is not None and view.model.result.total)
    await until(
        lambda: histogram.overview.is_counted and sum(histogram.overview.totals) == view.model.rowCount()
    )
    return histogram


async def test_the_overview_counts_the_whole_result(browse: Browse) -> None:
    """Not only the loaded rows; it follows the query."""
    async with browse() as (view, controller):
        await counted(view)
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: view.model.rowCount() < 2000)
        histogram = await counted(view)
        first = histogram.overview.buckets[0]
        assert first.first < histogram.overview.buckets[-1].last


@pytest.mark.generation5("types are named otherwise there")
async def test_the_axis_of_a_relative_period_ends_now(browse: Browse) -> None:
    """Not with the last event, so that the bars stand where they belong; other axes end with it.

    A period that has passed ends as it was asked for, and is compared with all of the one before it.
    """
    async with browse() as (view, controller):
        began = datetime.now(UTC).replace(microsecond=0)
        histogram = view.panels.histogram

        def last() -> datetime | None:
            overview = histogram.overview
            is_done = overview.is_counted and sum(overview.totals) == view.model.rowCount()
            return overview.buckets[-1].last if is_done else None

        controller.show_query(Query(types=("LOGIN_FAILED",), span=TimeSpan(TimePreset.WEEK)))
        await until(lambda: (end := last()) is not None and end >= began)
        controller.show_query(Query(types=("EXPORT_FAILED",)))
        await until(lambda: (event := view.model.event_at(0)) and event.type == "EXPORT_FAILED")
        newest = view.model.event_at(0)
        assert newest is not None
        await until(lambda: last() == newest.timestamp)
        asked = TimeSpan(first=began - timedelta(days=9), last=began - timedelta(days=2, seconds=1))
        controller.show_query(Query(types=("LOGIN_FAILED",), span=asked))
        await until(lambda: last() == asked.last)


# Not 30 days: the demo log begins then, so that this period would lose events every second.
@pytest.mark.parametrize(
    "span", [TimeSpan(TimePreset.WEEK), TimeSpan(last=datetime.now(UTC))], ids=["relative", "closed"]
)
async def test_another_order_counts_nothing_again(
    browse: Browse, monkeypatch: pytest.MonkeyPatch, span: TimeSpan
) -> None:
    """The order does not change the counts, nor does a moved relative period; another filter does."""
    async with browse() as (view, controller):
        controller.show_query(Query(span=span))
        await until(lambda: "of" in view.count.text)
        histogram = await counted(view)
        await until(lambda: not controller._tasks.running)
        shown: list[object] = []
        monkeypatch.setattr(type(histogram), "show_overview", lambda _self, *args: shown.append(args))
        await asyncio.sleep(1)
        controller.show_query(Query(span=span, sort=(Sort("type"),)))
        await until(lambda: (event := view.model.event_at(0)) and event.type.startswith("A"))
        await asyncio.sleep(1)
        assert shown == []
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: shown)


async def test_a_selection_sets_the_dates(browse: Browse) -> None:
    """Dragging filters the rows by the selected bars; Alt+Left restores the previous filter."""
    async with browse() as (view, controller):
        histogram = await counted(view)
        overview = histogram.overview
        place = len(overview.buckets) // 2
        start, end = (histogram._cell(place + n).center() for n in (0, 2))
        QTest.mousePress(histogram, LEFT, NO_KEY, start)
        QTest.mouseMove(histogram, end)
        assert histogram.selection == (place, place + 2)
        QTest.mouseRelease(histogram, LEFT, NO_KEY, end)
        span = controller.query.span
        assert (span.first, span.last) == (overview.buckets[place].first, overview.buckets[place + 2].last)
        wanted = sum(overview.totals[place : place + 3])
        await until(lambda: view.model.result is not None and view.model.result.total == wanted)


async def test_bars_are_selected_with_keys(browse: Browse) -> None:
    """Arrows move, Shift extends, Escape cancels, Return applies; the selection is shown as text."""
    async with browse() as (view, controller):
        histogram = await counted(view)
        overview, last = histogram.overview, len(histogram.overview.buckets) - 1
        histogram.setFocus()
        QTest.keyClick(histogram, Qt.Key.Key_End)
        QTest.keyClick(histogram, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
        assert histogram.selection == (last - 1, last)
        number = sum(overview.totals[-2:])
        assert f"{number} events" in histogram.accessibleDescription()
        QTest.keyClick(histogram, Qt.Key.Key_Escape)
        assert not histogram.accessibleDescription()
        QTest.keyClick(histogram, Qt.Key.Key_Home)
        QTest.keyClick(histogram, Qt.Key.Key_Return)
        assert controller.query.span.last == overview.buckets[0].last


async def test_a_hidden_overview_sends_no_requests(
    browse: Browse, actions: Actions, settings: QSettings
) -> None:
    """It counts as soon as it is shown."""
    settings.setValue("events/overview", False)
    async with browse() as (view, _controller):
        assert view.panels.histogram.overview.totals == ()
        actions["overview"].setChecked(True)
        await counted(view)


def numbers_beside(view: EventsView) -> dict[str, int]:
    """The counts beside the types in the types popup."""
    popup = view.filter_controller.edit(QueryPart.TYPE, view.filter_bar)
    assert isinstance(popup, ChoicesPopup)
    listed = popup.list.list
    items = [listed.item(row) for row in range(listed.count())]
    QTest.keyClick(popup, Qt.Key.Key_Escape)
    found = {item.text(): str(item.data(BESIDE)).replace(",", "") for item in items if item.data(BESIDE)}
    return {name: int(number) for name, number in found.items() if int(number)}


async def test_values_have_the_counts_of_the_service(
    browse: Browse, actions: Actions, sign_in: SignIn
) -> None:
    """Also object types, by which it does not filter, since all events have been read."""
    async with sign_in() as client, browse() as (view, controller):
        actions["facets"].setChecked(True)
        await until(lambda: view.panels.facets.tree.topLevelItemCount() == 4)
        await until(lambda: not controller._tasks.running)
        view.panels.facets._follow(_More("type"))
        result = view.model.result
        assert result is not None
        events = [
            event
            for offset in range(0, result.rows, 1_000)
            for event in (await client.list_events(result.resolved_query.filter, offset=offset)).events
        ]
        wanted = Counter(event.type for event in events)
        values = (item for item in children(view, 0) if item.text(1))
        shown = {item.text(0): int(item.text(1).replace(",", "")) for item in values}
        assert shown == dict(wanted)
        last = view.panels.facets.tree.topLevelItem(3)
        assert last is not None
        assert last.text(0) == "Object type"
        assert numbers_beside(view) == wanted
        actions["facets"].setChecked(False)
        view.query_requested.emit(Query(types=("SEARCH",)))
        await until(lambda: view.model.rowCount() == wanted["SEARCH"])
        assert numbers_beside(view) == wanted  # among all types: what checking another one would find
        view.query_requested.emit(Query(types=("SEARCH",), pollable=False))
        assert numbers_beside(view) == {}


async def test_rows_have_priority_over_counts(
    browse: Browse, monkeypatch: pytest.MonkeyPatch, actions: Actions
) -> None:
    """A new query cancels the counts of the previous one; hidden parts are not counted."""
    monkeypatch.setattr(controller_module, "_MOST_PAGES", 0)
    async with browse() as (view, controller):
        tasks = controller._tasks
        await counted(view)
        limits: list[int] = []
        list_events = Client.list_events

        async def listed(client: Client, *given: Any, **more: Any) -> EventPage:
            limits.append(more["limit"])
            # A service whose rows are slow.
            await asyncio.sleep(1.0 if more["limit"] == PAGE_SIZE else 0.01)
            return await list_events(client, *given, **more)

        monkeypatch.setattr(Client, "list_events", listed)
        actions["facets"].setChecked(True)
        await until(lambda: limits.count(1) > 2)
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: PAGE_SIZE in limits)
        at = limits.index(PAGE_SIZE)
        await until(lambda: view.model.result is not None and view.model.result.resolved_query.filter.type)
        assert len(limits[at + 1 :]) <= CONCURRENT_CALLS
        await until(lambda: tasks.is_running("events.facets"))
        actions["facets"].setChecked(False)
        assert not tasks.is_running("events.facets")


@pytest.mark.parametrize("part", ["overview", "facets", "read"])
async def test_counting_shows_progress_and_can_be_cancelled(
    browse: Browse, chaos: Chaos, actions: Actions, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """Cancelling shows no partial counts; F5 counts again."""
    name = f"events.{part}"
    if part == "read":
        slow = {"offset": "1000"}
    else:
        slow = {"limit": "1"}
        monkeypatch.setattr(controller_module, "_MOST_PAGES", 0)
    chaos.inject({"fault": "slow-database", "query": slow, "parameters": {"seconds": 0.2}})
    async with browse() as (view, controller):
        for each in ("overview", "facets"):
            actions[each].setChecked(part in (each, "read"))
        tasks, around = controller._tasks, view.panels
        announced: list[RunningTask] = []
        tasks.running_changed.connect(
            lambda running: announced.extend(one for one in running if one.name == name)
        )
        await until(lambda: any((one.done or 0) > 0.1 for one in announced))
        parts = [one.done for one in announced if one.done is not None]
        assert parts == sorted(parts)
        assert {one.title for one in announced} == {
            {
                "overview": "Counting events over time",
                "facets": "Counting values",
                "read": "Reading events for the overview",
            }[part]
        }
        tasks.give_up(name)
        why = "Counting was cancelled. Press F5 to count again."
        if part != "facets":
            assert (around.histogram.overview, around.histogram._note) == (Overview(), why)
        if part != "overview":
            assert around.facets._note.text() == why
            assert all(item.text(1) == "" for item in around.facets._items())
        chaos.end()
        controller.load()
        if part != "facets":
            await counted(view)
        if part != "overview":
            await until(lambda: not around.facets._note.isVisible())
            assert around.facets.tree.topLevelItemCount() == 4


async def test_bars_are_pale_until_those_of_the_rows_are_counted(browse: Browse) -> None:
    """As soon as other rows are shown."""
    async with browse() as (view, controller):
        histogram = await counted(view)
        pale: list[bool] = []
        controller._rows.shown.connect(lambda _result: pale.append(histogram._faded))
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: pale and not histogram._faded)
        assert pale[0]


async def test_counts_of_the_previous_query_are_hidden(
    browse: Browse, chaos: Chaos, actions: Actions
) -> None:
    """While a query is slow; cancelling it restores the counts without a request."""
    async with browse() as (view, controller):
        actions["facets"].setChecked(True)
        histogram = await counted(view)
        await until(lambda: view.panels.facets.tree.topLevelItemCount() == 4)
        await until(lambda: not controller._tasks.running)
        numbers = [item.text(1) for item in children(view, 0)]
        chaos.inject({"fault": "slow-database", "parameters": {"seconds": 60}})
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: histogram._faded)
        assert {item.text(1) for item in children(view, 0)} == {""}
        controller._tasks.give_up("events.load")
        await until(lambda: not histogram._faded)
        assert [item.text(1) for item in children(view, 0)] == numbers


def children(view: EventsView, section: int) -> list[QTreeWidgetItem]:
    """The values of a section."""
    top = view.panels.facets.tree.topLevelItem(section)
    assert top is not None
    found = (top.child(place) for place in range(top.childCount()))
    return [item for item in found if item is not None]
