"""Tests of sharing: what is on the clipboard afterwards, and what the line does with a pasted link."""

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolButton

from cdb_desktop.client import Event, Sort
from cdb_desktop.queries.links import LinkOrigin, parse_link
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.events.browser import copy as sharing
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.pattern import Condition
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, enter, row_menu
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.menus import all_entries

QUERY = Query(types=("SEARCH",), sort=(Sort("timestamp"),))


def clipboard() -> QMimeData:
    """What is on the clipboard."""
    return QApplication.clipboard().mimeData()


def select(view: EventsView, first: int, last: int) -> list[Event]:
    """Selects rows with the keyboard, and returns their events."""
    view.table.go_to(first)
    for _ in range(last - first):
        QTest.keyClick(view.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    found = [view.model.event_at(row) for row in range(first, last + 1)]
    return [event for event in found if event is not None]


def entries(menu: QMenu) -> list[str]:
    """The texts of a menu."""
    return [plain(action.text()) for action in menu.actions() if not action.isSeparator()]


async def test_a_query_is_shared_in_two_steps(browse: Browse, actions: Actions) -> None:
    """The button, the first entry; a short message says that it is done."""
    async with browse() as (view, controller):
        controller.show_query(QUERY)
        await until(lambda: "of" in view.count.text)
        QTest.mouseClick(view.share_button, Qt.MouseButton.LeftButton)
        menu = child_of(view, QMenu, "events.share.menu")
        assert entries(menu) == ["Copy link", "Save as view file…"]
        menu.actions()[0].trigger()
        menu.close()
        text = clipboard().text()
        assert text == "cdb://events?profile=Museum&type=SEARCH&sort=timestamp&v=1"
        assert clipboard().html().count(text.replace("&", "&amp;")) == 2
        assert view.count.text.startswith("Link copied.")
        assert actions["share_link"].toolTip() == "Copy link (Ctrl+Shift+I)"


async def test_relative_dates_are_fixed_when_copied(browse: Browse, actions: Actions) -> None:
    """The message says so, since the filter itself goes on with the time."""
    async with browse() as (view, controller):
        controller.show_query(Query(span=TimeSpan(preset=TimePreset.WEEK)))
        await until(lambda: "of" in view.count.text)
        actions["share_link"].trigger()
        span = parse_link(clipboard().text()).query.span
        assert span.first is not None
        assert span.last is not None
        assert (span.last - span.first).days == 7
        assert view.count.text.startswith("Link copied with fixed dates.")
        assert view.query.span.preset is TimePreset.WEEK


async def test_filters_that_do_not_fit_are_explained(browse: Browse, actions: Actions) -> None:
    """The clipboard stays as it is; a file takes any query."""
    async with browse() as (view, controller):
        QApplication.clipboard().setText("before")
        controller.show_query(Query(conditions=(Condition("x" * 2000),)))
        actions["share_link"].trigger()
        assert view.notice.title == "These filters cannot be copied as a link"
        assert view.notice.text == "It is too long for a link. Save them as a view file instead."
        assert clipboard().text() == "before"


async def test_selected_events_are_copied_for_a_ticket(browse: Browse, actions: Actions) -> None:
    """In three formats, with what their rows lack, and with links to each."""
    async with browse() as (view, controller):
        # Newer ones are of other tests, and may be about nothing.
        controller.show_query(Query(types=("SEARCH",), span=TimeSpan(last_ago=3600)))
        await until(lambda: "of" in view.count.text)
        events = select(view, 1, 3)
        assert len(events) == 3
        view.share_button.click()
        menu = child_of(view, QMenu, "events.share.menu")
        assert entries(menu)[2:] == ["Copy link to event", "Copy for ticket"]
        menu.actions()[-1].trigger()
        menu.close()
        await until(lambda: view.count.text.startswith("Copied for a ticket: 3 events"))
        text = clipboard().text()
        for event in events:
            assert f"SEARCH {event.id}\n" in text
            assert f"cdb://events/{event.id}?profile=Museum&v=1" in text
        # Only whole records contain what was searched for.
        assert text.count("\nSummary: “") == 3
        markdown = bytes(clipboard().data("text/markdown").data()).decode()
        assert markdown.count("- Summary: `") == 3
        assert clipboard().html().count("<table>") == 3


async def test_a_large_selection_is_copied_in_part(
    browse: Browse, actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others are counted, with a link to the query."""
    monkeypatch.setattr(sharing, "MOST_EVENTS", 5)
    async with browse() as (view, _controller):
        view.table.selectAll()
        count = view.model.rowCount()
        actions["share_ticket"].trigger()
        await until(lambda: view.count.text.startswith("Copied for a ticket: 5 events"))
        assert clipboard().text().count("Link:") == 5
        assert f"{count - 5} more events are not listed here." in clipboard().text()
        assert clipboard().text().rstrip().endswith("cdb://events?profile=Museum&v=1")


async def test_row_and_inspector_share_their_event(browse: Browse, actions: Actions) -> None:
    """In the menu of the row, in that of a field, and behind a button."""
    async with browse() as (view, _controller):
        assert not actions["share_event"].isEnabled()
        assert actions["share_event"].toolTip().endswith("Select an event first.")
        button = next(
            one for one in view.inspector.findChildren(QToolButton) if one.toolTip() == "Share this event"
        )
        assert not button.isEnabled()
        (event,) = select(view, 2, 2)
        menu = row_menu(view)
        assert {"Copy link to event", "Copy for ticket"} <= {plain(one.text()) for one in all_entries(menu)}
        menu.close()
        assert button.isEnabled()
        button.click()
        menu = child_of(view, QMenu, "events.inspector.share")
        assert entries(menu) == ["Copy link to event", "Copy for ticket"]
        menu.actions()[0].trigger()
        menu.close()
        assert clipboard().text() == f"cdb://events/{event.id}?profile=Museum&v=1"
        assert view.count.text.startswith(f"Link to event {event.id} copied.")


async def test_a_pasted_link_is_passed_on_at_once(browse: Browse) -> None:
    """A typed one with Return; the line is empty again. A bad one stays in it, with the reason below."""
    async with browse() as (view, controller):
        asked: list[str] = []
        controller.link_requested.connect(asked.append)
        bad = "cdb://events?profile=Museum&text=%zz&v=1"
        enter(view, bad)
        assert view.query_line.text() == bad
        hint = view.query_line._hint
        assert hint.isVisible()
        assert hint.text() == (
            "This link cannot be opened. The text at position 34 is not encoded correctly."
        )
        assert view.query_line.selectedText() == "%zz&v=1"
        assert (asked, view.query) == ([], Query())
        view.query_line.clear()
        QApplication.clipboard().setText(" <cdb://events/7?profile=Museum&v=1>\n")
        view.query_line.setFocus()
        QTest.keyClick(view.query_line, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        assert len(asked) == 1
        assert parse_link(asked[0]).event == 7
        assert view.query_line.text() == ""
        enter(view, "cdb://events?profile=Museum&v=1")
        assert asked[1:] == ["cdb://events?profile=Museum&v=1"]
        assert view.query == Query()


async def test_links_show_queries_and_events(browse: Browse) -> None:
    """A query replaces the present one, which Back restores; an event is selected."""
    async with browse() as (view, controller):
        controller.open_link(parse_link("cdb://events?profile=Museum&type=SEARCH&sort=timestamp&v=1"))
        assert controller.query == QUERY
        await until(lambda: "of" in view.count.text)
        event = view.model.event_at(5)
        assert event is not None
        controller.open_link(parse_link(f"cdb://events/{event.id}?profile=Museum&v=1"))
        await until(lambda: view.named_event is not None and view.named_event.id == event.id)
        controller._go_back()
        assert controller.query == Query()


def test_the_origin_is_named_on_one_line() -> None:
    """Names of profiles may contain anything."""
    assert LinkOrigin("A\u202e\nB" + "x" * 200).name == f"A B{'x' * 96}…"
