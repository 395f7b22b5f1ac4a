"""Tests of the row of running work."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QProgressBar
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance, Choice
from cdb_desktop.ui.widgets.work_item import WorkItem


def coloured(item: WorkItem) -> float:
    """How much of the bar is colourful, from 0 to 1."""
    (bar,) = item.findChildren(QProgressBar)
    image = bar.grab().toImage()
    middle = range(image.width())
    found = [QColor(image.pixel(x, image.height() // 2)).hsvSaturation() > 90 for x in middle]
    return sum(found) / len(found)


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_only_what_is_done_is_coloured(qtbot: QtBot, appearance: Appearance, choice: Choice) -> None:
    """Work of which nobody knows how far it is does not look as if it were done; also after a change."""
    item = WorkItem(appearance)
    qtbot.addWidget(item)
    appearance.choose(choice)
    found = []
    for done in (None, 0.1, 1.0, None):
        item.show_work("Counting", done)
        item.show()
        found.append(coloured(item))
    assert 0.2 < found[0] < 0.7
    assert found[1] < 0.2
    assert found[2] > 0.9
    assert 0.2 < found[3] < 0.7
