"""Tests of detecting the first painting."""

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.widgets.paint_watch import PaintWatch


def test_only_a_painting_with_content_counts(qtbot: QtBot) -> None:
    """An empty widget does not count, and the signal is emitted once."""
    widget = QWidget()
    qtbot.addWidget(widget)
    something: list[str] = []
    seen: list[str] = []
    watch = PaintWatch(widget, lambda: bool(something))
    watch.painted.connect(lambda: seen.append("seen"))
    widget.show()
    widget.repaint()
    qtbot.wait(20)
    assert seen == []
    something.append("rows")
    with qtbot.waitSignal(watch.painted):
        widget.update()
    widget.repaint()
    qtbot.wait(20)
    assert seen == ["seen"]
