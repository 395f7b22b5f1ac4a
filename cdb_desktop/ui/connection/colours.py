"""The colours among which a connection has its own, with their names; knows no widget.

Each stands out from both grounds, light and dark, at 3:1 or more.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from cdb_desktop.ui.connection.entry import DEFAULT_COLOUR

COLOURS = (
    DEFAULT_COLOUR,
    "#0C8A7B",
    "#3B8B45",
    "#A87200",
    "#D9534A",
    "#8D63D8",
    "#C2539A",
    "#76808C",
)


def colour_name(colour: str) -> str:
    """The name of one of the colours in the user's language; any other is named by its code."""
    translate = QCoreApplication.translate
    names = (
        translate("Connection", "Blue"),
        translate("Connection", "Teal"),
        translate("Connection", "Green"),
        translate("Connection", "Amber"),
        translate("Connection", "Red"),
        translate("Connection", "Violet"),
        translate("Connection", "Pink"),
        translate("Connection", "Grey"),
    )
    return dict(zip(COLOURS, names, strict=True)).get(colour, colour)
