"""Tests of the colors of connections."""

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from cdb_desktop.ui.connection.form import COLOURS, colour_name
from cdb_desktop.ui.theme.tokens import DARK, LIGHT
from tests.desktop.ui.theme.test_tokens import contrast


def test_colors_have_contrast_in_light_and_dark() -> None:
    """Each color has a contrast of at least 3:1 to both backgrounds, as lines and icons require."""
    grounds = (LIGHT.ground, LIGHT.raised, DARK.ground, DARK.raised)
    for colour in COLOURS:
        assert min(contrast(QColor(colour).name(), ground) for ground in grounds) >= 3, colour


def test_each_color_has_its_own_name(qapp: QApplication) -> None:
    """Colors are also identified by name."""
    assert len({colour_name(colour) for colour in COLOURS}) == len(COLOURS)
    assert colour_name("#123456") == "#123456"
