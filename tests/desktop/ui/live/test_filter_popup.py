"""Tests of the filter popup of a running feed."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
)
from pytestqt.qtbot import QtBot

from cdb_desktop.live.feed_filter import shows_type, with_only_type, without_type
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.live.filter_popup import FilterPopup
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.live.conftest import LiveWindow


@pytest.fixture
def tree(qtbot: QtBot, live: LiveWindow) -> QTreeWidget:
    """The types in the popup, opened by its action."""
    live.actions["live_filter"].trigger()
    qtbot.waitUntil(live.view.filter_popup.isVisible)
    return child_of(live.view.filter_popup, QTreeWidget)


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


def test_a_check_box_applies_at_once(qtbot: QtBot, live: LiveWindow, tree: QTreeWidget) -> None:
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
    assert not shows_type(live.view.model.feed.filter, "MOON_LANDING")
    others = child_of(live.view.filter_popup, QCheckBox, "live.filter.others")
    others.click()
    assert shows_type(live.view.model.feed.filter, "MOON_LANDING")
    assert live.view.model.rowCount() == 15
    _press(live, "live.filter.all")
    qtbot.waitUntil(lambda: live.view.model.feed.filter == Query())


def test_typed_terms_become_chips(qtbot: QtBot, live: LiveWindow, tree: QTreeWidget) -> None:
    """The syntax is that of the event browser; a chip is edited as text, or removed."""
    popup = live.view.filter_popup
    _enter(popup, "user:web -type:SEARCH")
    assert live.view.model.rowCount() == 85
    assert [chip.summary for chip in popup.chips] == ["web"]
    assert live.view.strip.chip.text == "without SEARCH · User: web"
    _enter(popup, "user:nobody")
    assert live.view.model.rowCount() == 0
    QTest.mouseClick(popup.chips[1], Qt.MouseButton.LeftButton)
    assert popup.line.text() == "user=*nobody*"
    assert live.view.model.rowCount() == 85
    popup.line.clear()
    QTest.keyClick(popup.chips[0], Qt.Key.Key_Delete)
    assert popup.chips == []
    assert live.view.model.feed.filter == without_type(Query(), "SEARCH")


def test_conditions_are_tested_on_what_was_polled(qtbot: QtBot, live: LiveWindow, tree: QTreeWidget) -> None:
    """Words are found in the fields of short records, and a note says where they are not looked for."""
    popup = live.view.filter_popup
    note = child_of(popup, QLabel, "live.filter.note")
    assert not note.isVisible()
    _enter(popup, "anna")
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 100)
    assert note.isVisible()
    _enter(popup, "nowhere")
    qtbot.waitUntil(lambda: live.view.model.rowCount() == 0)
    live.add(100, 50)
    qtbot.waitUntil(lambda: live.view.model.feed.kept == 150)
    assert live.view.model.rowCount() == 0


def test_what_cannot_be_tested_is_refused(live: LiveWindow, tree: QTreeWidget) -> None:
    """The line says why and keeps the text."""
    popup = live.view.filter_popup
    for text, reason in (
        ("last week", "dates cannot be used here"),
        ("group:5", "Events do not contain the groups"),
        ("/(/", "Not a valid expression"),
    ):
        popup.line.clear()
        _enter(popup, text)
        hint = child_of(popup, QLabel, "events.query.error")
        assert reason in hint.text()
        assert popup.line.text() == text
        assert live.view.model.feed.filter == Query(), text


def test_completions_are_of_new_events(live: LiveWindow, tree: QTreeWidget) -> None:
    """Without dates and groups."""
    line = live.view.filter_popup.line
    QTest.keyClicks(line, "t")
    assert "type:" in line.completion_texts
    assert "today" not in line.completion_texts
    line.clear()
    QTest.keyClicks(line, "gr")
    assert "group:" not in line.completion_texts


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
    child_of(live.view.filter_popup, QPushButton, name).click()


def test_the_filter_of_a_query_is_shown(qtbot: QtBot, live: LiveWindow) -> None:
    """Base types and users have chips; types have boxes, and stay."""
    live.view.set_filter(Query(types=("USER_LOGIN",), base_types=("user",), users=(7,)))
    live.actions["live_filter"].trigger()
    popup = live.view.filter_popup
    qtbot.waitUntil(popup.isVisible)
    assert [chip.summary for chip in popup.chips] == ["user", "#7"]
    assert live.view.model.rowCount() == 0
    for chip in popup.chips:
        chip.remove_requested.emit()
    assert live.view.model.feed.filter == with_only_type(Query(), "USER_LOGIN")
    assert popup.chips == []


def _enter(popup: FilterPopup, text: str) -> None:
    popup.line.setText(text)
    QTest.keyClick(popup.line, Qt.Key.Key_Return)


def _item(tree: QTreeWidget, text: str) -> QTreeWidgetItem:
    found = tree.findItems(text, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    assert len(found) == 1
    return found[0]
