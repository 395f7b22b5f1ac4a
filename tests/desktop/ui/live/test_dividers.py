"""Tests that the moment of a mark covers no row."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.live.dividers import label_rect
from tests.desktop.ui.live.conftest import Pane

WORDS = "marked at 22:39:16"


def test_it_stands_beside_the_texts_or_not_at_all(qtbot: QtBot, pane: Pane) -> None:
    """Also below the last row, in one that is free, and never over what somebody reads."""
    table = pane.view.table
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
    pane.actions["live_new"].trigger()
    pane.actions["live_new"].trigger()
    pane.window.resize(760, 340)
    QApplication.processEvents()
    for feed in pane.view.panes:
        foot = feed.table.rowViewportPosition(99) + feed.table.rowHeight(99)
        assert label_rect(feed.table, WORDS, foot, metrics) is None
