"""The fonts of the diagram and how wide texts are in them; the layout and the painting measure alike."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontMetricsF

from cdb_desktop.schema.diagram.model import Role
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.measures import CAPTION

MARK = 11.0  # the side of a mark beside a name

_BOLD = QFont.Weight.DemiBold


class DiagramFonts:
    """One font for each role, derived from the window's."""

    def __init__(self, font: QFont) -> None:
        self._fonts = {
            Role.TABLE: scaled(font, 1.0, _BOLD),
            Role.NESTED_TABLE: scaled(font, CAPTION, _BOLD),
            Role.NAME: QFont(font),
            Role.TYPE: scaled(font, CAPTION),
            Role.MARK: scaled(font, CAPTION, _BOLD),
        }
        self._metrics = {role: QFontMetricsF(own) for role, own in self._fonts.items()}
        self._widths: dict[tuple[str, Role], float] = {}

    def font(self, role: Role) -> QFont:
        """The font of texts of a role."""
        return self._fonts[role]

    def measure(self, text: str, role: Role) -> tuple[float, float]:
        """Width and height, as the room asks for them; marks are drawn, not written."""
        if role is Role.MARK:
            return MARK, MARK
        return self.width(text, role), self._metrics[role].height()

    def width(self, text: str, role: Role) -> float:
        """How wide a text is."""
        found = self._widths.get((text, role))
        if found is None:
            found = self._widths[(text, role)] = self._metrics[role].horizontalAdvance(text)
        return found

    def baseline(self, role: Role, top: float, height: float) -> float:
        """Where the text of a line stands that is centred between top and bottom."""
        metrics = self._metrics[role]
        return top + (height + metrics.ascent() - metrics.descent()) / 2
