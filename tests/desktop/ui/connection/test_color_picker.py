"""Tests of the colors of connections."""

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from cdb_desktop.ui.connection.form import COLOURS, colour_name
from cdb_desktop.ui.theme.tokens import DARK, LIGHT


@pytest.mark.parametrize("colour", COLOURS)
def test_colors_have_contrast_in_light_and_dark(colour: str) -> None:
    """Each color has a contrast of at least 3:1 to both backgrounds, as lines and icons require."""
    grounds = (LIGHT.ground, LIGHT.raised, DARK.ground, DARK.raised)
    assert min(_contrast(colour, ground) for ground in grounds) >= 3


def test_each_color_has_its_own_name(qapp: QApplication) -> None:
    """Colors are also identified by name."""
    assert len({colour_name(colour) for colour in COLOURS}) == len(COLOURS)
    assert colour_name("#123456") == "#123456"


def _contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    shown = QColor(colour)
    red, green, blue = (_linear(part) for part in (shown.redF(), shown.greenF(), shown.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
