"""Tests of the table model of a result."""

from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from cdb_desktop.events.result import PAGE_SIZE, QueryResult
from cdb_desktop.queries.query import ResolvedQuery
from cdb_desktop.ui.events.browser.model import ResultModel
from tests.desktop.ui.widgets.builders import event


def test_rows_are_added_without_moving_others(qtbot: QtBot) -> None:
    """The count appends rows, a page fills placeholders; Qt's model tester passes."""
    model = ResultModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_waiting(60)
    assert (model.rowCount(), model.event_at(0)) == (60, None)
    result = QueryResult(ResolvedQuery(), [event(place) for place in range(PAGE_SIZE)])
    model.show_result(result)
    assert model.rowCount() == PAGE_SIZE
    result.total = 2_500
    with qtbot.waitSignal(model.rowsInserted):
        model.show_rows()
    result.add_page(2, [event(2 * PAGE_SIZE + place) for place in range(500)])
    with qtbot.waitSignal(model.dataChanged) as changed:
        model.show_page(2)
    first, last = (changed.args or [])[:2]
    assert (first.row(), last.row()) == (2_000, 2_499)


def test_a_shorter_result_removes_rows(qtbot: QtBot) -> None:
    """Rows of events that others have deleted are removed."""
    result = QueryResult(ResolvedQuery(), [event(place) for place in range(PAGE_SIZE)])
    result.total = 5_000
    model = ResultModel()
    model.show_result(result)
    result.shrink(PAGE_SIZE + 1)
    result.add_page(1, [event(PAGE_SIZE)])
    model.show_page(1)
    assert model.rowCount() == PAGE_SIZE + 1
