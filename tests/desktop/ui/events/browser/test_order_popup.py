"""Tests of the order popup, with the reference server."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from cdb_desktop.client import Sort
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.filters.controller import OrderPopup
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.finding import open_popup

DOWN, UP, SPACE, RETURN = Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Space, Qt.Key.Key_Return
ALT = Qt.KeyboardModifier.AltModifier


def open_order(actions: Actions) -> OrderPopup:
    """Opens the popup with its shortcut."""
    actions["order"].trigger()
    return open_popup(OrderPopup)


def message_in(popup: OrderPopup) -> set[str]:
    """The message of the popup."""
    return {label.text() for label in popup.findChildren(QLabel)}


async def test_rows_are_sorted_by_several_columns_with_keys(browse: Browse, actions: Actions) -> None:
    """Space checks, Right reverses, Alt+Up moves up; the headers show the order."""
    async with browse() as (view, controller):
        popup = open_order(actions)
        keys = popup.list.list
        assert "Nothing selected: newest first." in message_in(popup)
        items = [keys.item(row) for row in range(keys.count())]
        names = [item.text() for item in items if not item.isHidden()]
        assert names == ["Id ▾", "Time ▾", "Type ▴", "User ▴", "Object id ▴", "Version ▴", "Schema ▴"]
        for _step in range(2):
            QTest.keyClick(keys, DOWN)
        QTest.keyClick(keys, SPACE)
        QTest.keyClick(keys, DOWN)
        QTest.keyClick(keys, Qt.Key.Key_Right)
        QTest.keyClick(keys, UP, ALT)
        QTest.keyClick(keys, RETURN)
        assert controller.query.sort == (Sort("user_generated_displayname", descending=True), Sort("type"))
        titles = [view.model.headerData(place, Qt.Orientation.Horizontal) for place in (2, 3)]
        assert titles == ["Type ▴2", "User ▾1"]
        await until(lambda: view.has_rows and view.model.result and view.model.result.resolved_query.sort)
        shown = [found for row in range(20) if (found := view.model.event_at(row))]
        pairs = [(found.user_displayname or "", found.type) for found in shown]
        assert pairs == sorted(sorted(pairs, key=lambda one: one[1]), key=lambda one: one[0], reverse=True)


async def test_newest_first_is_one_click_and_a_useless_order_is_reported(
    browse: Browse, actions: Actions
) -> None:
    """Columns after the id have no effect, and the popup says so."""
    async with browse() as (_view, controller):
        controller.show_query(Query(sort=(Sort("type"),)))
        popup = open_order(actions)
        keys = popup.list.list
        QTest.keyClick(keys, DOWN)
        QTest.keyClick(keys, SPACE)
        assert popup.query.sort == (Sort("type"), Sort("_id", descending=True))
        assert "Ids are unique: columns after the id have no effect." not in message_in(popup)
        QTest.keyClick(keys, UP, ALT)
        assert "Ids are unique: columns after the id have no effect." in message_in(popup)
        (reset,) = (one for one in popup.findChildren(QPushButton) if one.text() == "Newest first")
        reset.click()
        assert controller.query == Query()
