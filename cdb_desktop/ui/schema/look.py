"""What the diagram's items share when they paint: fonts, colours, signs and problems of the moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtGui import QColor

from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef
from cdb_desktop.schema.validation.problem import Severity
from cdb_desktop.ui.schema.diagram_fonts import DiagramFonts
from cdb_desktop.ui.theme.tokens import Tokens

FAR = 0.42  # zoom below which rows are too small to be read
VERY_FAR = 0.16  # zoom below which a box is but a spot


@dataclass(slots=True)
class Look:
    """One for the whole scene, told anew when light becomes dark or something is found."""

    fonts: DiagramFonts
    tokens: Tokens
    signs: Mapping[ElementRef, str]
    faults: Mapping[ElementRef, Severity]
    selection: ElementRef = DOCUMENT


def sign_colour(sign: str, tokens: Tokens) -> QColor:
    """The colour beside which a sign stands."""
    colours = {"+": tokens.good, "−": tokens.danger, "→": tokens.accent}
    return QColor(colours.get(sign, tokens.warning))


def fault_colour(severity: Severity, tokens: Tokens) -> QColor:
    """The colour of a problem."""
    return QColor(tokens.danger if severity is Severity.ERROR else tokens.warning)


def veiled(colour: QColor, strength: float) -> QColor:
    """The colour so thin that the ground shines through."""
    result = QColor(colour)
    result.setAlphaF(strength)
    return result
