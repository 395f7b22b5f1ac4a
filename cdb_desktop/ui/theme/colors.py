"""Qt's palettes for the Fusion style, made of a table of colors."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QPalette

from cdb_desktop.ui.theme.tokens import Tokens

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
