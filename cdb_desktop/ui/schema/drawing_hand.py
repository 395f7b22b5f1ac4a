"""Lends Graphviz the colours and letters of the screen, so that its files look like what is seen."""

from __future__ import annotations

from PySide6.QtGui import QFontInfo

from cdb_desktop.schema.diagram.dot_export import DotStyle
from cdb_desktop.schema.diagram.model import Mark, Role
from cdb_desktop.ui.schema.look import Look
from cdb_desktop.ui.schema.marks import meaning


def hand_of(look: Look) -> DotStyle:
    """How the diagram looks at the moment, in the theme and the language of the window."""
    tokens, fonts = look.tokens, {role: QFontInfo(look.fonts.font(role)) for role in Role}
    sizes = {role: float(font.pixelSize()) for role, font in fonts.items()}
    family = fonts[Role.NAME].family()
    meanings = {mark: meaning(mark) for mark in Mark}
    return DotStyle(
        tokens.text, tokens.muted, tokens.handle, tokens.ground, tokens.raised, family, sizes, meanings
    )
