"""Tests of the search in all events, with the reference server."""

from __future__ import annotations

from collections import defaultdict
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from cdb_desktop.client import Client
from cdb_desktop.events.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.search.panel import SearchPanel
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.pattern import PatternKind
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.events.conftest import Browse


def search_for(view: EventsView, text: str, kind: PatternKind = PatternKind.TEXT) -> SearchPanel:
    """Types a text and presses Return."""
    panel = view.panels.search
    panel.text.clear()
    panel.kind.setCurrentIndex(panel.kind.findData(kind))
    QTest.keyClicks(panel.text, text)
    QTest.keyClick(panel.text, Qt.Key.Key_Return)
    return panel


def is_current(view: EventsView, number: int) -> bool:
    """Whether the current row has this event."""
    event = view.table.current_event
    return event is not None and event.id == number


async def test_all_matching_events_are_searched(browse: Browse, actions: Actions, sign_in: SignIn) -> None:
    """Including info, which rows lack; the number of hits is that of a separate client."""
    async with sign_in() as client, browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH", "USER_LOGIN", "API_CALL")))
        await until(lambda: "of" in view.count.text)
        actions["search_all"].trigger()
        panel = search_for(view, "GET", PatternKind.REGEX)
        await until(lambda: panel.go.text() == "Search")
        assert controller.query.types
        listing = view.model.result
        assert listing is not None
        wanted: set[int] = set()
        for offset in range(0, listing.rows, 1_000):
            page = await client.list_events(listing.resolved_query.filter, offset=offset, full=True)
            wanted |= {one.id for one in page.events if b'"GET"' in bytes(one.info or b"")}
        assert wanted
        assert {hit.event.id for hit in panel.model.hits if hit.path == "info.method"} == wanted
        assert panel.status.startswith(f"{len(panel.model.hits)} hits in ")


async def test_hits_select_their_events(browse: Browse, actions: Actions) -> None:
    """F3 selects the next hit, Shift+F3 the previous one; both wrap around."""
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        actions["search_all"].trigger()
        panel = search_for(view, "type=OBJECT_DELETE", PatternKind.KEY)
        await until(lambda: panel.go.text() == "Search" and panel.model.rowCount())
        ids = [hit.event.id for hit in panel.model.hits]
        assert ids == sorted(ids, reverse=True)
        for name, wanted in (("hit_next", ids[0]), ("hit_next", ids[1]), ("hit_previous", ids[0])):
            actions[name].trigger()
            await until(partial(is_current, view, wanted))
        actions["hit_previous"].trigger()
        await until(partial(is_current, view, ids[-1]))


async def test_invalid_input_is_reported_immediately(browse: Browse, actions: Actions) -> None:
    """No request is sent."""
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        actions["search_all"].trigger()
        assert search_for(view, "(a", PatternKind.REGEX).hint.text.startswith("Invalid regular expression: ")
        assert search_for(view, "object_id", PatternKind.KEY).hint.text.startswith(
            "Type a key, an equals sign"
        )
        assert search_for(view, "").hint.text == "Type the text to search for."
        refused = search_for(view, "(?<=a)b", PatternKind.REGEX).hint
        assert refused.text.startswith("Lookahead and lookbehind, such as (?=…) and (?<=…), are")
        assert "perl" not in refused.text
        label = refused.findChild(QLabel)
        assert isinstance(label, QLabel)
        await until(lambda: label.height() >= label.heightForWidth(label.width()))


async def test_escape_stops_a_search_and_then_closes_the_panel(browse: Browse, actions: Actions) -> None:
    """The hits remain."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        actions["search_all"].trigger()
        panel = search_for(view, "a")
        assert panel.isVisible()
        await until(lambda: panel.go.text() == "Stop")
        QTest.keyClick(panel.text, Qt.Key.Key_Escape)
        await until(lambda: panel.go.text() == "Search")
        assert "stopped" in panel.status
        assert panel.isVisible()
        QTest.keyClick(panel.text, Qt.Key.Key_Escape)
        assert not panel.isVisible()
        assert view.table.hasFocus()


@pytest.mark.parametrize("text", ["search", "Root"])
async def test_loaded_rows_are_searched_without_requests(browse: Browse, actions: Actions, text: str) -> None:
    """Only their fields are searched."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        actions["search_all"].trigger()
        panel = view.panels.search
        panel.scope.setCurrentIndex(1)
        search_for(view, text)
        await until(lambda: panel.go.text() == "Search" and panel.model.rowCount())
        assert panel.status.endswith("events")


async def by_object(client: Client) -> dict[tuple[str | None, int | None], dict[int, str]]:
    """Ids and types of the events of each object in the log."""
    found: dict[tuple[str | None, int | None], dict[int, str]] = defaultdict(dict)
    everything = await client.list_events(limit=1)
    for offset in range(0, everything.count or 0, 1_000):
        for one in (await client.list_events(offset=offset)).events:
            found[one.objecttype, one.object_id][one.id] = one.type
    return found


async def test_all_events_of_an_object_are_found(browse: Browse, actions: Actions, sign_in: SignIn) -> None:
    """In the whole log; a notice says that filters were removed, and they can be restored."""
    async with sign_in() as client, browse() as (view, controller):
        filtered = Query(types=("OBJECT_UPDATE",))
        controller.show_query(filtered)
        await until(lambda: "of" in view.count.text)
        found = await by_object(client)
        shown = (view.model.event_at(row) for row in range(100))
        # Which event is newest depends on the hour; some object has more than updates.
        several = (
            row
            for row, one in enumerate(shown)
            if one and one.objecttype and len(set(found[one.objecttype, one.object_id].values())) > 1
        )
        view.table.go_to(next(several))
        event = view.table.current_event
        assert event is not None
        actions["inspector"].setChecked(True)
        await until(view.inspector.links.object.isVisible)
        view.inspector.links.object.click()
        panel = view.panels.search
        await until(lambda: panel.go.text() == "Search" and panel.model.rowCount())
        types = {hit.event.id: hit.event.type for hit in panel.model.hits}
        assert types == found[event.objecttype, event.object_id]
        assert all(hit.event.info is None for hit in panel.model.hits)  # short records, which are faster
        assert "The filters were removed" in panel.hint.text
        assert "Alt+Left" in panel.hint.text
        await until(lambda: not controller.query.parts and is_current(view, event.id))
        actions["query_back"].trigger()
        await until(lambda: controller.query == filtered)
        assert "taken away" not in panel.hint.text


async def test_no_hits_have_advice(browse: Browse, actions: Actions) -> None:
    """The rule is shown below the line edit; the suggested text has hits."""
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        actions["search_all"].trigger()
        panel = search_for(view, "type=EXPORT", PatternKind.KEY)
        assert "Values are compared as a whole; * matches any text" in panel.hint.text
        await until(lambda: panel.go.text() == "Search")
        assert panel.status.startswith("0 hits in ")
        assert panel.hint.text.endswith("Write type=*EXPORT* for a part of it.")
        search_for(view, "type=*EXPORT*", PatternKind.KEY)
        await until(lambda: panel.go.text() == "Search" and panel.model.rowCount())
        assert all("EXPORT" in hit.event.type for hit in panel.model.hits)


async def test_no_hits_offer_a_larger_scope(browse: Browse, actions: Actions) -> None:
    """From the loaded rows to the result, and from there to the log without filters."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: view.has_rows and "of" in view.count.text)
        actions["search_all"].trigger()
        panel = view.panels.search
        assert "press Return" in panel.place.state.text
        panel.scope.setCurrentIndex(1)
        search_for(view, "nowhere at all")
        for step in ("Search the whole result", "Search the whole log", ""):
            await until(lambda: panel.go.text() == "Search" and panel.place.state.step == step)  # noqa: B023
            assert panel.place.currentWidget() is panel.place.state
            assert "Looked for the text “nowhere at all”." in panel.place.state.text
            if step:
                panel.place.state.step_requested.emit()
        assert not controller.query.parts
        search_for(view, "SEARCH")
        await until(panel.model.rowCount)
        assert panel.place.currentWidget() is panel.table
