"""Tests of deleting from the browser, with separate servers."""

from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest

from cdb_desktop.client import Event, Record, UnreachableError, UserError
from cdb_desktop.events.deletion import Deletion
from cdb_desktop.events.job_journal import DeletionJob
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.deletion import (
    DeletionDialog,
    DeletionPlan,
    failure_message,
    selected_text,
    time_span_text,
)
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.times import day_and_time
from tests.chaos import Chaos, chaos_of
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn, sign_in_at
from tests.desktop.ui.events.conftest import Browse, ended
from tests.desktop.ui.finding import awaited_child
from tests.server import both_generations, serving


@pytest.fixture
def own_server(tmp_path: Path, generation: int) -> Iterator[str]:
    """A server whose events may be deleted."""
    options = "--demo", "--demo-events", "2000", "--chaos", "off", "--generation", str(generation)
    with serving(tmp_path / "own.sqlite", *options) as url:
        yield url


@pytest.fixture
def own_chaos(own_server: str) -> Iterator[Chaos]:
    """The faults of that server."""
    with chaos_of(own_server) as chaos:
        yield chaos


@pytest.fixture
def sign_in(own_server: str) -> SignIn:
    """Returns a context manager that yields a client of that server."""
    return sign_in_at(own_server)


async def deletion_dialog(view: EventsView) -> DeletionDialog:
    """Waits for the dialog and returns it; until it is the active window, keys go to the view."""
    dialog = await awaited_child(view, DeletionDialog)
    await until(dialog.isActiveWindow)
    return dialog


@both_generations
async def test_selected_events_are_deleted_by_id(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """The dialog lists them; the backup contains their complete records."""
    async with browse() as (view, controller):
        assert not actions["delete_selected"].isEnabled()
        view.table.selectRow(3)
        QTest.keyClick(view.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
        chosen = [event for row in (3, 4) if (event := view.model.event_at(row)) is not None]
        actions["delete_selected"].trigger()
        dialog = await deletion_dialog(view)
        assert dialog.accept_button.text() == "Delete 2 events"
        assert all(QLocale().toString(event.id) in dialog.text for event in chosen)
        target = tmp_path / "gone.jsonl"
        dialog.path.setText(str(target))
        dialog.accept_button.click()
        await until(view.notice.isVisible)
        assert view.notice.title == "Deleted"
        assert "deleted 2 of 2 events" in view.notice.text
        kept = [msgspec.json.decode(line) for line in target.read_bytes().splitlines()]
        assert [record["event"]["_id"] for record in kept] == sorted(event.id for event in chosen)
        assert all("info" in record["event"] for record in kept)
        await until(lambda: (event := view.model.event_at(3)) is not None and event not in chosen)
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: "of" in view.count.text)
        assert view.notice.isVisible(), "the backup can still be opened"


async def test_return_alone_deletes_nothing(browse: Browse, actions: Actions) -> None:
    """Cancel has the focus and is the default button."""
    async with browse() as (view, _controller):
        view.table.go_to(3)
        actions["delete_selected"].trigger()
        dialog = await deletion_dialog(view)
        assert dialog.cancel_button.isDefault()
        assert not dialog.accept_button.isDefault()
        agreed: list[object] = []
        dialog.agreed.connect(agreed.append)
        QTest.keyClick(dialog, Qt.Key.Key_Return)
        await until(lambda: not dialog.isVisible())
        assert agreed == []


async def test_the_error_of_a_backup_names_its_path(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """Nothing is deleted."""
    async with browse() as (view, _controller):
        view.table.go_to(3)
        actions["delete_selected"].trigger()
        dialog = await deletion_dialog(view)
        target = tmp_path / "nowhere" / "gone.jsonl"
        dialog.path.setText(str(target))
        dialog.accept_button.click()
        await until(view.notice.isVisible)
        assert view.notice.title == "Not deleted"
        assert str(target) in view.notice.text
        assert "Nothing was deleted." in view.notice.text


async def test_without_a_documents_folder_the_backup_is_in_the_home_folder(
    browse: Browse, actions: Actions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proposed folder is writable; the text uses the singular for one event."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    async with browse() as (view, _controller):
        view.table.go_to(3)
        actions["delete_selected"].trigger()
        dialog = await deletion_dialog(view)
        assert Path(dialog.path.text()).parent == home
        dialog.accept_button.click()
        await until(view.notice.isVisible)
        assert view.notice.title == "Deleted"
        assert "deleted the event. The backup is in" in view.notice.text
        assert len(list(home.glob("deleted events *.jsonl"))) == 1


async def test_deleting_the_whole_log_requires_its_number(browse: Browse, actions: Actions) -> None:
    """Without a filter the button is disabled until the number of events is typed."""
    async with browse() as (view, _controller):
        actions["delete_found"].trigger()
        dialog = await deletion_dialog(view)
        assert "all events of the log" in dialog.text
        assert not dialog.accept_button.isEnabled()
        QTest.keyClicks(dialog.typed, "7")
        assert not dialog.accept_button.isEnabled()
        assert dialog.cancel_button.isDefault()
        dialog.typed.clear()
        QTest.keyClicks(dialog.typed, str(view.model.rowCount()))
        assert dialog.accept_button.isEnabled()
        assert dialog.accept_button.isDefault()
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        await until(lambda: not dialog.isVisible())
        assert not view.notice.isVisible()


async def test_deleting_many_events_requires_their_number(browse: Browse, actions: Actions) -> None:
    """Above the limit of one request; the dialog shows the first and last time and a warning."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=tuple(set(view.seen.types) - {"USER_LOGIN"})))
        await until(lambda: "of" in view.count.text)
        found = view.model.rowCount()
        assert found >= 1_000
        actions["delete_found"].trigger()
        dialog = await deletion_dialog(view)
        assert "Everything would be gone" not in dialog.text
        assert dialog.accept_button.tone == "danger"
        assert not dialog.accept_button.isEnabled()
        first, last = (view.model.event_at(row) for row in (found - 1, 0))
        assert last is not None
        await until(lambda: day_and_time(last.timestamp) in dialog.span.text())
        assert dialog.span.text().startswith("The first is from 20")
        assert first is None or day_and_time(first.timestamp) in dialog.span.text()
        QTest.keyClicks(dialog.typed, str(found))
        assert dialog.accept_button.isEnabled()
        assert dialog.accept_button.text() == f"Delete {QLocale().toString(found)} events"
        QTest.keyClick(dialog, Qt.Key.Key_Escape)


def test_many_events_are_defined() -> None:
    """More than one request can delete, or more than half of the log."""

    async def pages() -> AsyncIterator[Sequence[Record]]:
        yield ()

    plans = ((999, 2_000), (1_000, 1_000_000), (5, 9), (5, 10), (5, 0))
    found = [DeletionPlan(count, "", pages, DeletionJob("", "", count), log) for count, log in plans]
    assert [plan.needs_typed_count for plan in found] == [False, True, True, False, False]


async def test_the_folder_of_the_backup_is_remembered(
    browse: Browse, actions: Actions, tmp_path: Path
) -> None:
    """It is restored at the next start."""
    folder = tmp_path / "kept"
    folder.mkdir()
    for is_first in (True, False):
        async with browse() as (view, _controller):
            view.table.go_to(3)
            actions["delete_selected"].trigger()
            dialog = await deletion_dialog(view)
            if is_first:
                dialog.path.setText(str(folder / "gone.jsonl"))
                dialog.accept_button.click()
                await until(view.notice.isVisible)
            else:
                assert Path(dialog.path.text()).parent == folder
                dialog.close()


async def test_matching_events_are_counted_by_type(browse: Browse, actions: Actions, tmp_path: Path) -> None:
    """Before the deletion; afterwards the query is empty and other events still exist."""
    async with browse() as (view, controller):
        everything = view.model.rowCount()
        controller.show_query(Query(types=("SEARCH", "DETAIL_VIEW")))
        await until(lambda: "of" in view.count.text)
        found = view.model.rowCount()
        actions["delete_found"].trigger()
        dialog = await deletion_dialog(view)
        counts = dialog.counts.model()
        await until(lambda: counts.index(1, 1).data() is not None)
        assert sum(QLocale().toInt(counts.index(row, 0).data())[0] for row in (0, 1)) == found
        assert {counts.index(row, 1).data() for row in (0, 1)} == {"SEARCH", "DETAIL_VIEW"}
        alignments = [counts.index(row, 0).data(Qt.ItemDataRole.TextAlignmentRole) for row in (0, 1)]
        assert all(Qt.AlignmentFlag(one) & Qt.AlignmentFlag.AlignRight for one in alignments)
        dialog.path.setText(str(tmp_path / "gone.jsonl"))
        dialog.accept_button.click()
        await until(view.notice.isVisible)
        await until(lambda: view.model.rowCount() == 0)
        controller.show_query(Query())
        await until(lambda: view.model.rowCount() == everything - found)


@pytest.mark.generation5("ids to delete are in a body")
async def test_a_withdrawn_right_is_reported(
    browse: Browse, actions: Actions, tmp_path: Path, own_chaos: Chaos
) -> None:
    """With the number of deleted events; the backup is complete."""
    own_chaos.inject({"fault": "right-refused", "call": "DELETE /event", "after": 1})
    async with browse() as (view, _controller):
        actions["delete_found"].trigger()
        dialog = await deletion_dialog(view)
        everything = view.model.rowCount()
        QTest.keyClicks(dialog.typed, str(everything))
        dialog.path.setText(str(tmp_path / "gone.jsonl"))
        dialog.accept_button.click()
        await until(view.notice.isVisible)
        assert view.notice.title == "Deletion incomplete"
        assert f"Deleted: {QLocale().toString(1_000)} of " in view.notice.text
        assert "system.api.event.delete" in view.notice.text
        assert len((tmp_path / "gone.jsonl").read_bytes().splitlines()) >= 2_000
        for name in ("delete_selected", "delete_found"):
            assert not actions[name].isEnabled()
            assert "The right system.api.event.delete is missing." in actions[name].toolTip()
        await until(lambda: view.model.rowCount() == everything - 1_000)
        actions.offer(lambda _right: True)
        assert not actions.lacking("delete_found")


@pytest.mark.generation5("ids to delete are in a body")
async def test_a_deletion_whose_answer_is_lost_is_repeated(
    browse: Browse, actions: Actions, own_chaos: Chaos
) -> None:
    """Deleting the same ids twice does no harm; the second answer says that they are gone."""
    own_chaos.inject({"fault": "lost-delete-answer", "times": 1})
    async with browse() as (view, _controller):
        everything = view.model.rowCount()
        view.table.selectRow(0)
        actions["delete_selected"].trigger()
        dialog = await deletion_dialog(view)
        dialog.keep.setChecked(False)
        dialog.accept_button.click()
        await until(view.notice.isVisible)
        assert own_chaos.injected == 1
        assert view.notice.title == "Deleted"
        assert view.notice.text.endswith("1 had already been deleted.")
        await until(lambda: view.model.rowCount() == everything - 1)


async def test_without_an_answer_it_is_unknown_what_was_deleted() -> None:
    """It is not claimed that these events are still in the log, unless the service has refused the call."""

    async def pages() -> AsyncIterator[Sequence[Event]]:
        yield [Event(id=1, type="SEARCH"), Event(id=2, type="SEARCH")]

    async def failed(error: Exception) -> ErrorMessage:
        async def delete(_ids: Sequence[int]) -> int:
            raise error

        deletion = Deletion(delete, None)
        with pytest.raises(type(error)):
            await deletion.run(pages(), lambda _progress: None)
        return failure_message(deletion, error)

    lost = await failed(UnreachableError("disconnected"))
    assert lost.title == "Deletion incomplete"
    assert lost.remedy.startswith("Deleted: 0 of 2 events. Of 2 of them it is unknown")
    refused = await failed(UserError("user", "error.user.generic", status=400))
    assert refused.title == "Not deleted"
    assert refused.remedy == "Deleted: 0 of 2 events. The others are still in the log."


async def test_matches_are_deleted(browse: Browse, actions: Actions) -> None:
    """All rows of a search, which are deleted by their ids; others stay."""
    async with browse() as (view, controller):
        everything = view.model.rowCount()
        controller.show_query(Query(conditions=(Condition("type=OBJECT_DELETE", PatternKind.KEY),)))
        await until(lambda: ended(view))
        count = view.model.rowCount()
        assert 0 < count < 200
        actions["delete_found"].trigger()
        dialog = await deletion_dialog(view)
        assert "The events found with these filters: Type: OBJECT_DELETE." in dialog.text
        dialog.keep.setChecked(False)
        dialog.accept_button.click()
        await until(lambda: ended(view) and view.model.rowCount() == 0)
        controller.show_query(Query())
        await until(lambda: view.model.rowCount() == everything - count)


def test_one_event_is_described_in_the_singular() -> None:
    """The dialog shows no list and no time range."""
    moment = datetime(2026, 11, 22, 5, 1, 4, tzinfo=UTC)
    assert selected_text([987]) == "The selected event: 987."
    assert time_span_text(moment, moment).startswith("Time: 2026-11-2")
    assert time_span_text(moment, moment + timedelta(seconds=1)).startswith("The first is from 2026-11-2")
