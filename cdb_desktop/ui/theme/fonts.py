"""The platform's typeface in the few sizes and kinds that are used; knows no widget."""

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
    """``font`` with figures of one width, so that columns of numbers stand still."""
    result = QFont(font)
    result.setFeature(QFont.Tag.fromString("tnum"), 1)
    return result
