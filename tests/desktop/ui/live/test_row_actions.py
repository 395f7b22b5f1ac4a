"""Tests of the actions for rows."""

import json
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Event
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.typed_query import field_condition
from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.live.feed_table import FeedTable
from cdb_desktop.ui.widgets.popup import Popup
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.live.conftest import LiveWindow
from tests.desktop.ui.menus import entry, texts

MOUSE = QContextMenuEvent.Reason.Mouse


@pytest.fixture
def focused(qtbot: QtBot, live: LiveWindow) -> LiveWindow:
    """A focused feed with rows 40 to 42 selected, of which 42 is current."""
    live.view.table.selectRow(42)
    selection = live.view.table.selectionModel()
    for row in (40, 41):
        selection.select(
            live.view.model.index(row, 0), selection.SelectionFlag.Select | selection.SelectionFlag.Rows
        )
    with qtbot.waitActive(live.window):
        live.window.activateWindow()
    live.view.table.setFocus()
    return live


def test_rows_are_copied_as_table_and_as_json(focused: LiveWindow) -> None:
    """By shortcut, in the order of the rows."""
    focused.press(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QApplication.clipboard().text().splitlines()
    assert [line.split("\t")[0] for line in lines] == ["_id", "40", "41", "42"]
    focused.press(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    records = json.loads(QApplication.clipboard().text())
    assert [one["event"]["_id"] for one in records] == [40, 41, 42]


def test_return_requests_the_event_browser(qtbot: QtBot, focused: LiveWindow) -> None:
    with qtbot.waitSignal(focused.view.signals.event_chosen) as chosen:
        focused.press(Qt.Key.Key_Return)
    assert [event.id for event in chosen.args] == [42]


def test_the_menu_offers_the_type_of_the_row(qtbot: QtBot, focused: LiveWindow) -> None:
    """Only this type, all but this, or only this user."""
    _right_click(focused.view.table, 42)
    menu = child_of(focused.view.table, QMenu, "live.row.menu")
    assert texts(menu)[-3:] == ["Show only OBJECT_UPDATE", "Hide OBJECT_UPDATE", "Show only Anna Weber"]
    menu.actions()[-1].trigger()
    assert focused.view.model.feed.filter == Query(conditions=(field_condition("user", "Anna Weber"),))
    focused.view.set_filter(Query())
    menu.actions()[-2].trigger()
    assert focused.view.model.rowCount() == 85
    menu.close()


def test_rows_are_shared_by_menu_and_by_key(qtbot: QtBot, focused: LiveWindow) -> None:
    """The keys are those of the event browser, whose own selection is not shared meanwhile."""
    links: list[Event] = []
    tickets: list[tuple[list[Event], int]] = []
    page: list[str] = []
    focused.view.signals.link_requested.connect(links.append)
    focused.view.signals.ticket_requested.connect(lambda events, count: tickets.append((events, count)))
    for name in ("share_event", "share_ticket"):
        action = focused.actions[name]
        focused.window.addAction(action)
        action.setEnabled(True)
        action.triggered.connect(lambda _checked=False, name=name: page.append(name))
    _right_click(focused.view.table, 42)
    menu = child_of(focused.view.table, QMenu, "live.row.menu")
    entry(menu, "Copy link to event").trigger()
    entry(menu, "Copy for ticket").trigger()
    menu.close()
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    focused.press(Qt.Key.Key_A, control | shift)
    focused.press(Qt.Key.Key_T, control)
    assert [event.id for event in links] == [42, 42]
    assert [([one.id for one in events], count) for events, count in tickets] == [([40, 41, 42], 3)] * 2
    assert page == []


def test_a_copy_of_too_many_rows_has_a_notice(qtbot: QtBot, live: LiveWindow) -> None:
    live.add(100, 3000)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 3100)
    live.view.table.selectAll()
    live.view.table.setFocus()
    action = next(one for one in live.view.table.actions() if one.objectName() == "live.row.copy")
    action.trigger()
    assert len(QApplication.clipboard().text().splitlines()) == 1001
    assert live.view.notices.isVisible()
    assert live.view.notices.title == "Copied in part"


def test_a_commit_requests_its_version(qtbot: QtBot, live: LiveWindow) -> None:
    """No other row has this action."""
    words = "Show the schema version of this commit"
    live.view.add([Event(id=200, type="SCHEMA_COMMIT", timestamp=datetime(2026, 11, 20, 14, tzinfo=UTC))])
    table = live.view.table
    qtbot.waitUntil(lambda: live.ids[-1] == 200)
    for row, there in ((5, False), (live.view.model.rowCount() - 1, True)):
        table.selectRow(row)
        _right_click(table, row)
        menu = child_of(table, QMenu, "live.row.menu")
        entries = [action for action in menu.actions() if plain(action.text()) == words]
        assert bool(entries) is there
        if there:
            with qtbot.waitSignal(live.view.signals.schema_requested) as wanted:
                entries[0].trigger()
            assert [event.id for event in wanted.args] == [200]
        menu.close()
        menu.deleteLater()
        qtbot.waitUntil(lambda: table.findChild(QMenu, "live.row.menu") is None)


def test_shortcuts_go_from_mark_to_mark(qtbot: QtBot, focused: LiveWindow) -> None:
    for number in (100, 300, 500):
        focused.view.mark()
        qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), Popup))
        popup = QApplication.activePopupWidget()
        assert popup is not None
        QTest.keyClick(popup, Qt.Key.Key_Escape)
        focused.add(number, 200)
        qtbot.waitUntil(lambda: focused.view.model.rowCount() == number + 200)  # noqa: B023
    table, tops = focused.view.table, []
    table.follow()
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down):
        focused.press(key, Qt.KeyboardModifier.AltModifier)
        tops.append(table.verticalScrollBar().value() + 1)
    assert tops == [500, 300, 100, 100, 300]
    assert not table.is_following


def test_there_is_no_menu_below_the_rows(live: LiveWindow) -> None:
    """Though there is a current row."""
    table = live.view.table
    live.window.resize(900, 4000)
    table.selectRow(5)
    port = table.viewport()
    below = QPoint(20, table.rowViewportPosition(live.view.model.rowCount() - 1) + 60)
    assert not table.indexAt(below).isValid()
    QApplication.sendEvent(port, QContextMenuEvent(MOUSE, below, port.mapToGlobal(below)))
    assert table.findChild(QMenu, "live.row.menu") is None


def _right_click(table: FeedTable, row: int) -> None:
    table.scrollTo(table.model().index(row, 1))
    at, port = table.visualRect(table.model().index(row, 1)).center(), table.viewport()
    QApplication.sendEvent(port, QContextMenuEvent(MOUSE, at, port.mapToGlobal(at)))
