"""Tests of lists with invalid records: each is reported, and none hides others."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu
from starlette.responses import HTMLResponse, JSONResponse, Response

from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.ticket import CopyFormat
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.controller import CompareDialog, EventsController
from cdb_desktop.ui.events.deletion import DeletionDialog
from cdb_desktop.ui.events.export.controller import ExportController
from cdb_desktop.ui.events.overview.summary import SummaryDialog
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.conftest import sign_in_at
from tests.desktop.ui.events.conftest import OpenBrowser, ended, enter, has_ended
from tests.desktop.ui.events.odd_service import SECRET, OddService, record
from tests.desktop.ui.finding import awaited_child, child_of
from tests.desktop.ui.menus import texts

NAMELESS = (
    b'{"event": {"type": "SEARCH", "note": "nobody knows me"}, "_session": {"token": "%b"}}' % SECRET.encode()
)
HUGE = b'{"event": {"_id": 99999999999999999999999, "type": "SEARCH"}}'
TEXT = b'{"event": {"_id": "seven", "type": "SEARCH"}}'
BAD = {2: NAMELESS, 5: b"null", 999: HUGE, 1000: TEXT, 1998: b"[1, 2]", 2000: b"null"}
ODD = [
    record(90_001, timestamp="yesterday"),
    record(90_002, info=["no", "object"]),
    record(90_003, object_id=[1], type=None, pollable="maybe"),
    record(90_004, timestamp="0001-01-01T00:00:00+14:00"),
    record(90_005, timestamp=None, info={"n": 10**30}),
    b'{"event": {"_id": 90006, "info": {"rate": NaN}}, "user": 5, "_session": []}',
]

Show = Callable[[OddService], AbstractAsyncContextManager[tuple[EventsView, EventsController]]]


def mixed(rows: int = 2_500) -> list[bytes]:
    """A log, newest first, with invalid records at the positions in BAD."""
    return [BAD.get(row) or record(rows - row) for row in range(rows)]


@pytest.fixture
def show(open_browser: OpenBrowser) -> Show:
    """Returns a context manager with a visible browser of such a service."""

    @asynccontextmanager
    async def shown(service: OddService) -> AsyncIterator[tuple[EventsView, EventsController]]:
        with service.serve():
            signed_in = sign_in_at(service.url)()
            async with signed_in as client, open_browser(client) as (view, controller):
                controller.load()
                yield view, controller

    return shown


def _texts(view: EventsView, row: int) -> list[str]:
    model = view.model
    return [str(model.index(row, column).data()) for column in range(model.columnCount())]


def _id(view: EventsView, row: int) -> int | None:
    event = view.model.event_at(row)
    return None if event is None else event.id


def _inspected(view: EventsView) -> int | None:
    """The id of the event in the inspector."""
    details = view.inspector.details
    return details.event.id if details is not None and details.is_whole else None


def _lines(file: Path) -> list[object]:
    return [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]


async def test_an_invalid_record_has_its_own_row_with_the_reason(show: Show) -> None:
    """The other records are shown on every page, and all rows have their positions."""
    async with show(OddService(mixed())) as (view, _controller):
        await until(lambda: view.count.text.startswith("2500 events"))
        assert _texts(view, 2)[:6] == ["", "", "Unreadable record", "", "", "It has no _id."]
        assert _texts(view, 5)[5] == "It is not a JSON object."
        assert _texts(view, 999)[5] == "Its _id is larger than 64 bits."
        assert _id(view, 3) == 2_497
        assert view.count.text.startswith("2500 events 3 unreadable")
        view.table.go_to(2_499)
        await until(lambda: view.model.event_at(2_499) is not None)
        await until(lambda: "6 unreadable" in view.count.text)
        assert _texts(view, 1_000)[5] == "Its _id is not a whole number."
        assert [_id(view, row) for row in (1_997, 1_999, 2_001, 2_499)] == [503, 501, 499, 1]


async def test_the_inspector_shows_the_raw_record(show: Show, actions: Actions) -> None:
    """It can be read and copied, without secrets; the service is not asked for it."""
    async with show(OddService(mixed())) as (view, _controller):
        actions["inspector"].setChecked(True)
        await until(lambda: view.has_rows)
        view.table.go_to(2)
        inspector = view.inspector
        assert inspector.title == "Unreadable record"
        assert inspector.note.startswith("This record could not be read: It has no _id.")
        assert '"note": "nobody knows me"' in inspector.json.text
        assert SECRET not in inspector.json.text
        assert inspector.fields.topLevelItemCount() == 2
        inspector.copy_json()
        assert QGuiApplication.clipboard().text() == inspector.json.text
        view.table.go_to(999)
        assert "99999999999999999999999" in inspector.json.text
        view.table.step(-1)
        await until(lambda: _inspected(view) == 1_502)


async def test_values_of_the_wrong_type_do_not_invalidate_a_record(show: Show, actions: Actions) -> None:
    """The valid values are shown in rows, inspector and overview."""
    async with show(OddService([*ODD[::-1], record(1)])) as (view, _controller):
        actions["inspector"].setChecked(True)
        actions["overview"].setChecked(True)
        await until(lambda: view.model.rowCount() == 7)
        assert [_id(view, row) for row in range(6)] == list(range(90_006, 90_000, -1))
        for row in range(7):
            view.table.go_to(row)
            await until(lambda: _inspected(view) == _id(view, row))  # noqa: B023
        view.table.go_to(1)
        await until(lambda: str(10**30) in view.inspector.json.text)
        await until(lambda: sum(view.panels.histogram.overview.totals) == 4)


async def test_invalid_records_are_copied(show: Show) -> None:
    """As a cell with a message, and as the original JSON."""
    async with show(OddService(mixed())) as (view, _controller):
        await until(lambda: view.has_rows)
        view.table.selectRow(5)
        view.table.copy_requested.emit(CopyFormat.JSON)
        await until(lambda: QGuiApplication.clipboard().text() == "null")
        view.table.copy_requested.emit(CopyFormat.TSV)
        await until(
            lambda: "Unreadable record\t\t\tIt is not a JSON object." in QGuiApplication.clipboard().text()
        )
        view.table.selectRow(2)
        view.table.menu_requested.emit(view.table.current_record, QPoint(), view.model.columns[0])
        menu = child_of(view, QMenu)
        offered = texts(menu)
        assert offered[0] == "Copy rows for a spreadsheet"
        assert "Only SEARCH" not in offered
        menu.close()


async def test_a_search_reports_and_skips_invalid_records(show: Show, actions: Actions) -> None:
    """All other records are searched, across page boundaries."""
    async with show(OddService(mixed())) as (view, _controller):
        await until(lambda: view.count.text.startswith("2500 events"))
        actions["search"].trigger()
        enter(view, '"SEARCH"')
        await until(lambda: ended(view))
        await until(lambda: view.count.text.startswith("2494 of 2500 6 unreadable"))


async def test_a_summary_reports_and_skips_invalid_records(show: Show, actions: Actions) -> None:
    """Also records with an invalid time, which does not distort the time axis."""
    async with show(OddService([*ODD[::-1], *mixed()])) as (view, _controller):
        await until(lambda: view.model.rowCount() == 2_506)
        actions["summary"].trigger()
        dialog = await awaited_child(view, SummaryDialog)
        await until(lambda: "events ·" in dialog.text)
        assert dialog.text == (
            "2497 events · left out as they could not be read: 6 · left out as they have no time: 3"
        )
        assert dialog.table.columnCount() == 3
        dialog.close()


async def test_an_export_contains_invalid_records_unchanged(show: Show, tmp_path: Path) -> None:
    """In JSON lines, each once and in order; they are counted in the notice."""
    target = tmp_path / "events.jsonl"
    async with show(OddService(mixed())) as (view, _controller):
        await until(lambda: view.count.text.startswith("2500 events"))
        exporting = child_of(view, ExportController)
        exporting.export(target, ExportOptions("jsonl"))
        await until(lambda: view.notice.title == "Exported")
        assert "Unreadable records, included unchanged: 6." in view.notice.text
    found = target.read_bytes().splitlines()
    assert len(found) == 2_500
    assert found[2_499 - 999] == HUGE.replace(b": ", b":").replace(b", ", b",")
    assert found[2_499 - 5] == found[2_499 - 2_000] == b"null"
    assert SECRET.encode() not in target.read_bytes()
    receipt = msgspec.json.decode((tmp_path / "events.jsonl.receipt.json").read_bytes())
    assert (receipt["rows"], receipt["unreadable_rows"], receipt["first_id"]) == (2_500, 6, 1)


async def test_a_deletion_reports_records_that_cannot_be_deleted(
    show: Show, actions: Actions, tmp_path: Path
) -> None:
    """A record without an id cannot be deleted; the backup contains it nevertheless."""
    kept = tmp_path / "kept.jsonl"
    service = OddService(mixed())
    async with show(service) as (view, _controller):
        await until(lambda: view.count.text.startswith("2500 events"))
        actions["delete_found"].trigger()
        dialog = await awaited_child(view, DeletionDialog)
        dialog.agreed.emit(kept)
        dialog.close()
        await until(lambda: view.notice.title == "Deleted")
        assert "deleted 2494 of 2494 events" in view.notice.text
        assert "Unreadable records without an id, which cannot be deleted: 6." in view.notice.text
        await until(lambda: view.model.rowCount() == 6)
    assert sorted(service.deleted) == sorted(2_500 - row for row in range(2_500) if row not in BAD)
    assert len(_lines(kept)) == 2_500
    assert b"nobody knows me" in kept.read_bytes()
    assert SECRET.encode() not in kept.read_bytes()


async def test_actions_report_records_without_an_id(show: Show, actions: Actions) -> None:
    """Comparing or deleting such a record shows a message."""
    async with show(OddService(mixed())) as (view, _controller):
        await until(lambda: view.has_rows)
        view.table.selectRow(2)
        actions["delete_selected"].trigger()
        await until(lambda: "which cannot be deleted: 1." in view.count.text)
        assert view.findChild(DeletionDialog) is None
        actions["compare"].trigger()
        await until(lambda: "cannot be compared" in view.count.text)
        assert view.findChild(CompareDialog) is None


async def test_a_jump_finds_events_beside_invalid_records(show: Show) -> None:
    """A jump to an id selects its row."""
    async with show(OddService(mixed())) as (view, controller):
        await until(lambda: view.count.text.startswith("2500 events"))
        for number in (1_499, 501, 499, 1):
            controller.jump.go_to_event(number)
            await until(lambda: (event := view.table.current_event) is not None and event.id == number)  # noqa: B023


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([HTMLResponse("<html>Welcome to the portal</html>")], "a web page instead of JSON"),
        ([JSONResponse([{"event": {"_id": 1}}])], "not a JSON object"),
        ([JSONResponse({"objects": {"1": {}}})], "not an array"),
        ([Response(b'{"objects": [{"event"', media_type="application/json")], "not JSON"),
        ([JSONResponse({"objects": [{"event": {"_id": 1}}], "offset": 7})], "not the records from 0 on"),
    ],
    ids=["html", "a list", "no list", "cut off", "elsewhere"],
)
async def test_an_unexpected_response_is_reported_with_a_retry_button(
    show: Show, answers: Sequence[Response], words: str
) -> None:
    """The empty state describes the response, and its button retries."""
    service = OddService(mixed())
    service.instead = list(answers)
    async with show(service) as (view, _controller):
        await until(lambda: words in view.empty_page.state.text)
        view.reload_requested.emit()
        await until(lambda: view.count.text.startswith("2500 events"))


async def test_an_unknown_overview_is_not_shown_as_empty(show: Show) -> None:
    """The overview of a query is cleared by the next one, also if that fails."""
    service = OddService(mixed())
    async with show(service) as (view, controller):
        overview = view.panels.histogram
        controller.show_query(Query(types=("NEVER",)))
        await until(lambda: overview.note == "No events to count")
        service.instead = [HTMLResponse("<html>Down</html>") for _ in range(9)]
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: "a web page" in view.empty_page.state.text)
        assert overview.note == ""
        await until(lambda: overview.overview.buckets == ())
        assert overview.note == ""


async def test_events_without_times_are_shown(show: Show) -> None:
    """They have rows but no bars."""
    async with show(OddService([record(2, timestamp="soon"), record(1, timestamp=None)])) as (view, _):
        await until(lambda: view.panels.histogram.note)
        assert view.panels.histogram.note == "Not counted"


@pytest.mark.parametrize("count", [3, "many"])
async def test_an_invalid_count_hides_no_row(show: Show, count: object) -> None:
    """The end of the rows is found by reading them."""
    service = OddService(mixed())
    service.count = count
    async with show(service) as (view, _controller):
        await until(lambda: view.has_rows)
        await until(lambda: view.count.text.startswith("1000+ events"))
        while view.model.rowCount() < 2_500:
            view.table.go_to(view.model.rowCount() - 1)
            before = view.model.rowCount()
            await until(lambda: view.model.rowCount() > before)  # noqa: B023
        await until(lambda: view.count.text.startswith("2500 events"))


async def test_more_records_than_requested_shift_no_row(show: Show) -> None:
    """Records beyond the limit are ignored; they belong to another page."""
    service = OddService(mixed())
    service.generous = True
    async with show(service) as (view, _controller):
        await until(lambda: view.count.text.startswith("2500 events 3 unreadable"))
        view.table.go_to(1_999)
        await until(lambda: _id(view, 1_999) == 501)


async def test_a_search_ends_with_a_message_if_pages_repeat(show: Show, actions: Actions) -> None:
    """A service that ignores the offset would be queried endlessly."""
    service = OddService([record(3_000 - row) for row in range(3_000)])
    service.deaf = True
    async with show(service) as (view, _controller):
        await until(lambda: view.has_rows)
        actions["search"].trigger()
        enter(view, '"SEARCH"')
        await until(lambda: has_ended(view), 20)
        await until(lambda: view.notice.title == "Answer not understood")
        assert view.count.text.startswith("1000 found")


def deep(number: int, levels: int) -> bytes:
    """A record whose info is nested too deeply to be decoded."""
    nested = b"[" * levels + b"]" * levels
    return b'{"event": {"_id": %d, "type": "SEARCH", "info": {"a": %b}}}' % (number, nested)


@pytest.mark.parametrize("levels", [985, 5_000])
async def test_a_record_nested_too_deeply_is_one_invalid_row(
    show: Show, actions: Actions, tmp_path: Path, levels: int
) -> None:
    """The others are shown, searched, exported, backed up and deleted."""
    log = mixed()
    for row in BAD:
        log[row] = record(2_500 - row)
    poison = log[1_200] = deep(1_300, levels)
    service, target, kept = OddService(log), tmp_path / "events.jsonl", tmp_path / "kept.jsonl"
    async with show(service) as (view, _controller):
        await until(lambda: view.count.text.startswith("2500 events"))
        view.table.go_to(1_200)
        await until(lambda: _id(view, 1_201) == 1_299)
        await until(lambda: "1 unreadable" in view.count.text)
        assert _id(view, 1_200) is None
        assert _id(view, 1_199) == 1_301
        assert _texts(view, 1_200)[2] == "Unreadable record"
        actions["search"].trigger()
        enter(view, '"SEARCH"')
        await until(lambda: ended(view))
        await until(lambda: view.count.text.startswith("2499 of 2500 1 unreadable"))
        actions["query_back"].trigger()
        await until(lambda: view.count.text.startswith("2500 events"))
        exporting = child_of(view, ExportController)
        exporting.export(target, ExportOptions("jsonl"))
        await until(lambda: view.notice.title == "Exported")
        lines = target.read_bytes().replace(b" ", b"").splitlines()
        assert poison.replace(b" ", b"") in lines
        assert len(target.read_bytes().splitlines()) == 2_500
        actions["delete_found"].trigger()
        dialog = await awaited_child(view, DeletionDialog)
        dialog.agreed.emit(kept)
        dialog.close()
        await until(lambda: view.notice.title == "Deleted")
        await until(lambda: view.model.rowCount() == 1)
    assert len(kept.read_bytes().splitlines()) == 2_500
    assert sorted(service.deleted) == [one for one in range(1, 2_501) if one != 1_300]
