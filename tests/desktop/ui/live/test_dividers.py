"""Tests of the labels of dividers."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.live.feed_table import fitting_label, label_rect
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


def test_long_names_are_shortened(live: LiveWindow) -> None:
    """The narrower the table, the less of them; the time is the last that is left."""
    name, time = "End of the maintenance of the second server", "22:39:16"
    found: list[str] = []
    for width in range(1500, 500, -20):
        live.window.resize(width, 340)
        QApplication.processEvents()
        table = live.view.table
        top = table.rowViewportPosition(98)
        text, _rect = fitting_label(table, (f"{name} · {time}", name, time), top, table.fontMetrics())
        if text not in found:
            found.append(text)
    assert found[0] == f"{name} · {time}"
    assert found[1] == name
    assert found[-1] == time
    begun = [text.removesuffix("…") for text in found[2:-1]]
    assert begun
    assert all(name.startswith(text) for text in begun)
    assert [len(text) for text in begun] == sorted((len(text) for text in begun), reverse=True)
