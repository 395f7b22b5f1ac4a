"""Tests of the palettes as painted by the style in lists and combo boxes."""

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance, Choice


@pytest.mark.parametrize("choice", ["light", "dark", "contrast"])
def test_every_item_of_a_combo_box_is_readable(qtbot: QtBot, appearance: Appearance, choice: Choice) -> None:
    """Items that are not hovered have the background of lists, not the outline color."""
    appearance.choose(choice)
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItems(["one", "two", "three"])
    box.show()
    try:
        box.showPopup()
        view = box.view()
        last = view.model().index(2, 0)
        qtbot.waitUntil(lambda: 0 < view.visualRect(last).bottom() <= view.viewport().height())
        line = view.visualRect(last).center().y()
        painted = view.viewport().grab().toImage().pixelColor(view.viewport().width() - 3, line)
        assert painted == QColor(appearance.tokens.ground)
    finally:
        box.hidePopup()
        appearance.choose("light")
