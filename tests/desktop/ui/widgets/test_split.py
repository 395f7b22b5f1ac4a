"""Tests of splitters whose handles are lines."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.widgets.split import Split


@pytest.fixture(params=[Qt.Orientation.Horizontal, Qt.Orientation.Vertical])
def split(request: pytest.FixtureRequest, qtbot: QtBot) -> Split:
    """Two white parts of the same size, and lines in red."""
    made = Split(request.param)
    qtbot.addWidget(made)
    palette = made.palette()
    palette.setColor(QPalette.ColorRole.Mid, QColor("red"))
    palette.setColor(QPalette.ColorRole.Window, QColor("white"))
    made.setPalette(palette)
    for _ in range(2):
        made.addWidget(QWidget())
    made.resize(101, 101)
    made.setSizes([50, 50])
    made.show()
    return made


def test_between_the_parts_stands_one_line_of_one_pixel(split: Split) -> None:
    """In the colour of lines, from edge to edge."""
    image = split.grab().toImage()
    across = split.orientation() == Qt.Orientation.Horizontal
    red = [
        place
        for place in range(101)
        if _is_red(image.pixelColor(place, 7) if across else image.pixelColor(7, place))
    ]
    assert red == [50]


def test_no_part_can_be_pushed_out_of_sight(split: Split) -> None:
    """Not even by sizes that say so."""
    first = split.widget(0)
    assert first is not None
    first.setMinimumSize(20, 20)
    split.setSizes([0, 100])
    assert min(split.sizes()) >= 20


def _is_red(colour: QColor) -> bool:
    return colour == QColor("red")
