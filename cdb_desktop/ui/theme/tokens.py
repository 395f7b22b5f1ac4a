"""The colors by name, for light, dark and high contrast, and Qt's palettes made of them."""

from functools import lru_cache

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QPalette


class Tokens(msgspec.Struct, frozen=True):
    """A table of colors; text colors have a contrast of at least 5:1 on ground, raised and selected.

    In high contrast it is 7:1, and 3:1 for lines and handles.
    """

    ground: str
    raised: str
    selected: str
    line: str  # hairlines between areas; carries no text
    handle: str  # splitters and lines of drawings, 3:1 as edge; carries no text
    edge: str  # outlines of boxes and buttons, 3:1 on ground and raised; carries no text
    text: str
    muted: str
    accent: str
    writing: str
    good: str
    danger: str
    session: str
    export: str
    warning: str
    mark: str  # the first highlight; clearly different from the selection

    @property
    def reading(self) -> str:
        """The color of events that only read."""
        return self.accent

    @property
    def deleting(self) -> str:
        """The color of events that delete."""
        return self.danger

    @property
    def failure(self) -> str:
        """The color of events that report a failure."""
        return self.danger

    @property
    def system(self) -> str:
        """The color of the service's own events and of unknown types."""
        return self.muted


LIGHT = Tokens(
    ground="#FFFFFF",
    raised="#F6F7F9",
    selected="#E8F0FC",
    line="#D8DDE3",
    handle="#828B96",
    edge="#6B7581",
    text="#1B1F24",
    muted="#57606A",
    accent="#1F5FBF",
    writing="#0B7261",
    good="#14703A",
    danger="#B3261E",
    session="#6B3FA0",
    export="#9A4F00",
    warning="#7A5200",
    mark="#A800C8",
)

DARK = Tokens(
    ground="#16191D",
    raised="#1D2126",
    selected="#22344F",
    line="#30363D",
    handle="#6A747F",
    edge="#7D8793",
    text="#E6E9ED",
    muted="#9BA6B2",
    accent="#7FB2FF",
    writing="#4FD1B5",
    good="#6FD08C",
    danger="#FF8A80",
    session="#C3A2FF",
    export="#FFB267",
    warning="#F2C14E",
    mark="#E890FF",
)

HIGH_CONTRAST = Tokens(
    ground="#000000",
    raised="#14171A",
    selected="#0B2E5C",
    line="#8A929C",
    handle="#C2CAD3",
    edge="#FFFFFF",
    text="#FFFFFF",
    muted="#D9DEE4",
    accent="#8CC8FF",
    writing="#5CF0D0",
    good="#86F7A4",
    danger="#FFB0A8",
    session="#DCC8FF",
    export="#FFCB91",
    warning="#FFE16B",
    mark="#F3B8FF",
)


_Role = QPalette.ColorRole
# The style draws outlines this much darker than the window, see ``edged``.
_DARKER = 140
# Classes that the style outlines; none of them is painted in the color of the window.
LISTS = ("QAbstractItemView", "QMenu", "QPlainTextEdit")
CONTROLS = ("QAbstractButton", "QComboBox", "QAbstractSpinBox", "QLineEdit", "QProgressBar")


def palette(tokens: Tokens) -> QPalette:
    """The palette for ``tokens``; disabled texts are fainter."""
    result = QPalette(QColor(tokens.raised), QColor(tokens.raised))
    for role, name in _roles(tokens).items():
        result.setColor(role, QColor(name))
    faint = QColor(tokens.muted)
    faint.setAlphaF(0.6)
    for role in (_Role.WindowText, _Role.Text, _Role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, role, faint)
    return result


def edged(tokens: Tokens) -> QPalette:
    """The palette of outlined widgets: the style's own outline cannot be seen in dark themes."""
    result = palette(tokens)
    result.setColor(_Role.Window, QColor(tokens.edge).lighter(_DARKER))
    result.setColor(QPalette.ColorGroup.Disabled, _Role.Window, QColor(tokens.line).lighter(_DARKER))
    return result


def listed(tokens: Tokens) -> QPalette:
    """The palette of lists and menus, which Fusion fills with the brush of their outline."""
    result = edged(tokens)
    for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive, QPalette.ColorGroup.Disabled):
        # The color still draws the outline; the background of the list is visible.
        result.setBrush(group, _Role.Window, QBrush(result.color(group, _Role.Window), Qt.BrushStyle.NoBrush))
    return result


def focused(tokens: Tokens) -> QPalette:
    """The palette of controls: Fusion draws the focus ring in the color of selections."""
    result = edged(tokens)
    result.setColor(_Role.Highlight, QColor(tokens.accent))
    result.setColor(_Role.HighlightedText, QColor(tokens.ground))
    return result


def _roles(tokens: Tokens) -> dict[QPalette.ColorRole, str]:
    return {
        _Role.Window: tokens.raised,
        _Role.Base: tokens.ground,
        _Role.AlternateBase: tokens.raised,
        _Role.Button: tokens.raised,
        _Role.ToolTipBase: tokens.ground,
        _Role.WindowText: tokens.text,
        _Role.Text: tokens.text,
        _Role.ButtonText: tokens.text,
        _Role.ToolTipText: tokens.text,
        _Role.PlaceholderText: tokens.muted,
        _Role.Highlight: tokens.selected,
        _Role.HighlightedText: tokens.text,
        _Role.Accent: tokens.accent,
        _Role.Link: tokens.accent,
        _Role.LinkVisited: tokens.session,
        _Role.Mid: tokens.line,
        _Role.Dark: tokens.handle,
    }


@lru_cache(maxsize=128)
def color(name: str, strength: float = 1.0) -> QColor:
    """A cached QColor, which callers must not change."""
    result = QColor(name)
    result.setAlphaF(strength)
    return result
