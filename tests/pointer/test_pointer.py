"""Tests of the fixtures of this folder: pointer and keyboard input arrives in a window."""

from PySide6.QtCore import QPoint
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from tests.pointer.conftest import Pointer


class _Wheel(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.turns: list[tuple[int, QPoint]] = []

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        self.turns.append((event.angleDelta().y(), event.position().toPoint()))


def test_clicks_keys_and_the_wheel_arrive(qtbot: QtBot, pointer: Pointer) -> None:
    """A clicked field receives keys; the wheel turns over another widget."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(400, 300)
    field, wheel = QLineEdit(), _Wheel()
    box = QVBoxLayout(window)
    box.addWidget(field)
    box.addWidget(wheel, 1)
    pointer.show(window)
    pointer.click(field)
    pointer.type("Size 7")
    pointer.press("shift+Home")
    pointer.move(wheel, QPoint(50, 40))
    pointer.wheel(-2)
    assert field.text() == field.selectedText() == "Size 7"
    assert wheel.turns == [(-120, QPoint(50, 40))] * 2
