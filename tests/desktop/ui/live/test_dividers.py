"""Tests of the labels of dividers."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.live.dividers import label_rect
from tests.desktop.ui.live.conftest import LiveWindow

WORDS = "marked at 22:39:16"


def test_labels_cover_no_text(qtbot: QtBot, live: LiveWindow) -> None:
    """Below the last row too."""
    live.window.resize(1300, 340)
    QApplication.processEvents()
    table = live.view.table
    metrics = table.fontMetrics()
    foot = table.rowViewportPosition(99) + table.rowHeight(99)
    place = label_rect(table, WORDS, foot, metrics)
    assert place is not None
    assert place.right() == table.viewport().width() - 1
    ends = [
        table.columnViewportPosition(column)
        + metrics.horizontalAdvance(str(table.model().index(99, column).data()))
        for column in range(table.model().columnCount())
    ]
    assert max(ends) < place.left()
    live.actions["live_new"].trigger()
    live.actions["live_new"].trigger()
    live.window.resize(760, 340)
    QApplication.processEvents()
    for feed in live.view.panes:
        foot = feed.table.rowViewportPosition(99) + feed.table.rowHeight(99)
        assert label_rect(feed.table, WORDS, foot, metrics) is None
