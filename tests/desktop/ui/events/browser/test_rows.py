"""Tests of selecting, copying and jumping in the event browser, with the reference server."""

from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest

from cdb_desktop.client import Event
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.server import both_generations

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def current_id(view: EventsView) -> int | None:
    """The id of the event in the current row, or None if it is not loaded."""
    event = view.table.current_event
    return None if event is None else event.id


async def test_end_and_home_go_to_either_end(browse: Browse) -> None:
    """The last event is fetched when End is pressed."""
    async with browse() as (view, _controller):
        QTest.keyClick(view.table, Qt.Key.Key_End)
        await until(lambda: current_id(view) == 1)
        await until(lambda: view.inspector.details and view.inspector.details.event.id == 1)
        QTest.keyClick(view.table, Qt.Key.Key_Home)
        assert view.table.currentIndex().row() == 0


async def test_everything_can_be_selected(browse: Browse) -> None:
    """The number of selected rows is shown beside the count."""
    async with browse() as (view, _controller):
        QTest.keyClick(view.table, Qt.Key.Key_A, CONTROL)
        rows = view.model.rowCount()
        assert f"{QLocale().toString(rows)} selected" in view.count.text


@both_generations
async def test_the_inspector_shows_the_complete_record(browse: Browse, generation: int) -> None:
    """First the fields of the row, then the complete record, with a masked session token.

    Where rows are complete records, none is fetched.
    """
    async with browse() as (view, _controller):
        view.table.go_to(3)
        shown = view.inspector.details
        assert shown is not None
        assert (shown.event.id, shown.is_whole) == (current_id(view), generation == 6)
        await until(lambda: (now := view.inspector.details) and now.is_whole)
        assert view.inspector.note == ""
        assert '"info"' in view.inspector.json.text
        view.inspector.next_requested.emit()
        assert view.table.currentIndex().row() == 4
        assert view.inspector.details.event.id == current_id(view)  # type: ignore[union-attr]


async def test_a_deleted_event_is_reported_in_the_inspector(browse: Browse) -> None:
    """The fields of the row remain visible."""
    async with browse() as (view, _controller):
        view.table.record_chosen.emit(Event(id=10**12, type="SEARCH"))
        await until(lambda: "deleted" in view.inspector.note)
        assert view.inspector.title == "SEARCH"


@both_generations
async def test_events_of_an_object_are_searched(browse: Browse, generation: int) -> None:
    """Only those are read where the service filters by object, unless there are none."""
    async with browse() as (view, controller):
        first = next(
            event for row in range(500) if (event := view.model.event_at(row)) and event.objecttype == "work"
        )
        for number, is_found in ((first.object_id, True), (10**6, False)):
            asked = Condition(f"work {number}", PatternKind.OBJECT)
            controller.show_query(Query(conditions=(asked,)))

            def searched(asked: Condition = asked, *, is_found: bool = is_found) -> MatchedResult | None:
                result = view.model.result
                if not isinstance(result, MatchedResult) or result.resolved_query.conditions != (asked,):
                    return None
                is_all = result.progress.searched >= 2000
                return result if result.is_complete and (is_all or is_found) else None

            await until(searched)
            result = searched()
            assert result is not None
            assert (result.found > 0) is is_found
            is_narrowed = is_found and generation == 6
            assert (result.progress.searched < 2000) is is_narrowed
