"""Tests of a widget whose content moves nothing around it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.widgets.apart import Apart


class Watch(QObject):
    """Counts how often a widget is asked to lay itself out anew."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.requests = 0
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Sees everything, takes nothing."""
        self.requests += event.type() == QEvent.Type.LayoutRequest
        return False


def test_other_content_moves_nothing_around_it(qtbot: QtBot) -> None:
    """It is laid out anew itself, in all of the room; the window is not."""
    window, part = QWidget(), Apart()
    qtbot.addWidget(window)
    QVBoxLayout(window).addWidget(part)
    label = QLabel("short")
    QVBoxLayout(part.content).addWidget(label)
    with qtbot.waitExposed(window):
        window.show()
    inside, outside = Watch(part.content), Watch(window)
    label.setText("much longer\nand higher")
    qtbot.waitUntil(lambda: inside.requests > 0)
    assert (outside.requests, part.content.size()) == (0, part.size())
    window.resize(300, 200)
    assert part.content.size() == part.size()
