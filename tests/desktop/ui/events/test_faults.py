"""Tests of rows, counts and files while a gateway or the service fails, through a real proxy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client
from cdb_desktop.events.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events import away_notice
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.home import Home
from cdb_desktop.vocabulary.sentences import sentence
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import bars
from tests.faults import faults
from tests.faults.proxy import Asked, Fault, FaultProxy, Forward, fault_proxy

LIST = "/event/list"
Browsing = Callable[[], AbstractAsyncContextManager[tuple[EventsView, EventsController, FaultProxy]]]


@pytest.fixture
def browsing(
    reference_server: str, qtbot: QtBot, appearance: Appearance, settings: QSettings, actions: Actions
) -> Browsing:
    """A block with a browser on the screen, all its rows counted, whose calls go through a proxy."""

    @asynccontextmanager
    async def made() -> AsyncIterator[tuple[EventsView, EventsController, FaultProxy]]:
        view = EventsView(appearance, settings, actions)
        qtbot.addWidget(view)
        view.resize(1100, 600)
        view.show()
        with fault_proxy(reference_server) as proxy:
            async with Client(proxy.url, backs_off=True) as client, Tasks(_raise) as tasks:
                await client.authenticate("root", "admin")
                controller = EventsController(view, client, tasks, sentence, Home(client.address))
                controller.load()
                await until(lambda: view.model.rowCount() >= 2000)
                yield view, controller, proxy

    return made


def _raise(error: Exception) -> None:
    raise error


def _last_id(view: EventsView) -> int | None:
    event = view.model.event_at(view.model.rowCount() - 1)
    return None if event is None else event.id


def _only(fault: Fault, chosen: Callable[[Asked], bool]) -> Fault:
    """The fault for some requests, the right answer for the others."""

    async def some(asked: Asked, writer: asyncio.StreamWriter, forward: Forward) -> None:
        if chosen(asked):
            await fault(asked, writer, forward)
        else:
            writer.write(await forward())

    return some


def _counts(asked: Asked) -> bool:
    return "limit=1&" in asked.target and "skip_count" not in asked.target


@pytest.mark.parametrize(
    ("fault", "title"),
    [
        (faults.status(502), "502"),
        (faults.status(503, retry_after=1), "503"),
        (faults.status(429, retry_after=1), ""),
        (faults.web_page(), ""),
        (faults.half(), ""),
    ],
    ids=["502", "503", "429", "portal", "half"],
)
async def test_a_failed_page_is_asked_for_again(
    browsing: Browsing, fault: Fault, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notice says why the rows are missing; they come without a gesture, at one request a second."""
    monkeypatch.setattr(away_notice, "_FAILED", 100)
    async with browsing() as (view, _controller, proxy):
        await until(lambda: "events" in view.count.text)
        proxy.forget()
        proxy.break_with(fault, path=LIST)
        view.table.scrollToBottom()
        await until(lambda: bars(view))
        assert title in f"{bars(view)[0].title} {bars(view)[0].text}"
        await until(lambda: proxy.count(LIST) >= 2)
        assert _last_id(view) is None
        busiest = proxy.busiest_second
        proxy.heal()
        await until(lambda: _last_id(view) == 1)
        assert not bars(view)
        # The page and its neighbour, sent side by side before anything was known, and one try.
        assert busiest <= 3


async def test_a_page_that_was_refused_can_be_asked_for_again(browsing: Browsing) -> None:
    """A refusal is not repeated by itself, but the page is no longer marked as requested."""
    async with browsing() as (view, controller, proxy):
        await until(lambda: "events" in view.count.text)
        await until(lambda: not controller._rows.are_awaited)
        proxy.forget()
        proxy.break_with(faults.refusal("user", "session_invalid"), path=LIST)
        view.table.scrollToBottom()
        await until(lambda: proxy.count(LIST))
        await until(lambda: not controller._rows.are_awaited)
        assert _last_id(view) is None
        proxy.heal()
        bar = view.table.verticalScrollBar()
        bar.setValue(bar.value() - 1)
        await until(lambda: _last_id(view) == 1)


@pytest.mark.parametrize("fault", [faults.status(502), faults.web_page()], ids=["502", "portal"])
async def test_a_failed_count_is_repeated(browsing: Browsing, fault: Fault) -> None:
    """Rows are there at once, and their number as soon as the service can tell it."""
    async with browsing() as (view, controller, proxy):
        await until(lambda: "events" in view.count.text)
        whole = view.model.rowCount()
        proxy.break_with(_only(fault, _counts), path=LIST)
        proxy.forget()
        controller.ask(Query(types=("SEARCH",)))
        await until(lambda: any(map(_counts, proxy.asked)))
        await until(lambda: view.has_rows)
        proxy.heal()
        await until(lambda: f"of {whole}" in view.count.text.replace(",", ""))
        assert "+" not in view.count.text
