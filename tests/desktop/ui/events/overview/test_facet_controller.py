"""Tests of the numbers of values in a log with more users than the first rows show."""

from __future__ import annotations

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
from cdb_desktop.events.facets import SAMPLE_RECORDS
from cdb_desktop.events.query import Query, QueryPart
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events import crowd
from tests.desktop.ui.events.conftest import Browse

BY = "SELECT COUNT(*) FROM _event WHERE user_displayname = ?"
OTHERS, LINK = "Others, or without a user", "Search for other values"


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the log."""
    return tmp_path_factory.mktemp("crowd") / "crowd.sqlite"


@pytest.fixture(scope="module")
def reference_server(museum: Path) -> Iterator[str]:
    """A server with many users."""
    yield from crowd.served(museum)


def section(view: EventsView, part: QueryPart) -> QTreeWidgetItem | None:
    """The title of a part, while it is there."""
    return view.panels.facets.tree._sections.get(part.value)


def read(view: EventsView, part: QueryPart) -> dict[str, str]:
    """What is read below the title of a part."""
    top = section(view, part)
    items = [] if top is None else [top.child(place) for place in range(top.childCount())]
    return {item.text(0): item.text(1) for item in items if item is not None}


def number(text: str) -> int:
    """What a number says."""
    return int(text.replace(",", ""))


def click(view: EventsView, part: QueryPart, text: str) -> None:
    """With the mouse, on a line of a part."""
    tree, top = view.panels.facets.tree, section(view, part)
    assert top is not None
    (item,) = (one for place in range(top.childCount()) if (one := top.child(place)) and one.text(0) == text)
    tree.scrollToItem(item)
    place = tree.visualItemRect(item).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)


def asked(museum: Path, question: str, *values: object) -> int:
    """A number that the server's own file tells."""
    with closing(sqlite3.connect(museum)) as opened:
        return int(opened.execute(question, values).fetchone()[0])


def nobodys(museum: Path) -> int:
    """Events without a user; a server that starts is one."""
    return asked(museum, "SELECT COUNT(*) FROM _event WHERE user_id IS NULL")


def users(museum: Path) -> int:
    """Users with events; whoever signs in for these tests is one."""
    return asked(museum, "SELECT COUNT(DISTINCT user_id) FROM _event")


async def test_who_was_busy_long_ago_is_counted(browse: Browse, actions: Actions, museum: Path) -> None:
    """Though no row in sight is hers; what the users do not add up to is told."""
    async with browse() as (view, controller):
        actions["facets"].setChecked(True)
        await until(lambda: OTHERS in read(view, QueryPart.USER) and not controller._tasks.running)
        lines, top = read(view, QueryPart.USER), section(view, QueryPart.USER)
        name = crowd.BUSY.displayname
        assert next(iter(lines)) == name
        assert number(lines[name]) == asked(museum, BY, name) > 2_000
        # One who was met by no chance, and events that nobody has done.
        assert number(lines[OTHERS]) == nobodys(museum) + 1
        assert top is not None
        assert top.text(0) == f"User, {users(museum) - 1} found so far"
        assert f"All {users(museum) - 1}…" in lines


async def test_the_others_are_found_and_the_rest_is_nobodys(
    browse: Browse, actions: Actions, museum: Path
) -> None:
    """By reading all; what was found out holds when the same is counted again."""
    async with browse() as (view, controller):
        actions["facets"].setChecked(True)
        await until(lambda: LINK in read(view, QueryPart.USER) and not controller._tasks.running)
        click(view, QueryPart.USER, f"All {users(museum) - 1}…")
        assert crowd.RARE.displayname not in read(view, QueryPart.USER)
        assert read(view, QueryPart.TYPE)["Others, or without a type"] == "1"
        click(view, QueryPart.USER, LINK)
        await until(lambda: crowd.RARE.displayname in read(view, QueryPart.USER))
        await until(lambda: not controller._tasks.running)
        assert read(view, QueryPart.USER)[crowd.RARE.displayname] == "1"
        assert read(view, QueryPart.USER)["Without a user"] == str(nobodys(museum))
        assert LINK not in read(view, QueryPart.USER)
        # The same events were read for types.
        assert read(view, QueryPart.TYPE)[crowd.RARE_TYPE] == "1"
        top = section(view, QueryPart.USER)
        assert top is not None
        assert top.text(0) == "User"
        controller.show_query(Query(users=(1_003,)))
        await until(lambda: view.model.rowCount() < 1_000)
        await until(lambda: "Without a user" in read(view, QueryPart.USER) and not controller._tasks.running)
        assert LINK not in read(view, QueryPart.USER)


async def test_looking_stops_when_all_are_met(
    browse: Browse, monkeypatch: pytest.MonkeyPatch, actions: Actions
) -> None:
    """The type that was missing stands in the sixth page: those behind it are not read."""
    async with browse() as (view, controller):
        actions["facets"].setChecked(True)
        await until(lambda: LINK in read(view, QueryPart.TYPE) and not controller._tasks.running)
        list_events, pages = Client.list_events, list[int]()

        async def listed(client: Client, *given: Any, **more: Any) -> EventPage:
            if more["limit"] == PAGE_SIZE:
                pages.append(more["offset"])
            return await list_events(client, *given, **more)

        monkeypatch.setattr(Client, "list_events", listed)
        click(view, QueryPart.TYPE, LINK)
        await until(lambda: crowd.RARE_TYPE in read(view, QueryPart.TYPE))
        await until(lambda: not controller._tasks.running)
        assert LINK not in read(view, QueryPart.TYPE)
        assert 5 <= len(pages) <= 8


async def test_looking_is_told_and_can_be_stopped(
    browse: Browse, monkeypatch: pytest.MonkeyPatch, actions: Actions
) -> None:
    """At the same line, and beside the other work; what is known stays."""
    async with browse() as (view, controller):
        actions["facets"].setChecked(True)
        await until(lambda: LINK in read(view, QueryPart.USER) and not controller._tasks.running)
        before, list_events = read(view, QueryPart.USER), Client.list_events

        async def listed(client: Client, *given: Any, **more: Any) -> EventPage:
            await asyncio.sleep(0.3)
            return await list_events(client, *given, **more)

        monkeypatch.setattr(Client, "list_events", listed)
        click(view, QueryPart.USER, LINK)
        await until(lambda: any("1999 of 12" in one.title for one in controller._tasks.running))
        click(view, QueryPart.USER, "Stop searching")
        assert not controller._tasks.is_running("events.facets.others")
        assert read(view, QueryPart.USER) == before


async def test_a_sample_is_taken_once_and_only_for_who_sees_it(
    browse: Browse, monkeypatch: pytest.MonkeyPatch, actions: Actions
) -> None:
    """Short pages of short records; nothing while the values are hidden."""
    list_events, limits = Client.list_events, list[int]()

    async def listed(client: Client, *given: Any, **more: Any) -> EventPage:
        limits.append(more["limit"])
        return await list_events(client, *given, **more)

    monkeypatch.setattr(Client, "list_events", listed)
    async with browse() as (view, controller):
        await until(lambda: view.has_rows)
        await asyncio.sleep(1)
        assert SAMPLE_RECORDS not in limits
        actions["facets"].setChecked(True)
        await until(lambda: LINK in read(view, QueryPart.USER) and not controller._tasks.running)
        taken = limits.count(SAMPLE_RECORDS)
        assert taken > 0
        actions["facets"].setChecked(False)
        controller.load()
        actions["facets"].setChecked(True)
        await asyncio.sleep(1)
        await until(lambda: not controller._tasks.running)
        assert limits.count(SAMPLE_RECORDS) == taken


async def test_what_is_still_to_be_counted_is_no_rest(
    browse: Browse, monkeypatch: pytest.MonkeyPatch, actions: Actions
) -> None:
    """A slow service shows numbers one by one; what is left over is told only at the end."""
    list_events = Client.list_events

    async def listed(client: Client, *given: Any, **more: Any) -> EventPage:
        await asyncio.sleep(0.1 if more["limit"] == 1 else 0)
        return await list_events(client, *given, **more)

    monkeypatch.setattr(Client, "list_events", listed)
    async with browse() as (view, controller):
        actions["overview"].setChecked(False)
        actions["facets"].setChecked(True)
        told: list[tuple[int, str]] = []

        def look() -> bool:
            lines = read(view, QueryPart.USER)
            told.append((len(lines), lines.get(OTHERS, "")))
            return LINK in lines and not controller._tasks.running

        await until(look, 30)
        assert any(number and not rest for number, rest in told)
        assert len({rest for _number, rest in told} - {""}) == 1
