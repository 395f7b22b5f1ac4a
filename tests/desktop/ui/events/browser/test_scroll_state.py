"""Tests of restoring the selection after a refresh when its event is not loaded yet."""

from cdb_desktop.events.result import PAGE_SIZE, QueryResult
from cdb_desktop.queries.query import ResolvedQuery
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.ui.widgets.builders import event


def test_a_selected_row_that_is_not_loaded_stays_selected(view: EventsView) -> None:
    """It moves down by the number of new rows."""
    view.show_result(_result(20_000, total=20_000))
    view.table.go_to(20_000)
    assert view.table.current_event is None
    view.show_result(_result(20_002, total=20_002))
    assert view.table.currentIndex().row() == 20_001


def test_a_selected_event_survives_two_refreshes_before_its_page_is_loaded(view: EventsView) -> None:
    """The second refresh uses the state that the first one is restoring."""
    view.show_result(_result(5_000, total=3_000))
    view.table.go_to(10)
    for newest in (7_000, 7_001):
        view.show_result(_result(newest, total=5_000))
        assert view.table.current_event is None
    assert view.model.result is not None
    view.model.result.add_page(2, [event(7_001 - row) for row in range(2 * PAGE_SIZE, 3 * PAGE_SIZE)])
    view.show_page(2)
    assert view.table.current_event is not None
    assert view.table.current_event.id == 4_990


def _result(newest: int, *, total: int) -> QueryResult:
    """A result whose first page is loaded."""
    result = QueryResult(ResolvedQuery(), [event(newest - row) for row in range(PAGE_SIZE)])
    result.total = total
    return result
