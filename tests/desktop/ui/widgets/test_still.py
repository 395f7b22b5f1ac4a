"""Tests of boxes on a page that scrolls: the wheel over them moves the page and changes no choice."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QScrollArea, QSpinBox, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.widgets.still import still

Made = Callable[[QWidget], QComboBox | QSpinBox]


def _combo(parent: QWidget) -> QComboBox:
    box = QComboBox(parent)
    box.addItems([str(number) for number in range(100)])
    box.setCurrentIndex(50)
    return still(box)


def _spin(parent: QWidget) -> QSpinBox:
    box = QSpinBox(parent)
    box.setValue(50)
    return still(box)


@pytest.mark.parametrize("make", [_combo, _spin])
def test_the_wheel_scrolls_the_page_until_the_box_has_the_focus(qtbot: QtBot, make: Made) -> None:
    """Whoever has gone to it means it."""
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
    """One notch towards the user."""
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
    # Qt hands only the system's own events on to what is below.
    at: QWidget | None = box
    while at is not None:
        event.setAccepted(False)
        QApplication.sendEvent(at, event)
        if event.isAccepted():
            return
        at = at.parentWidget()


def _value(box: QComboBox | QSpinBox) -> int:
    return box.currentIndex() if isinstance(box, QComboBox) else box.value()
