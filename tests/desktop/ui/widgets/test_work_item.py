"""Tests of the row of running work."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QProgressBar
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance, Choice
from cdb_desktop.ui.widgets.work_item import WorkItem


def saturation(item: WorkItem) -> int:
    """How colourful the middle of the bar is."""
    (bar,) = item.findChildren(QProgressBar)
    image = bar.grab().toImage()
    return QColor(image.pixel(image.rect().center())).hsvSaturation()


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_only_what_is_done_is_coloured(qtbot: QtBot, appearance: Appearance, choice: Choice) -> None:
    """Work of which nobody knows how far it is does not look as if it were done; also after a change."""
    item = WorkItem(appearance)
    qtbot.addWidget(item)
    appearance.choose(choice)
    coloured = []
    for done in (None, 0.1, 1.0, None):
        item.show_work("Counting", done)
        item.show()
        coloured.append(saturation(item) > 90)
    assert coloured == [False, False, True, False]
