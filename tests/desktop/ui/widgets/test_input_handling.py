"""Tests of the tab order and of combo and spin boxes that ignore the wheel."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QKeySequence, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import delete, isValid

from cdb_desktop.ui.widgets.input_handling import ignore_wheel, leave_keys, set_tab_order
from tests.desktop.ui.finding import focus_widget


def test_keys_are_left_to_actions(qtbot: QtBot) -> None:
    """The line has all others, and the window's action comes first only for those."""
    window = QWidget()
    line, triggered = QLineEdit("text", window), list[str]()
    for key in ("Ctrl+A", "Ctrl+Z"):
        action = QAction(window, shortcut=QKeySequence(key))
        action.triggered.connect(lambda _checked=False, key=key: triggered.append(key))
        window.addAction(action)
    leave_keys(line, "Ctrl+A")
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    line.setFocus()
    for pressed in (Qt.Key.Key_A, Qt.Key.Key_Z):
        QTest.keyClick(window.windowHandle(), pressed, Qt.KeyboardModifier.ControlModifier)
    assert triggered == ["Ctrl+A"]
    assert line.selectedText() == ""
    leave_keys(line, "Ctrl+Z")
    delete(line)
    assert isValid(window)


Made = Callable[[QWidget], QComboBox | QSpinBox]


def _combo(parent: QWidget) -> QComboBox:
    box = QComboBox(parent)
    box.addItems([str(number) for number in range(100)])
    box.setCurrentIndex(50)
    return ignore_wheel(box)


def _spin(parent: QWidget) -> QSpinBox:
    box = QSpinBox(parent)
    box.setValue(50)
    return ignore_wheel(box)


@pytest.mark.parametrize("make", [_combo, _spin])
def test_the_wheel_scrolls_the_page_until_the_box_has_the_focus(qtbot: QtBot, make: Made) -> None:
    """With the focus, the wheel changes the value."""
    area = QScrollArea(widgetResizable=True)
    qtbot.addWidget(area)
    page = QWidget()
    page.setMinimumHeight(2000)
    layout = QVBoxLayout(page)
    box = make(page)
    layout.addWidget(box)
    layout.addStretch(1)
    area.setWidget(page)
    area.resize(300, 300)
    area.show()
    qtbot.waitExposed(area)
    area.setFocus()
    before, bar = _value(box), area.verticalScrollBar()
    _turn(box)
    _turn(box)
    assert _value(box) == before
    assert not box.hasFocus()
    assert bar.value() > 0
    bar.setValue(0)
    with qtbot.waitActive(area):
        area.activateWindow()
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    _turn(box)
    assert _value(box) != before


def _turn(box: QWidget) -> None:
    """Turns the wheel by one notch towards the user."""
    centre = box.rect().center()
    event = QWheelEvent(
        QPointF(centre),
        QPointF(box.mapToGlobal(centre)),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    # Qt propagates only spontaneous events to the parent.
    at: QWidget | None = box
    while at is not None:
        event.setAccepted(False)
        QApplication.sendEvent(at, event)
        if event.isAccepted():
            return
        at = at.parentWidget()


def _value(box: QComboBox | QSpinBox) -> int:
    return box.currentIndex() if isinstance(box, QComboBox) else box.value()


def test_tab_follows_the_given_order(qtbot: QtBot) -> None:
    """Not the order of creation; the order inside a part is kept; a part named twice comes first."""
    window = QWidget()
    qtbot.addWidget(window)
    last, box = QLineEdit(window), QWidget(window)
    inner = [QLineEdit(box) for _line in range(2)]
    first = QLineEdit(box)
    layout = QHBoxLayout(window)
    layout.addWidget(box)
    layout.addWidget(last)
    set_tab_order(first, box, last)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    first.setFocus()
    seen = []
    for _step in range(4):
        focus = focus_widget()
        seen.append(focus)
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    assert seen == [first, *inner, last]


def test_deleting_a_part_keeps_the_tab_order(qtbot: QtBot) -> None:
    """Neither other parts nor the window leave the focus chain."""
    window = QWidget()
    qtbot.addWidget(window)
    first, second = QLineEdit(window), QLineEdit(window)
    set_tab_order(first, second)
    delete(first)
    assert isValid(second)
    assert isValid(window)
    assert second.parentWidget() is window
