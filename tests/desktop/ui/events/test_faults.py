"""Tests of rows, counts and files while a gateway or the service fails, with a real proxy."""

import asyncio
import csv
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton

from cdb_desktop.client import CsvOptions
from cdb_desktop.events.export.formats import receipt_path
from cdb_desktop.events.export.options import ExportOptions, FileFormat
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.browser import rows as rows_module
from cdb_desktop.ui.events.controller import EventsController
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.conftest import sign_in_at
from tests.desktop.ui.events.conftest import OpenBrowser, bars, export_controller
from tests.desktop.ui.finding import child_of
from tests.faults import faults
from tests.faults.proxy import Fault, FaultProxy, Forward, ReceivedRequest, fault_proxy

LIST = "/event/list"
Browsing = Callable[[], AbstractAsyncContextManager[tuple[EventsView, EventsController, FaultProxy]]]


@pytest.fixture
def browsing(reference_server: str, open_browser: OpenBrowser) -> Browsing:
    """A context manager with a visible browser, all rows counted, whose requests pass through a proxy."""

    @asynccontextmanager
    async def made() -> AsyncIterator[tuple[EventsView, EventsController, FaultProxy]]:
        with fault_proxy(reference_server) as proxy:
            signed_in = sign_in_at(proxy.url)(backs_off=True)
            async with signed_in as client, open_browser(client) as (view, controller):
                controller.load()
                await until(lambda: view.model.rowCount() >= 2000)
                yield view, controller, proxy

    return made


def _last_id(view: EventsView) -> int | None:
    event = view.model.event_at(view.model.rowCount() - 1)
    return None if event is None else event.id


def _only(fault: Fault, chosen: Callable[[ReceivedRequest], bool]) -> Fault:
    """Applies the fault to some requests only."""

    async def some(request: ReceivedRequest, writer: asyncio.StreamWriter, forward: Forward) -> None:
        if chosen(request):
            await fault(request, writer, forward)
        else:
            writer.write(await forward())

    return some


def _counts(request: ReceivedRequest) -> bool:
    return "limit=1&" in request.target and "skip_count" not in request.target


@pytest.mark.parametrize(
    ("fault", "title"),
    [
        (faults.status(503, retry_after=1), "503"),
        (faults.web_page(), ""),
        (faults.half(), ""),
    ],
    ids=["503", "portal", "half"],
)
async def test_a_failed_page_is_requested_again(
    browsing: Browsing, fault: Fault, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notice shows the reason; the page is retried automatically, at most once a second."""
    monkeypatch.setattr(rows_module, "_FAILED", 100)
    async with browsing() as (view, _controller, proxy):
        await until(lambda: "events" in view.count.text)
        await until(lambda: (top := view.model.event_at(0)) and top.info is not None)
        proxy.forget()
        proxy.break_with(fault, path=LIST)
        began = time.monotonic()
        view.table.scrollToBottom()
        await until(lambda: bars(view))
        assert title in f"{bars(view)[0].title} {bars(view)[0].text}"
        await until(lambda: proxy.count(LIST) >= 2)
        assert _last_id(view) is None
        requests, seconds = proxy.count(LIST), time.monotonic() - began
        proxy.heal()
        await until(lambda: _last_id(view) == 1)
        assert not bars(view)
        # The page and its neighbor, requested concurrently, and one retry of each in a second.
        assert requests <= 2 * (2 + seconds)


async def test_a_refused_page_can_be_requested_again(
    browsing: Browsing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal is not retried automatically, but the page is no longer marked as requested."""
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
    """The notice moves the rows, which sends no request; signing in again does."""
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
    """Rows are shown immediately, their number after a successful retry."""
    async with browsing() as (view, controller, proxy):
        await until(lambda: "events" in view.count.text)
        whole = view.model.rowCount()
        proxy.break_with(_only(fault, _counts), path=LIST)
        proxy.forget()
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: any(map(_counts, proxy.asked)))
        await until(lambda: view.has_rows)
        proxy.heal()
        await until(lambda: f"of {whole}" in view.count.text.replace(",", ""))
        assert "+" not in view.count.text


def _shortened(rows: int) -> Fault:
    """Truncates a response to the first ``rows`` records or lines."""

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
    return lambda request: f"offset={row}&" in f"{request.target}&"


FORMS: list[FileFormat] = ["csv", "jsonl"]


@pytest.mark.parametrize("form", FORMS)
async def test_an_export_survives_a_short_page(browsing: Browsing, tmp_path: Path, form: FileFormat) -> None:
    """The missing rows of a page are requested again: the file contains every event once."""
    target = tmp_path / f"events.{form}"
    async with browsing() as (view, _controller, proxy):
        await until(lambda: "events" in view.count.text)
        rows = view.model.rowCount()
        proxy.break_with(_only(_shortened(500), _at(0)), path=LIST)
        export_controller(view).export(target, ExportOptions(form, CsvOptions(max_length=0)))
        await until(lambda: view.notice.title == "Exported")
    ids = _ids_in(target)
    assert ids == sorted(set(ids))
    assert len(ids) == rows
    receipt = json.loads(receipt_path(target).read_bytes())
    assert receipt["rows"] == rows


@pytest.mark.parametrize("form", FORMS)
async def test_an_export_that_stays_short_fails(browsing: Browsing, tmp_path: Path, form: FileFormat) -> None:
    """Neither file nor receipt is created; continuing later completes the export."""
    target = tmp_path / f"events.{form}"
    async with browsing() as (view, _controller, proxy):
        await until(lambda: "events" in view.count.text)
        rows = view.model.rowCount()
        short, shorter = _only(_shortened(500), _at(0)), _shortened(1)

        async def fault(request: ReceivedRequest, writer: asyncio.StreamWriter, forward: Forward) -> None:
            await (shorter if _at(499)(request) else short)(request, writer, forward)

        proxy.break_with(fault, path=LIST)
        export_controller(view).export(target, ExportOptions(form))
        await until(lambda: bars(view))
        (bar,) = bars(view)
        assert bar.title == "Export incomplete"
        assert f"counts {rows} rows and returns only 500" in bar.text
        assert not receipt_path(target).exists()
        assert not target.exists()
        proxy.heal()
        child_of(bar, QPushButton, "unfinished.go_on").click()
        await until(lambda: view.notice.title == "Exported")
    assert len(_ids_in(target)) == rows


@pytest.mark.parametrize(
    ("form", "fault"),
    [("csv", faults.status(502)), ("csv", faults.half()), ("jsonl", faults.web_page())],
    ids=["502", "half", "portal"],
)
async def test_an_export_outlasts_gateway_errors(
    browsing: Browsing, tmp_path: Path, form: FileFormat, fault: Fault
) -> None:
    """Error responses and pages of a captive portal are retried like connection errors."""
    target = tmp_path / f"events.{form}"
    async with browsing() as (view, controller, proxy):
        await until(lambda: "events" in view.count.text)
        rows = view.model.rowCount()
        proxy.break_with(_only(fault, _at(999)), path=LIST)
        export_controller(view).export(target, ExportOptions(form))
        await until(lambda: any(map(_at(999), proxy.asked)))
        await until(lambda: any("waiting" in one.title for one in controller._tasks.running), 60)
        proxy.heal()
        # The next retry may be due after half a minute.
        await until(lambda: view.notice.title == "Exported", 60)
    assert len(_ids_in(target)) == rows


async def test_the_count_at_the_end_of_an_export_is_repeated(browsing: Browsing, tmp_path: Path) -> None:
    """It detects missing rows, and may fail like any page."""
    target = tmp_path / "events.csv"
    async with browsing() as (view, controller, proxy):
        await until(lambda: "events" in view.count.text)
        short, portal = _shortened(1), faults.web_page()

        async def fault(request: ReceivedRequest, writer: asyncio.StreamWriter, forward: Forward) -> None:
            # Fewer rows than counted, so that the count is requested again.
            await (short if "format=csv" in request.target else portal)(request, writer, forward)

        proxy.break_with(fault, path=LIST)
        export_controller(view).export(target, ExportOptions("csv"))
        await until(lambda: any(map(_counts, proxy.asked)))
        await until(lambda: any("waiting" in one.title for one in controller._tasks.running))
        proxy.heal()
        await until(lambda: bars(view), 60)
        assert "returns only 1" in bars(view)[0].text


async def test_a_short_page_hides_no_rows(browsing: Browsing) -> None:
    """The rest of any page is requested, and the number of rows stays the same."""
    async with browsing() as (view, controller, proxy):
        await until(lambda: "events" in view.count.text)
        rows = view.model.rowCount()
        proxy.break_with(_only(_shortened(500), _is_page), path=LIST)
        controller.load()
        await until(lambda: view.model.event_at(700) is not None and view.model.rowCount() == rows)
        view.table.scrollToBottom()
        await until(lambda: _last_id(view) == 1)
        assert view.model.rowCount() == rows


async def test_missing_rows_are_reported(browsing: Browsing) -> None:
    """If the service counts more events than it lists, a notice says so."""
    async with browsing() as (view, controller, proxy):
        await until(lambda: "events" in view.count.text)
        rows = view.model.rowCount()
        proxy.break_with(
            _only(_shortened(0), lambda request: _is_page(request) and not _at(0)(request)), path=LIST
        )
        view.table.scrollToBottom()
        await until(lambda: view.notice.title == "Rows are missing")
        assert view.model.rowCount() == rows
        await until(lambda: not controller._rows.are_awaited)
        proxy.heal()
        bar = view.table.verticalScrollBar()
        bar.setValue(bar.value() - 1)
        await until(lambda: _last_id(view) == 1)


def _is_page(request: ReceivedRequest) -> bool:
    return "limit=1000" in request.target or _at(500)(request) or "limit=500" in request.target


def _ids_in(file: Path) -> list[int]:
    if file.suffix == ".jsonl":
        return [json.loads(line)["event"]["_id"] for line in file.read_bytes().splitlines()]
    with file.open(encoding="utf-8", newline="") as lines:
        return [int(row["_id"]) for row in csv.DictReader(lines)]
