"""Tests of the counts of values in a log with more users than the first rows contain."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeWidgetItem

from cdb_desktop.client import Client, EventPage
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.queries.query import Query, QueryPart
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.overview import controller as controller_module
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.pattern import Condition
from tests.chaos import Chaos
from tests.desktop.patience import until
from tests.desktop.ui.events import crowd
from tests.desktop.ui.events.conftest import Browse

BY = "SELECT COUNT(*) FROM _event WHERE user_displayname = ?"
OTHERS, LINK = "Others, or without a user", "Search for other values"


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database file of the log."""
    return tmp_path_factory.mktemp("crowd") / "crowd.sqlite"


@pytest.fixture(scope="module")
def reference_server(museum: Path) -> Iterator[str]:
    """A server with many users."""
    yield from crowd.served(museum)


@pytest.fixture(autouse=True)
def _long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is treated as one that is too long to be read."""
    monkeypatch.setattr(controller_module, "_MOST_PAGES", 0)


def section(view: EventsView, part: QueryPart) -> QTreeWidgetItem | None:
    """The title of a section, or an empty string if it is hidden."""
    return view.panels.facets.tree._sections.get(part.value)


def lines_of(view: EventsView, part: QueryPart) -> dict[str, str]:
    """The lines below the title of a section."""
    top = section(view, part)
    items = [] if top is None else [top.child(place) for place in range(top.childCount())]
    return {item.text(0): item.text(1) for item in items if item is not None}


def number(text: str) -> int:
    """The number in a line, 0 if it is an estimate."""
    return 0 if text.startswith("≈") else int(text.replace(",", ""))


def click(view: EventsView, part: QueryPart, text: str) -> None:
    """Clicks a line of a section."""
    tree = view.panels.facets.tree
    place = tree.visualItemRect(show(view, part, text)).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)


def show(view: EventsView, part: QueryPart, text: str) -> QTreeWidgetItem:
    """Scrolls to a line of a section and returns it."""
    top = section(view, part)
    assert top is not None
    (item,) = (one for place in range(top.childCount()) if (one := top.child(place)) and one.text(0) == text)
    view.panels.facets.tree.scrollToItem(item)
    return item


def scalar(museum: Path, question: str, *values: object) -> int:
    """Executes a query on the server's database file and returns the number."""
    with closing(sqlite3.connect(museum)) as opened:
        return int(opened.execute(question, values).fetchone()[0])


def count_without_user(museum: Path) -> int:
    """The number of events without a user, such as starts of the server."""
    return scalar(museum, "SELECT COUNT(*) FROM _event WHERE user_id IS NULL")


def count_of_users(museum: Path) -> int:
    """The number of users with events, including those of these tests."""
    return scalar(museum, "SELECT COUNT(DISTINCT user_id) FROM _event")


@pytest.mark.generation5("short records do not name users")
async def test_formerly_active_users_are_found(browse: Browse, actions: Actions, museum: Path) -> None:
    """Without events in the loaded rows; estimates are replaced by counts where the user looks."""
    async with browse() as (view, controller):
        actions["facets"].setChecked(True)
        await until(lambda: OTHERS in lines_of(view, QueryPart.USER) and not controller._tasks.running)
        lines, top = lines_of(view, QueryPart.USER), section(view, QueryPart.USER)
        name = crowd.BUSY.displayname
        assert next(iter(lines)) == name
        assert number(lines[name]) == scalar(museum, BY, name) > 2_000
        assert lines[OTHERS].startswith("≈")
        assert top is not None
        # One user is not in the sample.
        assert top.text(0) == f"User, {count_of_users(museum) - 1} found so far"
        assert f"All {count_of_users(museum) - 1}…" in lines
        click(view, QueryPart.USER, f"All {count_of_users(museum) - 1}…")
        assert any(text.startswith("≈") for user, text in lines_of(view, QueryPart.USER).items())
        name = list(lines_of(view, QueryPart.USER))[40]
        show(view, QueryPart.USER, name)
        view.panels.facets.scrolled.emit()
        await until(lambda: number(lines_of(view, QueryPart.USER)[name]) == scalar(museum, BY, name))


@pytest.mark.generation5("short records do not name users")
async def test_reading_finds_all_users_and_the_rest_has_none(
    browse: Browse, actions: Actions, museum: Path
) -> None:
    """Those that are known are counted before."""
    async with browse() as (view, controller):
        actions["facets"].setChecked(True)
        await until(lambda: LINK in lines_of(view, QueryPart.USER) and not controller._tasks.running)
        click(view, QueryPart.USER, f"All {count_of_users(museum) - 1}…")
        assert crowd.RARE.displayname not in lines_of(view, QueryPart.USER)
        click(view, QueryPart.USER, LINK)
        await until(lambda: crowd.RARE.displayname in lines_of(view, QueryPart.USER))
        await until(lambda: not controller._tasks.running)
        assert lines_of(view, QueryPart.USER)[crowd.RARE.displayname] == "1"
        assert lines_of(view, QueryPart.USER)["Without a user"] == str(count_without_user(museum))
        assert LINK not in lines_of(view, QueryPart.USER)
        assert not any(text.startswith("≈") for text in lines_of(view, QueryPart.USER).values())
        # The same events were read for types.
        assert lines_of(view, QueryPart.TYPE)[crowd.RARE_TYPE] == "1"
        top = section(view, QueryPart.USER)
        assert top is not None
        assert top.text(0) == "User"


@pytest.mark.generation5("short records do not name users")
async def test_reading_stops_when_all_types_are_found(
    browse: Browse, monkeypatch: pytest.MonkeyPatch, actions: Actions
) -> None:
    """The missing type is in the sixth page; later pages are not read."""
    async with browse() as (view, controller):
        actions["facets"].setChecked(True)
        await until(lambda: LINK in lines_of(view, QueryPart.TYPE) and not controller._tasks.running)
        list_events, pages = Client.list_events, list[int]()

        async def listed(client: Client, *given: Any, **more: Any) -> EventPage:
            if more["limit"] == PAGE_SIZE:
                pages.append(more["offset"])
            return await list_events(client, *given, **more)

        monkeypatch.setattr(Client, "list_events", listed)
        click(view, QueryPart.TYPE, LINK)
        await until(lambda: crowd.RARE_TYPE in lines_of(view, QueryPart.TYPE))
        await until(lambda: not controller._tasks.running)
        assert LINK not in lines_of(view, QueryPart.TYPE)
        assert 5 <= len(pages) <= 8


@pytest.mark.generation5("short records do not name users")
async def test_reading_shows_progress_and_can_be_stopped(
    browse: Browse, chaos: Chaos, actions: Actions
) -> None:
    """In the same line and in the status bar; known values remain."""
    async with browse() as (view, controller):
        actions["facets"].setChecked(True)
        await until(lambda: LINK in lines_of(view, QueryPart.USER) and not controller._tasks.running)
        before = lines_of(view, QueryPart.USER)
        chaos.inject({"fault": "slow-database", "call": "GET /event/list", "parameters": {"seconds": 0.3}})
        click(view, QueryPart.USER, LINK)
        await until(lambda: any("1999 of 12" in one.title for one in controller._tasks.running))
        click(view, QueryPart.USER, "Stop searching")
        assert not controller._tasks.is_running("events.facets.others")
        assert LINK in lines_of(view, QueryPart.USER)
        assert len(lines_of(view, QueryPart.USER)) == len(before)


@pytest.mark.generation5("short records do not name users")
async def test_a_sample_is_taken_once_and_only_if_visible(
    browse: Browse, monkeypatch: pytest.MonkeyPatch, actions: Actions
) -> None:
    """In pages of short records; hidden values send no request."""
    list_events, offsets = Client.list_events, list[int]()

    async def listed(client: Client, *given: Any, **more: Any) -> EventPage:
        if more["limit"] == PAGE_SIZE:
            offsets.append(more["offset"])
        return await list_events(client, *given, **more)

    async with browse() as (view, controller):
        monkeypatch.setattr(Client, "list_events", listed)
        await asyncio.sleep(1)
        assert not offsets
        actions["facets"].setChecked(True)
        await until(lambda: LINK in lines_of(view, QueryPart.USER) and not controller._tasks.running)
        taken = len(offsets)
        assert taken == 4
        actions["facets"].setChecked(False)
        controller.load()
        actions["facets"].setChecked(True)
        await asyncio.sleep(1)
        await until(lambda: not controller._tasks.running)
        assert len([one for one in offsets if one]) == taken


async def test_values_that_a_search_has_not_tested_are_offered(browse: Browse, actions: Actions) -> None:
    """The service lists only the selected type, and free text is tested in what it lists."""
    async with browse() as (view, controller):
        actions["facets"].setChecked(True)
        await until(lambda: view.has_rows)
        controller.show_query(Query(types=("USER_LOGIN",), conditions=(Condition("USER_LOGIN"),)))
        await until(lambda: "USER_LOGIN" in lines_of(view, QueryPart.TYPE) and not controller._tasks.running)
        lines = lines_of(view, QueryPart.TYPE)
        assert number(lines["USER_LOGIN"]) > 0
        assert lines["SEARCH"] == ""
        click(view, QueryPart.TYPE, "SEARCH")
        assert set(controller.query.types) == {"USER_LOGIN", "SEARCH"}
        await until(lambda: not controller._tasks.running)
