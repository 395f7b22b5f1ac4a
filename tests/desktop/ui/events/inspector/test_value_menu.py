"""Tests of the context menu of a line in the inspector."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QTabWidget, QTreeWidgetItem

from cdb_desktop.client import Sort
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.events.inspector.value_tree import ValueTree
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, ended, row_menu
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.menus import all_entries, entry, open_menu, submenus, texts


async def inspected(view: EventsView, tab: int) -> ValueTree:
    """Shows the first row in the inspector, with one of the trees."""
    view.table.go_to(0)
    await until(lambda: (shown := view.inspector.details) and shown.is_whole)
    tabs = child_of(view.inspector, QTabWidget)
    tabs.setCurrentIndex(tab)
    return view.inspector.info if tab else view.inspector.fields


def item_of(tree: ValueTree, name: str) -> QTreeWidgetItem:
    """The item with a name on the wire, which is its tooltip."""
    found = [item for place in range(tree.topLevelItemCount()) if (item := tree.topLevelItem(place))]
    return next(item for item in found if item.toolTip(0) == name)


def menu_at(tree: ValueTree, item: QTreeWidgetItem | None, *, by_key: bool = False) -> QMenu:
    """Opens the context menu of an item, or of the background for None, by right click or key."""
    place = QPoint(5, tree.viewport().height() - 3)
    if item is not None:
        place = tree.visualItemRect(item).center()
        tree.setCurrentItem(item)
    reason = QContextMenuEvent.Reason
    pressed = QContextMenuEvent(
        reason.Keyboard if by_key else reason.Mouse, place, tree.viewport().mapToGlobal(place)
    )
    QApplication.sendEvent(tree if by_key else tree.viewport(), pressed)
    return open_menu()


def choose(menu: QMenu, prefix: str) -> None:
    """Triggers an entry."""
    entry(menu, prefix).trigger()
    menu.close()


@pytest.mark.parametrize("by_key", [False, True])
async def test_a_field_is_copied_and_used_as_filter(browse: Browse, by_key: bool) -> None:
    """By mouse and by key."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH", "LOGIN_FAILED")))
        await until(lambda: "of" in view.count.text)
        tree = await inspected(view, 0)
        kind = view.inspector.title
        menu = menu_at(tree, item_of(tree, "type"), by_key=by_key)
        assert texts(menu) == [f"Only {kind}", f"Without type={kind}", "Copy value", "Copy"]
        assert texts(submenus(menu)["Copy"]) == [
            "Copy path",
            "Copy line as JSON",
            "Copy the record as JSON",
            "Copy link to event",
            "Copy for ticket",
        ]
        choose(menu, "Copy line")
        assert QGuiApplication.clipboard().text() == f'{{"type":"{kind}"}}'
        moment = item_of(tree, "timestamp")
        choose(menu_at(tree, moment, by_key=by_key), "Copy value")
        assert QGuiApplication.clipboard().text() == moment.text(1)
        choose(menu_at(tree, item_of(tree, "type"), by_key=by_key), "Only")
        assert controller.query == Query(types=(kind,))


@pytest.mark.parametrize("excluded", [False, True])
@pytest.mark.generation5("types are named otherwise there")
async def test_rows_with_or_without_a_value_of_info(browse: Browse, excluded: bool) -> None:
    """The service cannot filter by info, so its events are searched."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("LOGIN_FAILED",)))
        await until(lambda: "of" in view.count.text)
        tree = await inspected(view, 1)
        event = view.table.current_event
        reason = item_of(tree, "reason").text(1)
        menu = menu_at(tree, item_of(tree, "reason"))
        offered = texts(menu)
        assert [one.partition(" ")[0] for one in offered[:2]] == ["Only", "Without"]
        assert "As column" in offered
        choose(menu, "Without" if excluded else "Only")
        await until(lambda: ended(view))
        (condition,) = controller.query.conditions
        assert (condition.is_excluded, reason in condition.text) == (excluded, True)
        shown = [view.model.event_at(row) for row in range(view.model.rowCount())]
        assert event is not None
        assert (event.id in {one.id for one in shown if one}) is not excluded


@pytest.mark.generation5("types are named otherwise there")
async def test_a_value_of_info_becomes_a_visible_column(browse: Browse) -> None:
    """The entry is not offered twice."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("LOGIN_FAILED",)))
        await until(lambda: "of" in view.count.text)
        tree = await inspected(view, 1)
        choose(menu_at(tree, item_of(tree, "reason")), "As column")
        assert view.columns.shown[-1] == "info.reason"
        place = [column.name for column in view.model.columns].index("info.reason")
        header = view.table.horizontalHeader()
        await until(lambda: view.model.data(view.model.index(0, place)))
        left = header.sectionViewportPosition(place)
        assert 0 <= left < view.table.viewport().width() - 24
        assert "As column" not in texts(menu_at(tree, item_of(tree, "reason")))


async def test_escape_closes_only_the_menu(browse: Browse) -> None:
    """On an item and on the background; a second Escape closes the inspector."""
    async with browse() as (view, _controller):
        tree = await inspected(view, 0)
        tree.setFocus()
        for item in (item_of(tree, "type"), None):
            menu = menu_at(tree, item)
            assert "Copy for ticket" in {plain(one.text()) for one in all_entries(menu)}
            QTest.keyClick(menu, Qt.Key.Key_Escape)
            assert QApplication.activePopupWidget() is None
            assert view.inspector.isVisible()
        QTest.keyClick(tree, Qt.Key.Key_Escape)
        assert not view.inspector.isVisible()


async def test_a_row_offers_conditions_for_the_values_of_info_columns(browse: Browse) -> None:
    """The service cannot filter by them; empty values are not offered."""
    async with browse() as (view, controller):
        # The oldest events come from the demo; other tests may have inserted newer ones.
        controller.show_query(Query(types=("SEARCH",), sort=(Sort("_id"),)))
        await until(lambda: "of" in view.count.text)
        view.columns.show((*view.columns.shown, "info.limit", "info.nothing"))
        await until(lambda: (event := view.model.event_at(0)) and b"limit" in bytes(event.info or b""))
        menu = row_menu(view)
        assert not [one for one in all_entries(menu) if "info.nothing" in one.text()]
        (text,) = (one for one in texts(submenus(menu)["Only"]) if one.startswith("info.limit="))
        choose(menu, text)
        expected = Condition(text, PatternKind.KEY)
        assert controller.query.conditions == (expected,)
        await until(lambda: ended(view) and view.has_rows)
