"""Tests of the states of the event browser."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cdb_desktop.events.event_details import event_details
from cdb_desktop.events.result import QueryResult
from cdb_desktop.queries.history import QueryHistory
from cdb_desktop.queries.query import Query, ResolvedQuery
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.theme.appearance import Choice
from cdb_desktop.ui.widgets.empty_state import EmptyState
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan
from tests.desktop.ui.widgets.builders import event


def test_a_failure_has_a_reason_and_a_retry_button(qtbot: QtBot, view: EventsView) -> None:
    """Retrying shows the table again, with placeholders from the beginning, so that nothing moves."""
    view.show_failure(ErrorMessage("Title", "It broke.", "Mend it."))
    picture = _picture(view)
    assert (picture.text, picture.step) == ("It broke. Mend it.", "Try again")
    with qtbot.waitSignal(view.reload_requested):
        picture.step_requested.emit()
    view.show_loading()
    assert view.table.isVisible()
    assert (view.model.rowCount(), view.has_rows) == (60, False)


def test_filters_that_find_nothing_are_named(qtbot: QtBot, view: EventsView) -> None:
    """A button removes them; an empty log is none, nor a failure."""
    view.show_result(QueryResult(ResolvedQuery(), []))
    assert _picture(view).text.startswith("The service has not written any events yet.")
    view.show_query(QueryHistory(Query(types=("SEARCH",), span=TimeSpan(TimePreset.TODAY))))
    view.show_result(QueryResult(ResolvedQuery(), []))
    picture = _picture(view)
    assert "Type: SEARCH · Date: today" in picture.text
    assert picture.step == "Clear filters"
    with qtbot.waitSignal(view.query_requested) as blocker:
        picture.step_requested.emit()
    assert blocker.args == [Query()]


def test_the_inspector_restores_its_visibility(view: EventsView, again: Callable[[], EventsView]) -> None:
    """Once closed it stays closed after a restart; Return on a row opens it."""
    shown = event_details(event(1), is_whole=True)
    view.inspector.show_details(shown)
    assert view.inspector.isVisible()
    QTest.keyClick(view.table, Qt.Key.Key_Escape)
    assert not view.inspector.isVisible()
    second = again()
    second.inspector.show_details(shown)
    assert not second.inspector.isVisible()
    QTest.keyClick(second.table, Qt.Key.Key_Return)
    assert second.inspector.isVisible()


def test_a_lost_session_keeps_the_rows(view: EventsView) -> None:
    """Rows stay visible with a notice; without rows the page offers to sign in."""
    message = ErrorMessage("Signed out", "The session is over.", "Sign in again.")
    view.show_signed_out(message)
    assert _picture(view).step == "Sign in again"
    view.show_result(QueryResult(ResolvedQuery(), [event(1)]))
    view.show_signed_out(message)
    assert view.table.isVisible()
    assert view.notice.title == "Signed out"


def test_unavailable_actions_are_disabled(view: EventsView, actions: Actions) -> None:
    """Without filters, history or rows."""
    view.show_query(QueryHistory())
    view.show_result(QueryResult(ResolvedQuery(), []))
    offered = {
        name for name in ("clear_filters", "query_back", "export", "jump") if actions[name].isEnabled()
    }
    assert offered == set()
    view.show_query(QueryHistory().then(Query(types=("SEARCH",))))
    view.show_result(QueryResult(ResolvedQuery(), [event(1)]))
    assert all(actions[name].isEnabled() for name in ("clear_filters", "query_back", "export", "jump"))


def test_messages_follow_the_theme(view: EventsView) -> None:
    """Also those shown before the theme changed."""
    themes: tuple[Choice, ...] = ("dark", "light")
    for theme in themes:
        view.appearance.choose(theme)
        color = view.inspector._note.palette().color(QPalette.ColorRole.WindowText)
        assert color.name() == view.appearance.tokens.muted.lower()


def _picture(view: EventsView) -> EmptyState:
    picture = view.empty_page.state
    assert picture.isVisible()
    return picture
