"""Tests of color marks."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from cdb_desktop.client import Event
from cdb_desktop.events.result import QueryResult
from cdb_desktop.queries.query import Query, ResolvedQuery
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.view import EventsView, HighlightController, HighlightPopup
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.theme.tokens import LIGHT
from cdb_desktop.ui.widgets.event_table.model import TONES, Marks
from cdb_desktop.ui.widgets.query_line import QueryLine
from cdb_desktop.vocabulary.pattern import Condition
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.finding import child_of, open_popup

EVENTS = [Event(id=2, type="OBJECT_DELETE"), Event(id=1, type="SEARCH")]
LOGINS = Query(types=("USER_LOGIN",))


def _text(text: str) -> Query:
    return Query(conditions=(Condition(text),))


def _opened(tone: str) -> tuple[HighlightPopup, QueryLine]:
    popup = open_popup(HighlightPopup)
    line = child_of(popup, QueryLine, f"events.highlight.{tone}")
    line.setFocus()
    return popup, line


def test_the_first_matching_rule_applies() -> None:
    """In the order of the colors; a query without filters is no rule."""
    marks = Marks({"danger": _text("object"), "good": _text("DELETE"), "warning": Query()})
    assert [marks.of(event) for event in EVENTS] == [TONES.index("good"), None]
    assert marks.queries == {"good": _text("DELETE"), "danger": _text("object")}
    assert Marks({}).of(EVENTS[0]) is None
    assert all(hasattr(LIGHT, tone) for tone in TONES)


@pytest.mark.generation5("types are named otherwise there")
async def test_rules_are_typed_and_remembered(browse: Browse, actions: Actions) -> None:
    """They apply to the current rows and after a restart."""
    async with browse() as (view, _controller):
        actions["highlight"].trigger()
        _popup, line = _opened("warning")
        QTest.keyClicks(line, "type:user_l")
        assert line.completion_texts == ["type:USER_LOGIN", "type:USER_LOGOUT"]
        offered = QApplication.activePopupWidget()
        assert offered is not None
        QTest.keyClick(offered, Qt.Key.Key_Down)
        QTest.keyClick(offered, Qt.Key.Key_Return)
        assert line.text() == "type:USER_LOGIN "
        QTest.keyClicks(line, "us")
        QTest.keyClick(offered, Qt.Key.Key_Backspace)
        QTest.keyClick(offered, Qt.Key.Key_Backspace)
        QTest.keyClick(line, Qt.Key.Key_Return)
        await until(lambda: bool(view.model.marks.queries))
        assert view.model.mark_of(Event(id=5, type="USER_LOGIN")) == TONES.index("warning")
    async with browse() as (view, _controller):
        assert view.model.marks.queries == {"warning": LOGINS}
        view.settings.setValue("events/highlight-2", "[")
        HighlightController(view)
        assert view.model.marks.queries == {}


async def test_what_has_no_meaning_keeps_the_popup_open(browse: Browse, actions: Actions) -> None:
    """Its line says why; Escape cancels, and what was in force stays."""
    async with browse() as (view, _controller):
        view.highlighting.apply({"good": LOGINS})
        actions["highlight"].trigger()
        popup, line = _opened("good")
        assert line.text() == "type:USER_LOGIN"
        for text, reason in (("/(/", "Not a valid expression"), ("last week", "dates cannot be used here")):
            line.setText(text)
            QTest.mouseClick(popup.apply, Qt.MouseButton.LeftButton)
            hint = child_of(line, QLabel, "events.query.error")
            assert reason in hint.text()
            assert popup.isVisible()
            assert line.selectedText() == text
        QTest.keyClick(line, Qt.Key.Key_Escape)
        QTest.keyClick(line, Qt.Key.Key_Escape)
        assert not popup.isVisible()
        assert view.model.marks.queries == {"good": LOGINS}


async def test_none_removes_all_rules(browse: Browse, actions: Actions) -> None:
    """One click and Apply."""
    async with browse() as (view, _controller):
        view.highlighting.apply({"good": LOGINS, "danger": _text("denied")})
        actions["highlight"].trigger()
        popup, line = _opened("danger")
        assert line.text() == '"denied"'
        reset = next(one for one in popup.findChildren(QPushButton) if one.text() == "None")
        QTest.mouseClick(reset, Qt.MouseButton.LeftButton)
        QTest.mouseClick(popup.apply, Qt.MouseButton.LeftButton)
        assert view.model.marks.queries == {}


def test_a_marked_row_has_a_colored_edge(again: Callable[[], EventsView], appearance: Appearance) -> None:
    """Other rows have none."""
    view = again()
    view.show_result(QueryResult(ResolvedQuery(), EVENTS))
    view.model.show_marks(Marks({"danger": _text("DELETE")}))
    picture = view.table.viewport().grab().toImage()
    row = view.table.rowHeight(0)
    edges = [picture.pixelColor(1, row * place + row // 2) for place in (0, 1)]
    assert edges[0] == QColor(appearance.tokens.danger)
    assert edges[1] == QColor(appearance.tokens.ground)


def test_the_number_of_a_mark_is_separate_from_long_ids(view: EventsView) -> None:
    """Ids above a million leave a gap; both must not be read as one number."""
    metrics = view.table.fontMetrics()
    taken = metrics.horizontalAdvance("4") + metrics.horizontalAdvance("1,000,000") + 3 * GAP
    assert view.table.columnWidth(0) >= taken
