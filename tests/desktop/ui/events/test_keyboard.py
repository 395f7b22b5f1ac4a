"""Tests of the event browser with the keyboard only."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from cdb_desktop.queries.query import Query, QueryPart
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, active_popup
from tests.desktop.ui.finding import child_of, focus_widget
from tests.desktop.ui.menus import open_menu

TAB, SPACE, DOWN = Qt.Key.Key_Tab, Qt.Key.Key_Space, Qt.Key.Key_Down


def stops(view: EventsView, first: QWidget) -> list[QWidget]:
    """The widgets that Tab visits from ``first`` until it returns."""
    first.setFocus()
    seen: list[QWidget] = []
    while focus_widget() not in seen:
        seen.append(focus_widget())
        QTest.keyClick(focus_widget(), TAB)
    return seen


async def test_focus_selects_no_event(browse: Browse, actions: Actions) -> None:
    """There is no current row at first; Down selects the first one."""
    async with browse() as (view, _controller):
        view.filter_bar.add_button.setFocus()
        view.table.setFocus(Qt.FocusReason.PopupFocusReason)
        assert view.table.current_event is None
        assert view.inspector.details is None
        assert not actions["delete_selected"].isEnabled()
        QTest.keyClick(view.table, DOWN)
        assert view.table.currentIndex().row() == 0
        assert view.table.selectionModel().isRowSelected(0)
        assert actions["delete_selected"].isEnabled()


async def test_down_from_the_type_search_selects_the_first(browse: Browse) -> None:
    """The best match is the first item, and no arrow skips it."""
    async with browse() as (view, controller):
        view.filter_controller.edit(QueryPart.TYPE, view.filter_bar.add_button)
        search = focus_widget()
        QTest.keyClicks(search, "SEARCH")
        QTest.keyClick(search, DOWN)
        QTest.keyClick(focus_widget(), SPACE)
        QTest.keyClick(focus_widget(), Qt.Key.Key_Return)
        assert controller.query.types == ("SEARCH",)


async def test_tab_follows_the_visual_order_of_the_page(browse: Browse, actions: Actions) -> None:
    """Query line, chips, overview, counts, rows, inspector: no part is skipped."""
    async with browse() as (view, controller):
        actions["facets"].setChecked(True)
        listed = [event for row in range(500) if (event := view.model.event_at(row)) is not None]
        user = next(event.user_id for event in listed if event.type == "SEARCH" and event.user_id)
        controller.show_query(Query(types=("SEARCH",), users=(user,)))
        await until(lambda: "of" in view.count.text and view.has_rows)
        view.table.go_to(0)
        await until(lambda: (shown := view.inspector.details) and shown.is_whole)
        around = view.panels
        parts = (
            view.query_line,
            view.filter_bar.chip(QueryPart.TYPE),
            view.filter_bar.chip(QueryPart.USER),
            view.views_button,
            around.histogram,
            around.facets.tree,
            view.table,
            view.inspector.fields,
        )
        seen = stops(view, view.query_line)
        places = [seen.index(part) for part in parts]
        assert places == sorted(places)


async def test_tab_follows_the_visual_order_of_a_popup(browse: Browse) -> None:
    """From the presets over both bounds to the buttons; before, the rows of the page have the focus."""
    async with browse() as (view, _controller):
        view.filter_controller.edit(QueryPart.DATE, view.filter_bar)
        popup = active_popup()
        seen: list[str] = []
        for _step in range(16):
            seen.append(popup.focusWidget().objectName())
            QTest.keyClick(popup.focusWidget(), TAB)
        presets = ["quarter_hour", "hour", "day", "today", "yesterday", "week", "month"]
        presets += ["this_week", "last_week", "this_month", "last_month", "from_now"]
        wanted = [*presets, "from.line", "to.line", "any"]
        assert seen == [*(f"events.dates.{name}" for name in wanted), "events.popup.apply"]
        QTest.keyClick(popup, Qt.Key.Key_Escape)


async def test_escape_in_the_rows_closes_the_panels(browse: Browse, actions: Actions) -> None:
    """First the inspector, then the requests."""
    async with browse() as (view, _controller):
        for name in ("requests", "inspector"):
            actions[name].setChecked(True)
        view.table.setFocus()
        view.table.selectRow(0)
        for shown in ((False, True), (False, False), (False, False)):
            QTest.keyClick(view.table, Qt.Key.Key_Escape)
            assert (actions["inspector"].isChecked(), actions["requests"].isChecked()) == shown
            assert view.table.hasFocus()


async def test_removing_a_chip_focuses_the_next_one(browse: Browse) -> None:
    """Pressing Del three times removes three filters; then the button that adds one has the focus."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",), base_types=("user",), users=(1,)))
        view.filter_bar.chip(QueryPart.TYPE).setFocus()
        for left in (2, 1, 0):
            QTest.keyClick(focus_widget(), Qt.Key.Key_Delete)
            assert len(view.filter_bar.summaries) == left
        assert focus_widget() is view.filter_bar.chip(QueryPart.TYPE)
        assert controller.query == Query()
        await until(lambda: view.model.rowCount() >= 2000)


async def test_filtering_from_the_rows_keeps_their_focus(browse: Browse) -> None:
    """A new chip does not take the focus."""
    async with browse() as (view, controller):
        view.table.setFocus()
        view.filter_controller.edit(QueryPart.DATE, view.filter_bar)
        QTest.keyClick(active_popup().focusWidget(), SPACE)
        assert controller.query.parts == (QueryPart.DATE,)
        assert view.window().focusWidget() is view.table


async def test_values_are_checked_in_succession(browse: Browse, actions: Actions) -> None:
    """A new count keeps the check marks and the current item."""
    async with browse() as (view, controller):
        actions["facets"].setChecked(True)
        tree = view.panels.facets.tree
        # Values appear one by one, as they are counted.
        await until(lambda: len(list(view.panels.facets._items())) > 1)
        items = list(view.panels.facets._items())
        names = [item.text(0) for item in items]
        tree.setFocus()
        tree.setCurrentItem(items[0])
        for key in (SPACE, DOWN, SPACE):
            QTest.keyClick(tree, key)
        assert controller.query.types == tuple(names[:2])
        await until(lambda: "of" in view.count.text)
        await until(lambda: view.panels.facets._shown and view.panels.facets._query == controller.query)
        assert [item.text(0) for item in tree.selectedItems()] == [names[1]]
        controller.show_query(Query())
        ticked = [item.text(0) for item in view.panels.facets._items() if item.checkState(0).value]
        assert ticked == []


async def test_the_menu_key_opens_the_menu_of_the_current_row(browse: Browse) -> None:
    """It opens below the row; Qt's position ignores the header."""
    async with browse() as (view, _controller):
        view.table.go_to(4)
        rect = view.table.visualRect(view.table.currentIndex())
        at, current = rect.center(), view.table.current_event
        assert current is not None
        requested: list[object] = []
        view.table.menu_requested.connect(lambda event, place, _column: requested.extend((event, place)))
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(view.table, QContextMenuEvent(reason, at, view.table.mapToGlobal(at)))
        below = view.table.viewport().mapToGlobal(QPoint(0, rect.bottom())).y() + 1
        assert requested[0] == current
        assert isinstance(requested[1], QPoint)
        assert requested[1].y() == below
        menu = open_menu()
        menu.close()


async def test_previous_queries_are_listed(browse: Browse, actions: Actions) -> None:
    """The most recent first, without duplicates, with their order; choosing one runs it."""
    async with browse() as (view, controller):
        for types in (("SEARCH",), ("USER_LOGIN",), ("SEARCH",)):
            controller.show_query(Query(types=types))
        view.table.sort_requested.emit("type", False)
        controller.show_query(Query())
        actions["views"].trigger()
        menu = child_of(view, QMenu, "events.views.menu")
        (before,) = (one.menu() for one in menu.actions() if plain(one.text()) == "Recent queries")
        assert isinstance(before, QMenu)
        offered = before.actions()
        assert [one.text() for one in offered] == [
            "Type: SEARCH · by Type ▴",
            "Type: SEARCH",
            "Type: USER_LOGIN",
        ]
        offered[2].trigger()
        assert controller.query == Query(types=("USER_LOGIN",))
        menu.close()
