"""Sizes in pixels, on a grid of 4, and font sizes relative to the platform's."""

from __future__ import annotations

from typing import Literal

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
