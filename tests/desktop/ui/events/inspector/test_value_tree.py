"""Tests of the tree of names and values."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from cdb_desktop.events.event_details import FieldGroup, RecordField
from cdb_desktop.ui.events.inspector.value_tree import ROW, ValueTree, lines_of
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.ui.finding import child_of

LONG = "2026-11-21 11:19:49 +0100 and more than fits beside the longest name of a field"


@pytest.fixture
def tree(qtbot: QtBot, appearance: Appearance) -> ValueTree:
    """A visible tree of the minimum width, with a short and a long value."""
    assert appearance.row
    tree = ValueTree()
    qtbot.addWidget(tree)
    tree.resize(240, 300)
    tree.show_fields([("type", "SEARCH"), ("user._generated_displayname", LONG)])
    with qtbot.waitActive(tree):
        tree.show()
        tree.activateWindow()
    tree.setFocus()
    return tree


def test_a_long_value_is_wrapped(qtbot: QtBot, tree: ValueTree) -> None:
    """A wider tree needs fewer lines; there is no horizontal scroll bar."""
    short, narrow = (tree.visualItemRect(_item(tree, row)).height() for row in (0, 1))
    assert (short, narrow > 3 * ROW) == (ROW, True)
    assert tree.horizontalScrollBar().maximum() == 0
    tree.resize(900, 300)
    qtbot.waitUntil(lambda: tree.visualItemRect(_item(tree, 1)).height() == ROW)


def test_lines_show_the_complete_text_or_are_elided(qapp: QApplication) -> None:
    """Lines break between words or else anywhere; there are at most eight."""
    font = QFont(qapp.font())
    assert lines_of("short", font, 300) == ["short"]
    assert " ".join(lines_of(LONG, font, 150)) == LONG
    assert "".join(lines_of("x" * 90, font, 150)) == "x" * 90
    many = lines_of("word " * 500, font, 150)
    assert len(many) == 8
    assert many[-1].endswith("…")


def test_line_breaks_of_a_value_are_kept(qapp: QApplication) -> None:
    """Lines of a stack trace that are too long are wrapped as well; what does not fit is elided."""
    font = QFont(qapp.font())
    assert lines_of("Error\n  at a.js:1\n  at b.js:2", font, 300) == ["Error", "  at a.js:1", "  at b.js:2"]
    wrapped = lines_of(f"Error\n{LONG}", font, 150)
    assert (wrapped[0], " ".join(wrapped[1:])) == ("Error", LONG)
    assert lines_of("a\nb\nc", font, 300, 2) == ["a", "b…"]


def test_fields_are_in_groups(tree: ValueTree) -> None:
    """Their names are for people, the tooltip is that of the wire, which is copied; the keys skip titles."""
    what = FieldGroup(
        "What", (RecordField("type", "Type", "SEARCH"), RecordField("object_id", "Object id", "7"))
    )
    tree.show_groups((what, FieldGroup("Who", (RecordField("user._id", "User id", "3"),))))
    assert [_item(tree, row).text(0) for row in range(5)] == ["What", "Type", "Object id", "Who", "User id"]
    assert len({tree.visualItemRect(_item(tree, row)).left() for row in range(5)}) == 1
    tree.setCurrentItem(_item(tree, 2))
    QTest.keyClick(tree, Qt.Key.Key_Down)
    assert tree.currentItem() is _item(tree, 4)
    assert _item(tree, 4).toolTip(0) == "user._id"
    tree.selectAll()
    QTest.keyClick(tree, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "type\tSEARCH\nobject_id\t7\nuser._id\t3"


def test_a_part_of_a_value_can_be_selected(tree: ValueTree) -> None:
    """F2 opens the complete text read-only; Escape closes it without a change."""
    tree.setCurrentItem(_item(tree, 1))
    QTest.keyClick(tree, Qt.Key.Key_F2)
    text = child_of(tree, QPlainTextEdit, "events.value.text")
    assert text.isReadOnly()
    QTest.keyClick(text, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    for _ in range(10):
        QTest.keyClick(text, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(text, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "2026-11-21"
    QTest.keyClick(text, Qt.Key.Key_Escape)
    assert not tree.isPersistentEditorOpen(tree.currentIndex())
    assert _item(tree, 1).text(1) == LONG


def test_names_are_not_opened(tree: ValueTree) -> None:
    """A double click on a name has no effect; on a value it opens the text."""
    item = tree.visualItemRect(_item(tree, 0))
    for x, opened in ((10, 0), (tree.columnViewportPosition(1) + 10, 1)):
        place = QPoint(x, item.center().y())
        QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
        QTest.mouseDClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert len(tree.findChildren(QPlainTextEdit)) == opened


def test_a_scalar_value_is_not_expandable(tree: ValueTree) -> None:
    """It is shown once, also after the expand key; a short block is expanded initially."""
    tree.show_value({"batch_id": LONG})
    QTest.keyClick(tree, Qt.Key.Key_Plus)
    tree.setCurrentItem(_item(tree, 0))
    for key in (Qt.Key.Key_Plus, Qt.Key.Key_Asterisk, Qt.Key.Key_Right):
        QTest.keyClick(tree, key)
    assert _item(tree, 0).childCount() == 0
    tree.show_value({"search": [{"string": "Anna"}]})
    assert _item(tree, 0).isExpanded()
    assert _item(tree, 0).childCount() == 1


def _item(tree: ValueTree, row: int) -> QTreeWidgetItem:
    item = tree.topLevelItem(row)
    assert item is not None
    return item
