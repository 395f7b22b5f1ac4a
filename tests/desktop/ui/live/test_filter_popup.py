"""Tests of the popup in which types and users are chosen, in a feed that runs."""

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
from tests.desktop.ui.live.conftest import Pane


@pytest.fixture
def tree(qtbot: QtBot, pane: Pane) -> QTreeWidget:
    """The types in the popup, opened by its action."""
    pane.actions["live_filter"].trigger()
    qtbot.waitUntil(pane.view.filter_popup.isVisible)
    found = pane.view.filter_popup.findChild(QTreeWidget)
    assert found is not None
    return found


def test_types_stand_under_their_families_with_counts(tree: QTreeWidget) -> None:
    """Only what has come is offered."""
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


def test_a_tick_is_in_force_at_once(qtbot: QtBot, pane: Pane, tree: QTreeWidget) -> None:
    """A family's box is for its types; a click on it changes what is shown once."""
    changes: list[object] = []
    pane.view.filter_popup.filter_changed.connect(changes.append)
    _item(tree, "Writing").setCheckState(0, Qt.CheckState.Unchecked)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 85)
    assert len(changes) == 1
    assert pane.view.strip.chip.text == "without OBJECT_UPDATE"
    pane.add(100, 14)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 97)
    for family in ("Deleting", "Sessions"):
        _item(tree, family).setCheckState(0, Qt.CheckState.Unchecked)
    qtbot.waitUntil(lambda: pane.view.strip.chip.text == "4 of 7 types")


def test_with_no_types_a_new_one_stays_away(qtbot: QtBot, pane: Pane, tree: QTreeWidget) -> None:
    """Who begins with none wants to see what is ticked and nothing else."""
    _press(pane, "live.filter.none")
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 0)
    _item(tree, "SEARCH").setCheckState(0, Qt.CheckState.Checked)
    qtbot.waitUntil(lambda: pane.view.model.rowCount() == 15)
    assert not pane.view.model.feed.filter.shows_type("MOON_LANDING")
    others = pane.view.filter_popup.findChild(QCheckBox, "live.filter.others")
    assert others is not None
    others.click()
    assert pane.view.model.feed.filter.shows_type("MOON_LANDING")
    assert pane.view.model.rowCount() == 15
    _press(pane, "live.filter.all")
    qtbot.waitUntil(lambda: pane.view.model.feed.filter.shows_all)


def test_a_part_of_a_name_narrows_while_it_is_typed(qtbot: QtBot, pane: Pane, tree: QTreeWidget) -> None:
    """All test events are Anna Weber's."""
    field = pane.view.filter_popup.findChild(QLineEdit, "live.filter.user")
    assert field is not None
    QTest.keyClicks(field, "web")
    assert pane.view.model.rowCount() == 100
    QTest.keyClicks(field, "x")
    assert pane.view.model.rowCount() == 0
    assert pane.view.strip.chip.text == "webx"


def test_what_arrives_is_counted_while_the_popup_is_open(qtbot: QtBot, pane: Pane, tree: QTreeWidget) -> None:
    """Ticks and place in the list stay; Escape closes it."""
    tree.setCurrentItem(_item(tree, "SEARCH"))
    pane.add(100, 70)
    qtbot.waitUntil(lambda: _item(tree, "SEARCH").text(1) == "25")
    assert tree.currentItem() is _item(tree, "SEARCH")
    QTest.keyClick(tree, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not pane.view.filter_popup.isVisible())


def _press(pane: Pane, name: str) -> None:
    button = pane.view.filter_popup.findChild(QPushButton, name)
    assert button is not None
    button.click()


def test_what_a_query_has_left_is_seen_and_can_be_taken_away(qtbot: QtBot, pane: Pane) -> None:
    """Base types and users have no boxes; types that were ticked stay so."""
    pane.view.set_filter(FeedFilter.of_query(["USER_LOGIN"], ["user"], [7]))
    pane.actions["live_filter"].trigger()
    popup = pane.view.filter_popup
    qtbot.waitUntil(popup.isVisible)
    told = popup.findChild(QLabel, "live.filter.besides")
    forget = popup.findChild(QToolButton, "live.filter.forget")
    assert told is not None
    assert forget is not None
    assert told.text() == "Only: user · users #7"
    assert pane.view.model.rowCount() == 0
    forget.click()
    assert pane.view.model.feed.filter == FeedFilter().only("USER_LOGIN")
    pane.view._show_status()
    assert not told.isVisible()
    assert not forget.isVisible()


def _item(tree: QTreeWidget, text: str) -> QTreeWidgetItem:
    found = tree.findItems(text, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    assert len(found) == 1
    return found[0]
