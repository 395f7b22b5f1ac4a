"""Tests of copying rows and single events to the clipboard."""

import json
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from cdb_desktop.client import AnswerError, NotFoundError
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.ticket import CopyFormat
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.browser import copy
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, bars, ended
from tests.desktop.ui.finding import child_of

CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(autouse=True)
def _no_key_is_held(qapp: QApplication) -> Iterator[None]:
    """Resets Qt's keyboard modifiers, which Qt takes from the last key event."""
    yield
    QTest.keyClick(QWidget(), Qt.Key.Key_Escape)


def on_clipboard() -> str:
    """The text of the clipboard."""
    return QGuiApplication.clipboard().text()


def clear() -> None:
    """Clears the clipboard."""
    QGuiApplication.clipboard().clear()


def ids_in(view: EventsView, *rows: int) -> list[int]:
    """The ids of the events in JSON rows."""
    return [event.id for row in rows if (event := view.model.event_at(row)) is not None]


@pytest.mark.generation5("lists have short records")
async def test_rows_are_copied_as_complete_json_records(browse: Browse) -> None:
    """With info, address and pollable, in row order, whether or not these columns are shown."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: view.has_rows and "of" in view.count.text)
        clear()
        view.table.go_to(2)
        for _step in range(2):
            QTest.keyClick(view.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        QTest.keyClick(view.table, Qt.Key.Key_C, CONTROL_SHIFT)
        await until(on_clipboard)
        records = [one["event"] for one in json.loads(on_clipboard())]
        assert [one["_id"] for one in records] == ids_in(view, 2, 3, 4)
        assert all({"info", "pollable", "ipv4_address"} <= one.keys() for one in records)
        assert "Copied whole records: 3" in view.count.text
        QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: "Copied rows: 3, the columns on screen" in view.count.text)
        view.table.copy_requested.emit(CopyFormat.IDS)
        await until(lambda: "Copied ids: 3" in view.count.text)
        assert on_clipboard().split() == [str(one) for one in ids_in(view, 2, 3, 4)]


@pytest.mark.generation5("lists have short records")
async def test_matches_are_copied_as_complete_json_records(browse: Browse) -> None:
    """Also if the search has fetched short records."""
    async with browse() as (view, controller):
        controller.show_query(Query(conditions=(Condition("type=SEARCH", PatternKind.KEY),)))
        await until(lambda: ended(view))
        row = view.model.rowCount() - 1  # far from the visible rows, whose complete records are fetched
        last = view.model.event_at(row)
        assert last is not None
        assert last.info is None
        clear()
        view.table.selectRow(row)
        QTest.keyClick(view.table, Qt.Key.Key_C, CONTROL_SHIFT)
        await until(on_clipboard)
        record = json.loads(on_clipboard())["event"]
        assert record["_id"] == last.id
        assert "info" in record


@pytest.mark.generation5("lists have short records")
async def test_a_record_is_copied_completely_before_it_is_loaded(browse: Browse) -> None:
    """The missing part is fetched first."""
    async with browse() as (view, controller):
        controller.show_query(Query(conditions=(Condition("type=SEARCH", PatternKind.KEY),)))
        await until(lambda: ended(view))
        clear()
        # Far from the visible rows, whose complete records are fetched.
        view.table.go_to(view.model.rowCount() - 2)
        details = view.inspector.details
        assert details is not None
        assert not details.is_whole
        view.inspector.copy_json()
        await until(on_clipboard)
        record = json.loads(on_clipboard())["event"]
        assert (record["_id"], "info" in record) == (details.event.id, True)


@pytest.mark.generation5("lists have short records")
async def test_deleted_events_are_reported(browse: Browse, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not omitted silently."""
    async with browse() as (view, controller):
        controller.show_query(Query(conditions=(Condition("type=SEARCH", PatternKind.KEY),)))
        await until(lambda: ended(view))
        row = view.model.rowCount() - 2  # far from the visible rows, whose complete records are fetched
        client = controller._rows._client
        lost, ask = ids_in(view, row + 1)[0], client.event

        async def event(number: int) -> object:
            if number == lost:
                raise NotFoundError("User", "error.user.event_not_found", status=404)
            return await ask(number)

        monkeypatch.setattr(client, "event", event)
        view.table.go_to(row)
        QTest.keyClick(view.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        view.table.copy_requested.emit(CopyFormat.JSON)
        await until(lambda: "Copied whole records: 1 · deleted meanwhile: 1" in view.count.text)


async def test_rows_are_copied_wherever_they_are(browse: Browse) -> None:
    """Those that are not loaded are fetched."""
    async with browse() as (view, _controller):
        clear()
        view.table.selectAll()
        QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        await until(on_clipboard)
        lines = on_clipboard().splitlines()
        assert (len(lines), lines[-1].split("\t")[0]) == (view.model.rowCount(), "1")


@pytest.mark.generation5("lists have short records")
async def test_copying_many_rows_is_confirmed_first(browse: Browse, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar offers both alternatives; above the limit only the export is offered."""
    monkeypatch.setattr(copy, "_MANY", 100)
    async with browse() as (view, _controller):
        clear()
        view.table.selectAll()
        view.table.copy_requested.emit(CopyFormat.JSON)
        (bar,) = bars(view)
        rows = view.model.rowCount()
        assert bar.title == f"Copy {rows} rows?"
        assert on_clipboard() == ""
        child_of(bar, QPushButton, "events.copy.all").click()
        assert bars(view) == []
        await until(on_clipboard)
        records = json.loads(on_clipboard())
        assert [one["event"]["_id"] for one in (records[0], records[-1])] == ids_in(view, 0, rows - 1)
        assert all("info" in one["event"] for one in records)
        assert {one["_session"]["token"] for one in records if "_session" in one} == {MASK}
        clear()
        monkeypatch.setattr(copy, "_MOST", 500)
        view.table.copy_requested.emit(CopyFormat.JSON)
        assert "More than 500 rows are not copied." in view.count.text


@pytest.mark.generation5("lists have short records")
async def test_a_failure_is_shown_until_copying_succeeds(
    browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notice disappears with its cause."""
    async with browse() as (view, controller):

        async def refused(_number: int) -> None:
            raise AnswerError("not_json", status=200)

        view.table.go_to(1500)  # records of the rows that are visible at first may have been read already
        with monkeypatch.context() as patch:
            patch.setattr(controller._rows._client, "event", refused)
            view.table.copy_requested.emit(CopyFormat.JSON)
            await until(view.notice.isVisible)
        view.table.copy_requested.emit(CopyFormat.JSON)
        await until(lambda: "Copied whole records: 1" in view.count.text)
        assert not view.notice.isVisible()
