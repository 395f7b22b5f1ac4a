"""Sizes in pixels, on a grid of 4, font sizes relative to the platform's, and fonts of these sizes."""

from typing import Literal

from PySide6.QtGui import QFont

Density = Literal["compact", "normal", "roomy"]

TIGHT = 4  # inside a control
GAP = 8  # between controls
GROUP = 16  # between groups
MARGIN = 24  # around an empty state

ROW = 24
ROWS: dict[Density, int] = {"compact": 20, "normal": ROW, "roomy": 30}
BUTTON = 32  # a button of a dialog, and the filled one of a page
ICON = 16
RAIL = 48
RAIL_ICON = 20
BAR = 40  # the strip of controls above a page
STRIP = 32  # the strip of a dock
COLOUR_LINE = 3

CAPTION = 0.85
HEAD = 1.15
TITLE = 1.5


def scaled(font: QFont, factor: float, weight: QFont.Weight | None = None) -> QFont:
    """``font`` at ``factor`` times its size, and in ``weight`` if one is given."""
    result = QFont(font)
    result.setPointSizeF(font.pointSizeF() * factor)
    if weight is not None:
        result.setWeight(weight)
    return result


def demi_bold(font: QFont) -> QFont:
    """``font`` in a heavier weight, for titles."""
    result = QFont(font)
    result.setWeight(QFont.Weight.DemiBold)
    return result


def tabular(font: QFont) -> QFont:
    """``font`` with digits of one width, for columns of numbers."""
    result = QFont(font)
    result.setFeature(QFont.Tag.fromString("tnum"), 1)
    return result
