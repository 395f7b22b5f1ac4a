"""Tests of the filter popup of a running feed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
)
from pytestqt.qtbot import QtBot

from cdb_desktop.live.feed_filter import FeedFilter
from tests.desktop.ui.live.conftest import LiveWindow


@pytest.fixture
def tree(qtbot: QtBot, live: LiveWindow) -> QTreeWidget:
    """The types in the popup, opened by its action."""
    live.actions["live_filter"].trigger()
    qtbot.waitUntil(live.view.filter_popup.isVisible)
    found = live.view.filter_popup.findChild(QTreeWidget)
    assert found is not None
    return found


def test_types_are_listed_by_family_with_counts(tree: QTreeWidget) -> None:
    """Only those of received events."""
    rows = tree.findItems("*", Qt.MatchFlag.MatchWildcard | Qt.MatchFlag.MatchRecursive)
    texts = [(item.text(0), item.text(1)) for item in rows]
    assert texts[:6] == [
        ("Reading", ""),
        ("SEARCH", "15"),
        ("Writing", ""),
        ("OBJECT_UPDATE", "15"),
        ("Deleting", ""),
        ("OBJECT_DELETE", "14"),
    ]
    assert len(texts) == 14


def test_a_check_box_is_in_force_at_once(qtbot: QtBot, live: LiveWindow, tree: QTreeWidget) -> None:
    """The box of a family changes the filter once."""
    changes: list[object] = []
    live.view.filter_popup.filter_changed.connect(changes.append)
    _item(tree, "Writing").setCheckState(0, Qt.CheckState.Unchecked)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 85)
    assert len(changes) == 1
    assert live.view.strip.chip.text == "without OBJECT_UPDATE"
    live.add(100, 14)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 97)
    for family in ("Deleting", "Sessions"):
        _item(tree, family).setCheckState(0, Qt.CheckState.Unchecked)
    qtbot.waitUntil(lambda: live.view.strip.chip.text == "4 of 7 types")


def test_with_no_types_new_types_are_hidden(qtbot: QtBot, live: LiveWindow, tree: QTreeWidget) -> None:
    _press(live, "live.filter.none")
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 0)
    _item(tree, "SEARCH").setCheckState(0, Qt.CheckState.Checked)
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 15)
    assert not live.view.model.feed.filter.shows_type("MOON_LANDING")
    others = live.view.filter_popup.findChild(QCheckBox, "live.filter.others")
    assert others is not None
    others.click()
    assert live.view.model.feed.filter.shows_type("MOON_LANDING")
    assert live.view.model.rowCount() == 15
    _press(live, "live.filter.all")
    qtbot.waitUntil(lambda: live.view.model.feed.filter.shows_all)


def test_a_part_of_a_name_filters_while_it_is_typed(
    qtbot: QtBot, live: LiveWindow, tree: QTreeWidget
) -> None:
    """All test events are Anna Weber's."""
    field = live.view.filter_popup.findChild(QLineEdit, "live.filter.user")
    assert field is not None
    QTest.keyClicks(field, "web")
    assert live.view.model.rowCount() == 100
    QTest.keyClicks(field, "x")
    assert live.view.model.rowCount() == 0
    assert live.view.strip.chip.text == "webx"


def test_arriving_events_are_counted_while_the_popup_is_open(
    qtbot: QtBot, live: LiveWindow, tree: QTreeWidget
) -> None:
    """Boxes and the current row stay; Escape closes it."""
    tree.setCurrentItem(_item(tree, "SEARCH"))
    live.add(100, 70)
    qtbot.waitUntil(lambda: _item(tree, "SEARCH").text(1) == "25")
    assert tree.currentItem() is _item(tree, "SEARCH")
    QTest.keyClick(tree, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not live.view.filter_popup.isVisible())


def _press(live: LiveWindow, name: str) -> None:
    button = live.view.filter_popup.findChild(QPushButton, name)
    assert button is not None
    button.click()


def test_the_filter_of_a_query_is_shown_and_can_be_removed(qtbot: QtBot, live: LiveWindow) -> None:
    """Base types and users have no boxes; the types stay."""
    live.view.set_filter(FeedFilter.of_query(["USER_LOGIN"], ["user"], [7]))
    live.actions["live_filter"].trigger()
    popup = live.view.filter_popup
    qtbot.waitUntil(popup.isVisible)
    label = popup.findChild(QLabel, "live.filter.besides")
    forget = popup.findChild(QToolButton, "live.filter.forget")
    assert label is not None
    assert forget is not None
    assert label.text() == "Only: user · users #7"
    assert live.view.model.rowCount() == 0
    forget.click()
    assert live.view.model.feed.filter == FeedFilter().only("USER_LOGIN")
    live.view._show_status()
    assert not label.isVisible()
    assert not forget.isVisible()


def _item(tree: QTreeWidget, text: str) -> QTreeWidgetItem:
    found = tree.findItems(text, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    assert len(found) == 1
    return found[0]
