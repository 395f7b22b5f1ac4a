"""Colours and bars of rows, each made once: a screen of them is painted many times in a second."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

BAR = 7  # how high the bar is that holds the place of a text
_ROUND = 3
_BAR_STRENGTH = 0.6
_FORMAT = QImage.Format.Format_ARGB32_Premultiplied


@lru_cache(maxsize=128)
def ink(colour: str, strength: float = 1.0) -> QColor:
    """A colour of the colour table; not to be changed, for others have the same."""
    result = QColor(colour)
    result.setAlphaF(strength)
    return result


def canvas(width: float, height: float, ratio: float) -> QImage:
    """Nothing yet, for a screen of this ratio.

    An image and no pixmap: it may be kept for longer than the application.
    """
    result = QImage(-int(-width * ratio // 1), -int(-height * ratio // 1), _FORMAT)
    result.setDevicePixelRatio(ratio)
    result.fill(Qt.GlobalColor.transparent)
    return result


@lru_cache(maxsize=32)
def waiting_bars(stretches: tuple[tuple[int, int], ...], colour: str, ratio: float) -> QImage:
    """What holds the place of texts that are not here yet: the left and the width of each."""
    result = canvas(max(left + width for left, width in stretches), BAR, ratio)
    with QPainter(result) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink(colour, _BAR_STRENGTH))
        for left, width in stretches:
            painter.drawRoundedRect(QRectF(left, 0, width, BAR), _ROUND, _ROUND)
    return result
