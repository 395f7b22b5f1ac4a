"""Tests of ordering and pinning columns in the popup and in the table."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from cdb_desktop.events.result import QueryResult
from cdb_desktop.queries.query import ResolvedQuery
from cdb_desktop.queries.saved_views import ColumnState
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.columns_popup import ColumnsPopup
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.finding import open_popup
from tests.desktop.ui.widgets.builders import event

USUAL = ("id", "time", "type", "user", "object", "summary")
WIDE = (*USUAL, "basetype", "objecttype", "schema", "global_object_id", "user_id")
ALT = Qt.KeyboardModifier.AltModifier


def full(view: EventsView) -> None:
    """A browser with rows and with more columns than fit."""
    view.actions_by_name["inspector"].setChecked(False)
    view.resize(700, 400)
    view.show_result(QueryResult(ResolvedQuery(), [event(number) for number in range(900, 0, -1)]))
    view.columns.show(WIDE, ("type",))
    QApplication.processEvents()


def open_columns(actions: Actions) -> ColumnsPopup:
    """Opens the columns popup with its shortcut."""
    actions["columns"].trigger()
    return open_popup(ColumnsPopup)


async def test_columns_are_ordered_and_pinned_with_keys(browse: Browse, actions: Actions) -> None:
    """Alt with arrows moves the current column, the pin key pins it; the table follows."""
    async with browse() as (view, _controller):
        popup = open_columns(actions)
        QTest.keyClick(popup.list.search, Qt.Key.Key_Down)
        QTest.keyClick(popup.list.list, Qt.Key.Key_Down)
        assert popup.list.list.currentItem().text() == "Type"
        QTest.keyClick(popup.list.list, Qt.Key.Key_Up, ALT)
        QTest.keyClick(popup.list.list, Qt.Key.Key_Up, ALT)
        assert not popup.up.isEnabled()
        QTest.keyClick(popup.list.list, Qt.Key.Key_Down)
        QTest.keyClick(popup.list.list, Qt.Key.Key_Down)
        popup.pin.click()
        assert popup.pin.text() == "Un&pin"
        assert popup.list.list.currentRow() == 0
        QTest.keyClick(popup.list.list, Qt.Key.Key_Down, ALT)
        assert popup.list.list.currentRow() == 0
        QTest.keyClick(popup.list.list, Qt.Key.Key_Return)
        assert view.columns.shown == ("time", "type", "id", "user", "object", "summary")
        assert view.columns.pinned == ("time",)
        popup = open_columns(actions)
        assert popup.list.pinned == ("time",)
        QTest.keyClick(popup.list.search, Qt.Key.Key_Escape)
        assert view.table.pinned.places == (1,)


async def test_alt_arrows_in_a_popup_do_not_move_the_current_row(browse: Browse, actions: Actions) -> None:
    """On the page they select the next row; in an open popup they do not."""
    async with browse() as (view, _controller):
        view.table.go_to(5)
        popup = open_columns(actions)
        QTest.keyClick(popup.list.search, Qt.Key.Key_Down, ALT)
        assert view.table.currentIndex().row() == 5
        assert popup.list.ticked[:2] == ("time", "id")


def test_a_pinned_column_does_not_scroll(view: EventsView) -> None:
    """Its cells are painted at the left, and a click on them selects the row."""
    full(view)
    table, header = view.table, view.table.horizontalHeader()
    place = table.pinned.places[0]
    assert header.visualIndex(place) == 0
    before = table.grab().toImage().copy(0, 0, table.pinned.width - 2, 200)
    QTest.keyClick(table, Qt.Key.Key_Right)
    QTest.keyClick(table, Qt.Key.Key_Right)
    offset = table.horizontalScrollBar().value()
    assert offset == header.sectionPosition(header.logicalIndex(3)) - table.pinned.width
    QApplication.processEvents()
    assert table.grab().toImage().copy(0, 0, table.pinned.width - 2, 200) == before
    at = QPoint(20, table.rowViewportPosition(4) + 5)
    assert table.indexAt(at).column() == place
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert table.selected_ranges == [(4, 4)]
    for _step in range(30):
        QTest.keyClick(table, Qt.Key.Key_Down)
    assert table.currentIndex().row() == 34
    assert table.horizontalScrollBar().value() == offset
    QTest.keyClick(table, Qt.Key.Key_Left)
    assert table.horizontalScrollBar().value() < offset
    assert table.currentIndex().row() == 34


def test_a_jump_centers_the_row(view: EventsView) -> None:
    """Rows before and after it are visible; a jump to a visible row does not scroll."""
    full(view)
    view.table.go_to(400)
    first, last = view.table.visible_rows()
    assert abs((first + last) / 2 - 400) <= 2
    view.table.go_to(last - 1)
    assert view.table.visible_rows() == (first, last)


def test_a_click_on_a_pinned_header_sorts(view: EventsView) -> None:
    """As with any other header; resizing the header resizes the column."""
    full(view)
    requested: list[str] = []
    view.table.sort_requested.connect(lambda field, _also: requested.append(field))
    titles = view.table.pinned.titles
    assert titles.isVisible()
    QTest.mouseClick(titles.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(30, 12))
    assert requested == ["type"]
    titles.resizeSection(view.table.pinned.places[0], 150)
    assert ColumnState("type", 150, pinned=True) in view.columns.states
    assert view.table.pinned.width == 150


def test_several_pinned_columns_keep_their_order(view: EventsView) -> None:
    """Titles, cells and clicks are those of the columns as they are shown, not as the model has them."""
    full(view)
    view.columns.show(("user", "type", *USUAL[:2], "summary", "basetype"), ("user", "type"))
    QApplication.processEvents()
    header, pinned = view.table.horizontalHeader(), view.table.pinned
    assert pinned.places == (header.logicalIndex(0), header.logicalIndex(1))
    order = map(pinned.titles.logicalIndex, range(header.count()))
    assert tuple(place for place in order if not pinned.titles.isSectionHidden(place)) == pinned.places
    second = QPoint(pinned.width - 5, view.table.rowViewportPosition(2) + 5)
    assert view.table.indexAt(second).column() == pinned.places[1]
    pinned.titles.resizeSection(pinned.places[1], 90)
    assert header.sectionSize(pinned.places[1]) == 90
    assert view.table.indexAt(second + QPoint(50, 0)).column() not in pinned.places


def test_pinned_columns_are_remembered_and_stay_first(
    view: EventsView, again: Callable[[], EventsView]
) -> None:
    """After a restart, and when another column is dragged before them."""
    full(view)
    view.columns._keep()
    second = again()
    assert second.columns.states == view.columns.states
    assert second.columns.pinned == ("type",)
    header = second.table.horizontalHeader()
    header.moveSection(3, 0)
    QApplication.processEvents()
    assert second.columns.shown[:2] == ("type", "user")
    second.columns.apply((ColumnState("id"), ColumnState("time")))
    assert not second.table.pinned.titles.isVisible()
    assert not any(state.pinned for state in second.columns.states)


def test_the_stretched_width_of_the_last_column_is_not_stored(
    view: EventsView, again: Callable[[], EventsView]
) -> None:
    """Stored in a wide window, it would need scrolling in a narrow one."""
    view.actions_by_name["inspector"].setChecked(False)
    view.resize(1600, 400)
    QApplication.processEvents()
    assert view.table.horizontalHeader().length() == view.table.viewport().width()
    view.columns._keep()
    second = again()
    second.resize(800, 400)
    QApplication.processEvents()
    assert second.table.horizontalHeader().length() == second.table.viewport().width()


def test_the_object_gives_way_to_the_summary(view: EventsView) -> None:
    """In a narrow table only; it still counts as a chosen column, and no width is stored for it."""
    view.actions_by_name["inspector"].setChecked(False)
    header, place = view.table.horizontalHeader(), USUAL.index("object")
    for width, gives_way in ((1000, False), (700, True), (1000, False)):
        view.resize(width, 400)
        QApplication.processEvents()
        assert header.isSectionHidden(place) is gives_way
        assert header.length() == view.table.viewport().width()
        assert header.sectionSize(USUAL.index("summary")) >= view.columns._least_width(
            5, view.columns._usual_width(5)
        )
        assert view.columns.shown == USUAL
    view.resize(700, 400)
    view.columns.show(USUAL, ("object",))
    QApplication.processEvents()
    assert not header.isSectionHidden(place)


def test_pinned_columns_leave_room_for_others(view: EventsView) -> None:
    """As many columns as fit are pinned; the others scroll until the window is wider."""
    full(view)
    view.columns.show(WIDE, WIDE[:5])
    narrow = len(view.table.pinned.places)
    assert 0 < narrow < 5
    assert view.table.pinned.width <= 0.7 * view.table.viewport().width()
    view.resize(1800, 400)
    QApplication.processEvents()
    assert len(view.table.pinned.places) == 5
