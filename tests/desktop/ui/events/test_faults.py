"""Tests of rows, counts and files while a gateway or the service fails, through a real proxy."""

from __future__ import annotations

import asyncio
import csv
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client, CsvOptions
from cdb_desktop.events.export.options import ExportOptions, FileFormat
from cdb_desktop.events.export.receipt import receipt_path
from cdb_desktop.events.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser import rows as rows_module
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.export.controller import ExportController
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import error_message
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import bars
from tests.faults import faults
from tests.faults.proxy import Fault, FaultProxy, Forward, ReceivedRequest, fault_proxy

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
                controller = EventsController(view, client, tasks, error_message, ProfileKey(client.address))
                controller.load()
                await until(lambda: view.model.rowCount() >= 2000)
                yield view, controller, proxy

    return made


def _raise(error: Exception) -> None:
    raise error


def _last_id(view: EventsView) -> int | None:
    event = view.model.event_at(view.model.rowCount() - 1)
    return None if event is None else event.id


def _only(fault: Fault, chosen: Callable[[ReceivedRequest], bool]) -> Fault:
    """The fault for some requests, the right answer for the others."""

    async def some(asked: ReceivedRequest, writer: asyncio.StreamWriter, forward: Forward) -> None:
        if chosen(asked):
            await fault(asked, writer, forward)
        else:
            writer.write(await forward())

    return some


def _counts(asked: ReceivedRequest) -> bool:
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
    monkeypatch.setattr(rows_module, "_FAILED", 100)
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


async def test_a_page_that_was_refused_can_be_asked_for_again(
    browsing: Browsing, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        monkeypatch.setattr(rows_module, "_REFUSED", 0.0)
        bar = view.table.verticalScrollBar()
        bar.setValue(bar.value() - 1)
        await until(lambda: _last_id(view) == 1)


async def test_a_refused_page_is_requested_once(browsing: Browsing) -> None:
    """The notice of the refusal moves the rows, which requests nothing; somebody who signs in again does."""
    async with browsing() as (view, controller, proxy):
        await until(lambda: "events" in view.count.text)
        await until(lambda: not controller._rows.are_awaited)
        proxy.forget()
        proxy.break_with(faults.status(401), path=LIST)
        view.table.scrollToBottom()
        await until(lambda: proxy.count(LIST) and not controller._rows.are_awaited)
        first, last = controller._rows._shown
        for row in (1, 0, 1, 0):
            view.table.rows_shown.emit(first - row, last)
        assert not controller._rows.are_awaited
        proxy.heal()
        controller.load_missing()
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


def _exporting(view: EventsView) -> ExportController:
    found = view.findChild(ExportController)
    assert isinstance(found, ExportController)
    return found


def _shortened(rows: int) -> Fault:
    """The right answer, but of its records or lines only the first ``rows``."""

    async def fault(_asked: ReceivedRequest, writer: asyncio.StreamWriter, forward: Forward) -> None:
        head, _, body = (await forward()).partition(b"\r\n\r\n")
        if b"text/csv" in head.lower():
            body = b"".join(body.splitlines(keepends=True)[: rows + 1])
        else:
            found = json.loads(body)
            body = json.dumps({**found, "objects": found["objects"][:rows]}).encode()
        kind = b"text/csv" if b"text/csv" in head.lower() else b"application/json"
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\ncontent-length: %d\r\n\r\n%b" % (kind, len(body), body)
        )

    return fault


def _at(row: int) -> Callable[[ReceivedRequest], bool]:
    return lambda asked: f"offset={row}&" in f"{asked.target}&"


FORMS: list[FileFormat] = ["csv", "jsonl"]


@pytest.mark.parametrize("form", FORMS)
async def test_an_export_survives_a_short_page(browsing: Browsing, tmp_path: Path, form: FileFormat) -> None:
    """What was cut off a page on its way is asked for: every event is in the file, once."""
    target = tmp_path / f"events.{form}"
    async with browsing() as (view, _controller, proxy):
        await until(lambda: "events" in view.count.text)
        rows = view.model.rowCount()
        proxy.break_with(_only(_shortened(500), _at(0)), path=LIST)
        _exporting(view).export(target, ExportOptions(form, CsvOptions(max_length=0)))
        await until(lambda: view.notice.title == "Exported")
    ids = _ids_in(target)
    assert ids == sorted(set(ids))
    assert len(ids) == rows
    receipt = json.loads(receipt_path(target).read_bytes())
    assert receipt["rows"] == rows


@pytest.mark.parametrize("form", FORMS)
async def test_an_export_that_stays_short_fails(browsing: Browsing, tmp_path: Path, form: FileFormat) -> None:
    """No file and no receipt stand under the names; continued later, it becomes whole."""
    target = tmp_path / f"events.{form}"
    async with browsing() as (view, _controller, proxy):
        await until(lambda: "events" in view.count.text)
        rows = view.model.rowCount()
        short, shorter = _only(_shortened(500), _at(0)), _shortened(1)

        async def fault(asked: ReceivedRequest, writer: asyncio.StreamWriter, forward: Forward) -> None:
            await (shorter if _at(499)(asked) else short)(asked, writer, forward)

        proxy.break_with(fault, path=LIST)
        _exporting(view).export(target, ExportOptions(form))
        await until(lambda: bars(view))
        (bar,) = bars(view)
        assert bar.title == "Export incomplete"
        assert f"counts {rows} rows and returns only 500" in bar.text
        assert not receipt_path(target).exists()
        assert not target.exists()
        proxy.heal()
        button = bar.findChild(QPushButton, "unfinished.go_on")
        assert isinstance(button, QPushButton)
        button.click()
        await until(lambda: view.notice.title == "Exported")
    assert len(_ids_in(target)) == rows


@pytest.mark.parametrize(
    "fault",
    [faults.status(429), faults.status(502), faults.status(503), faults.web_page(), faults.half()],
    ids=["429", "502", "503", "portal", "half"],
)
@pytest.mark.parametrize("form", FORMS)
async def test_an_export_outlasts_a_gateway(
    browsing: Browsing, tmp_path: Path, form: FileFormat, fault: Fault
) -> None:
    """It waits as for a reset, and goes on by itself; so it does where a portal answers for a while."""
    target = tmp_path / f"events.{form}"
    async with browsing() as (view, controller, proxy):
        await until(lambda: "events" in view.count.text)
        rows = view.model.rowCount()
        proxy.break_with(_only(fault, _at(999)), path=LIST)
        _exporting(view).export(target, ExportOptions(form))
        await until(lambda: any(map(_at(999), proxy.asked)))
        await until(lambda: any("waiting" in one.title for one in controller._tasks.running), 60)
        proxy.heal()
        # The next try may be due half a minute after the last.
        await until(lambda: view.notice.title == "Exported", 60)
    assert len(_ids_in(target)) == rows


async def test_the_count_at_the_end_of_an_export_is_repeated(browsing: Browsing, tmp_path: Path) -> None:
    """It tells whether rows are missing, and may meet a portal like any page."""
    target = tmp_path / "events.csv"
    async with browsing() as (view, controller, proxy):
        await until(lambda: "events" in view.count.text)
        short, portal = _shortened(1), faults.web_page()

        async def fault(asked: ReceivedRequest, writer: asyncio.StreamWriter, forward: Forward) -> None:
            # Fewer rows than the service has counted, so that it is asked again how many there are.
            await (short if "format=csv" in asked.target else portal)(asked, writer, forward)

        proxy.break_with(fault, path=LIST)
        _exporting(view).export(target, ExportOptions("csv"))
        await until(lambda: any(map(_counts, proxy.asked)))
        await until(lambda: any("waiting" in one.title for one in controller._tasks.running))
        proxy.heal()
        await until(lambda: bars(view), 60)
        assert "returns only 1" in bars(view)[0].text


async def test_a_short_page_hides_no_rows(browsing: Browsing) -> None:
    """The rest of a page is asked for, in the first page and in others; the number of rows stays."""
    async with browsing() as (view, controller, proxy):
        await until(lambda: "events" in view.count.text)
        rows = view.model.rowCount()
        proxy.break_with(_only(_shortened(500), _is_page), path=LIST)
        controller.load()
        await until(lambda: view.model.event_at(700) is not None and view.model.rowCount() == rows)
        view.table.scrollToBottom()
        await until(lambda: _last_id(view) == 1)
        assert view.model.rowCount() == rows


async def test_missing_rows_are_told(browsing: Browsing) -> None:
    """Where the service counts more than it lists, nobody is led to believe that these were all."""
    async with browsing() as (view, controller, proxy):
        await until(lambda: "events" in view.count.text)
        rows = view.model.rowCount()
        proxy.break_with(_only(_shortened(0), lambda asked: _is_page(asked) and not _at(0)(asked)), path=LIST)
        view.table.scrollToBottom()
        await until(lambda: view.notice.title == "Rows are missing")
        assert view.model.rowCount() == rows
        await until(lambda: not controller._rows.are_awaited)
        proxy.heal()
        bar = view.table.verticalScrollBar()
        bar.setValue(bar.value() - 1)
        await until(lambda: _last_id(view) == 1)


def _is_page(asked: ReceivedRequest) -> bool:
    return "limit=1000" in asked.target or _at(500)(asked) or "limit=500" in asked.target


def _ids_in(file: Path) -> list[int]:
    if file.suffix == ".jsonl":
        return [json.loads(line)["event"]["_id"] for line in file.read_bytes().splitlines()]
    with file.open(encoding="utf-8", newline="") as lines:
        return [int(row["_id"]) for row in csv.DictReader(lines)]
