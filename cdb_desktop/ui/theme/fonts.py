"""Fonts: the platform's own in other sizes, and with digits of one width."""

from __future__ import annotations

from PySide6.QtGui import QFont


def scaled(font: QFont, factor: float, weight: QFont.Weight | None = None) -> QFont:
    """``font`` at ``factor`` times its size, and in ``weight`` if one is given."""
    result = QFont(font)
    result.setPointSizeF(font.pointSizeF() * factor)
    if weight is not None:
        result.setWeight(weight)
    return result


def tabular(font: QFont) -> QFont:
    """``font`` with digits of one width, for columns of numbers."""
    result = QFont(font)
    result.setFeature(QFont.Tag.fromString("tnum"), 1)
    return result
