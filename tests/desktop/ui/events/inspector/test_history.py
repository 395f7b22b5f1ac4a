"""Tests of the history of an object in the inspector, with the reference server and with odd services."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTabWidget, QTreeWidgetItem

from cdb_desktop.client import Client, Event
from cdb_desktop.events.object_history import TimelineEntry, differences
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.inspector.history_tab import HistoryTab
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.widgets.empty_state import EmptyState
from tests.chaos import Chaos
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn, sign_in_at
from tests.desktop.ui.events.conftest import Browse, OpenBrowser, row_menu
from tests.desktop.ui.events.gate import Gate
from tests.desktop.ui.events.odd_service import OddService, record
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.menus import entry, texts
from tests.server import both_generations

Wanted = Callable[[Event], bool]
ObjectOf = tuple[str | None, int | None]
VERSIONS_CALL = "GET /db/*"


def tab(view: EventsView) -> HistoryTab:
    return view.inspector.history


def is_done(view: EventsView) -> bool:
    """Whether a timeline with entries is shown, and nothing is being read."""
    return tab(view).tree.isVisible() and not tab(view).is_running and bool(entries(view))


def entries(view: EventsView) -> Sequence[TimelineEntry]:
    return tab(view).tree.entries


def page(view: EventsView) -> EmptyState:
    return tab(view).page


def items(view: EventsView) -> list[QTreeWidgetItem]:
    """The visible entries."""
    tree = tab(view).tree
    found = [tree.topLevelItem(place) for place in range(tree.topLevelItemCount())]
    return [item for item in found if item is not None and not item.isHidden()]


def lines(item: QTreeWidgetItem) -> list[str]:
    """The changes of a version that are shown."""
    item.setExpanded(True)
    return [child.text(0) for place in range(item.childCount()) if (child := item.child(place))]


async def select(view: EventsView, wanted: Wanted) -> Event:
    """Selects the first row with such an event."""
    events = (view.model.event_at(row) for row in range(min(1000, view.model.rowCount())))
    row, event = next((row, one) for row, one in enumerate(events) if one is not None and wanted(one))
    view.table.go_to(row)
    await until(lambda: view.table.current_event == event)
    return event


def changed(event: Event) -> bool:
    """Whether it is an update of an object that existed before the log or early in it."""
    return event.type == "OBJECT_UPDATE" and (event.object_version or 0) > 2 and bool(event.objecttype)


def indexed(event: Event) -> bool:
    """Whether it is an index run for an object that has versions."""
    return event.type == "OBJECT_INDEX" and (event.object_version or 0) > 1 and bool(event.objecttype)


async def logged(client: Client, event: Event) -> list[int]:
    """The ids of all events of the same object, as a filter would find them."""
    found: list[int] = []
    while events := (await client.list_events(offset=len(found), limit=1000)).events:
        found += [one.id if _object(one) == _object(event) else 0 for one in events]
    return sorted(number for number in found if number)


def _object(event: Event) -> ObjectOf:
    return event.objecttype or event.basetype, event.object_id


@both_generations
async def test_all_events_and_versions(browse: Browse, sign_in: SignIn, actions: Actions) -> None:
    """The action shows all events of the object by id, and what each version has changed."""
    async with browse() as (view, _controller), sign_in() as client:
        assert not actions["object_history"].isEnabled()
        event = await select(view, changed)
        actions["object_history"].trigger()
        await until(lambda: is_done(view))
        shown = entries(view)
        assert [one.event.id for one in shown if one.event] == await logged(client, event)
        newest = await client.object_version(event.objecttype or "", event.object_id or 0)
        assert newest is not None
        assert newest.version is not None
        created = [one.version for one in shown if one.version is not None]
        assert created == list(range(1, newest.version + 1))
        assert tab(view).note == ""
        assert f"{newest.version} versions" in tab(view).status.text()
        versions = [
            await client.object_version(event.objecttype or "", event.object_id or 0, number)
            for number in range(1, newest.version + 1)
        ]
        by_version = {entry.version: item for entry, item in zip(shown, items(view), strict=True)}
        for before, after in pairwise(versions):
            assert before is not None
            assert after is not None
            expected = differences(before.values, after.values)
            found = lines(by_version[after.version])
            assert len(found) == len(expected) > 0
            for line, change in zip(found, expected, strict=True):
                assert line.startswith(f"{change.sign} {change.path_text}: ")
        first = [f"+ {key.removeprefix('_nested:')}" for key in versions[0].values] if versions[0] else []
        assert [line.partition(":")[0] for line in lines(by_version[1])] == first


async def test_it_opens_from_the_row_and_from_the_inspector(browse: Browse) -> None:
    """One click in the row's menu or on the tab."""
    async with browse() as (view, _controller):
        event = await select(view, changed)
        tabs = child_of(view, QTabWidget, "events.inspector.tabs")
        menu = row_menu(view)
        found = texts(menu)
        first = view.model.event_at(0)
        assert first is not None
        assert any(text.startswith("History of ") for text in found) is (first.object_id is not None)
        menu.close()
        place = tabs.tabBar().tabRect(tabs.indexOf(tab(view))).center()
        QTest.mouseClick(tabs.tabBar(), Qt.MouseButton.LeftButton, pos=place)
        await until(lambda: is_done(view))
        assert tabs.currentWidget() is tab(view)
        other = await select(view, lambda one: changed(one) and _object(one) != _object(event))
        assert page(view).step == "Show history"
        QTest.mouseClick(tabs.tabBar(), Qt.MouseButton.LeftButton, pos=place)
        await until(lambda: is_done(view))
        assert {_object(one.event) for one in entries(view) if one.event} == {_object(other)}


async def test_an_entry_of_the_menu(browse: Browse) -> None:
    """The entry of a row opens the history of its object and selects the row, although another one was."""
    async with browse() as (view, _controller):
        view.table.go_to(4)
        event = view.model.event_at(0)
        assert event is not None
        assert event.object_id is not None, "the newest event of the demo is a sign-in"
        menu = row_menu(view)
        action = entry(menu, "History of ")
        menu.close()
        action.trigger()
        await until(lambda: is_done(view) and view.inspector.details is not None)
        await until(lambda: view.table.current_event is not None and view.table.current_event.id == event.id)
        await asyncio.sleep(0.2)
        assert is_done(view)
        assert event.id in {one.event.id for one in entries(view) if one.event}


async def test_an_entry_leads_to_its_row(browse: Browse) -> None:
    """A click and Enter select the row of the event; the timeline stays, with its entry marked.

    Views and index events can be hidden; versions and events that write remain.
    """
    async with browse() as (view, controller):
        event = await select(view, indexed)
        controller.history.open_history(event)
        await until(lambda: is_done(view))
        tree, shown = tab(view).tree, entries(view)
        target = next(one.event for one in shown if one.event and one.event.id != event.id)
        item = next(one for one in items(view) if _event(one) == target)
        tree.scrollToItem(item)
        center = tree.visualItemRect(item).center()
        QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(90, center.y()))
        await until(lambda: view.table.current_event is not None and view.table.current_event.id == target.id)
        assert entries(view) == shown
        assert tree.currentItem() is item
        back = next(one for one in items(view) if _event(one) == event)
        tree.setCurrentItem(back)
        QTest.keyClick(tree, Qt.Key.Key_Return)
        await until(lambda: view.table.current_event is not None and view.table.current_event.id == event.id)
        everything = len(items(view))
        tab(view).only_changes.click()
        kept = items(view)
        assert 0 < len(kept) < everything
        assert not {"OBJECT_INDEX", "DETAIL_VIEW"} & {item.text(1) for item in kept}
        tab(view).only_changes.click()
        assert len(items(view)) == everything


def _event(item: QTreeWidgetItem) -> Event | None:
    found: Any = item.data(0, Qt.ItemDataRole.UserRole)
    event: Event | None = found.event
    return event


async def test_objects_of_the_system_have_no_versions(browse: Browse, actions: Actions) -> None:
    """The history of a user has the events only, and no call for versions is made.

    Where an event concerns no object, the action is not possible, and the tab says why.
    """
    async with browse() as (view, controller):
        event = await select(view, lambda one: one.basetype == "user")
        controller.history.open_history(event)
        await until(lambda: is_done(view))
        assert all(one.version is None for one in entries(view))
        assert event.id in {one.event.id for one in entries(view) if one.event}
        assert tab(view).note == ""
        await select(view, changed)
        assert actions["object_history"].isEnabled()
        await select(view, lambda one: one.object_id is None)
        assert not actions["object_history"].isEnabled()
        assert page(view).text == "This event concerns no object."
        assert page(view).step == ""


async def test_a_deleted_object(browse: Browse, sign_in: SignIn) -> None:
    """Its events remain, and the note says that there are no versions to read."""
    async with browse() as (view, controller), sign_in() as client:
        event = await client.insert_event(
            "DETAIL_VIEW", objecttype="work", object_id=990_017, object_version=3
        )
        controller.history.open_history(event)
        await until(lambda: is_done(view))
        assert [one.event.id for one in entries(view) if one.event] == await logged(client, event)
        assert "no such object here" in tab(view).note


async def test_a_failure_can_be_tried_again(browse: Browse, chaos: Chaos) -> None:
    """What was found stays, with the reason, such as a missing right; reading again completes it."""
    async with browse() as (view, controller):
        event = await select(view, changed)
        chaos.inject({"call": VERSIONS_CALL, "fault": "right-refused"})
        controller.history.open_history(event)
        await until(lambda: is_done(view) and tab(view).note)
        assert "You lack the right " in tab(view).note
        assert "Ask an administrator" in tab(view).note
        assert event.id in {one.event.id for one in entries(view) if one.event}
        chaos.end()
        chaos.inject({"call": VERSIONS_CALL, "fault": "invalid-json"})
        tab(view).again.click()
        await until(lambda: is_done(view) and "Not all versions could be compared." in tab(view).note)
        chaos.end()
        tab(view).again.click()
        await until(lambda: is_done(view) and "versions" in tab(view).status.text())
        assert tab(view).note == ""


async def test_lines_of_a_narrow_inspector(browse: Browse) -> None:
    """Entries have two lines and all of their texts for screen readers; a wide one has columns.

    The copy key copies the selected lines as text.
    """
    async with browse() as (view, controller):
        event = await select(view, changed)
        controller.history.open_history(event)
        await until(lambda: is_done(view))
        tree = tab(view).tree
        item = next(one for one in items(view) if _event(one) == event)
        tree.setFocus()
        tree.setCurrentItem(item)
        QTest.keyClick(tree, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert tree.selectedItems() == [item]
        copied = QGuiApplication.clipboard().text()
        assert copied.split("\t")[:2] == [f"v{event.object_version}", "OBJECT_UPDATE"]
        silent = [one for one in items(view) if not one.text(2) and not one.text(3)]
        tree.resize(240, 300)
        await until(lambda: tree.is_narrow)
        two, one_line = tree.visualItemRect(item).height(), {tree.visualItemRect(x).height() for x in silent}
        assert all(two > height for height in one_line)
        spoken = str(item.data(0, Qt.ItemDataRole.AccessibleTextRole))
        assert spoken.startswith(f"v{event.object_version} · OBJECT_UPDATE · ")
        assert spoken.endswith(event.user_displayname or "?")
        tree.resize(700, 300)
        await until(lambda: not tree.is_narrow)
        assert tree.visualItemRect(item).height() < two


Odd = Callable[[OddService, Gate], AbstractAsyncContextManager[tuple[EventsView, EventsController]]]


@pytest.fixture
def odd(open_browser: OpenBrowser) -> Odd:
    """Returns a context manager with a visible browser of a service that does not sort by object."""

    @asynccontextmanager
    async def showing(service: OddService, gate: Gate) -> AsyncIterator[tuple[EventsView, EventsController]]:
        signed_in = sign_in_at(service.url)(transport=gate)
        async with signed_in as client, open_browser(client) as (view, controller):
            controller.load()
            await until(lambda: view.has_rows)
            yield view, controller

    return showing


def object_log(rows: int) -> list[bytes]:
    """A log, newest first, in which every tenth event belongs to work 7."""
    kind = {"type": "OBJECT_UPDATE", "objecttype": "work"}
    return [
        record(
            number, **kind, object_id=7 if number % 10 == 0 else 100 + number, object_version=1 + number // 10
        )
        for number in range(rows, 0, -1)
    ]


async def test_a_service_without_sort_and_versions(odd: Odd) -> None:
    """All events are read by id, and the notes say what the service does not offer."""
    with OddService(object_log(2_500)).serve() as service:
        async with odd(service, Gate()) as (view, controller):
            event = await _open(view, controller)
            await until(lambda: is_done(view))
            assert [one.event.id for one in entries(view) if one.event] == list(range(10, 2_501, 10))
            assert "does not offer old versions" in tab(view).note
            assert tab(view).status.text() == "250 events"
            assert event.object_id == 7


async def test_a_scan_can_be_cancelled(odd: Odd) -> None:
    """The events found so far stay, and are not said to be all; nothing is requested any more."""
    gate = Gate()
    with OddService(object_log(4_500)).serve() as service:
        async with odd(service, gate) as (view, controller):
            gate.close("offset=1998")
            await _open(view, controller)
            await until(lambda: gate.waiting and "seen so far" in tab(view).status.text())
            assert "of 4500 searched" in tab(view).status.text()
            assert tab(view).cancel.isVisible()
            QTest.mouseClick(tab(view).cancel, Qt.MouseButton.LeftButton)
            await until(lambda: not tab(view).is_running and not gate.waiting)
            gate.open()
            found = len(entries(view))
            assert 0 < found < 450
            assert "may have more events" in tab(view).note
            # Counts for other panels go on; the next page of the scan is not requested.
            await asyncio.sleep(0.1)
            assert 2_997 not in {offset for _, offset in service.requests}
            assert len(entries(view)) == found


async def _open(view: EventsView, controller: EventsController) -> Event:
    event = next(
        found for row in range(20) if (found := view.model.event_at(row)) is not None and found.object_id == 7
    )
    controller.history.open_history(event)
    return event
