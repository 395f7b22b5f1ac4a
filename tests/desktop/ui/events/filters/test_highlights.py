"""Tests of color marks."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from cdb_desktop.client import Event
from cdb_desktop.events.result import QueryResult
from cdb_desktop.queries.query import ResolvedQuery
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.filters.highlights import HighlightController, HighlightPopup
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.theme.tokens import LIGHT
from cdb_desktop.ui.widgets.event_table.marks import TONES, Marks
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse

EVENTS = [Event(id=2, type="OBJECT_DELETE"), Event(id=1, type="SEARCH")]


def test_the_first_matching_rule_applies() -> None:
    """In the order of the colors; blank text is no rule."""
    marks = Marks({"danger": "object", "good": "DELETE", "warning": "  "})
    assert [marks.of(event) for event in EVENTS] == [TONES.index("good"), None]
    assert marks.texts == {"good": "DELETE", "danger": "object"}
    assert Marks({}).of(EVENTS[0]) is None
    assert all(hasattr(LIGHT, tone) for tone in TONES)


async def test_rules_are_typed_and_remembered(browse: Browse, actions: Actions) -> None:
    """They apply to the current rows and after a restart."""
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        actions["highlight"].trigger()
        popup = QApplication.activePopupWidget()
        assert isinstance(popup, HighlightPopup)
        line = popup.findChild(QLineEdit, "events.highlight.warning")
        assert isinstance(line, QLineEdit)
        QTest.keyClicks(line, "USER_LOGIN")
        QTest.keyClick(line, Qt.Key.Key_Return)
        assert view.model.mark_of(Event(id=5, type="USER_LOGIN")) == TONES.index("warning")
    async with browse() as (view, _controller):
        assert view.model.marks.texts == {"warning": "USER_LOGIN"}
        view.settings.setValue("events/highlight", "[")
        HighlightController(view)
        assert view.model.marks.texts == {}


def test_a_marked_row_has_a_colored_edge(again: Callable[[], EventsView], appearance: Appearance) -> None:
    """Other rows have none."""
    view = again()
    view.show_result(QueryResult(ResolvedQuery(), EVENTS))
    view.model.show_marks(Marks({"danger": "DELETE"}))
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
