"""Lets the Tab key go through parts of a page as they are read; knows no page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def in_tab_order(*parts: QWidget) -> None:
    """One part after the other, in each of them as before; what stands in several goes with the first.

    By itself Qt goes by when a widget was made, which seldom is where it stands.
    """
    stops = dict.fromkeys(stop for part in parts for stop in _stops(part))
    for first, second in pairwise(stops):
        QWidget.setTabOrder(first, second)


def _stops(part: QWidget) -> Iterator[QWidget]:
    widget: QWidget | None = part
    while widget is not None:
        if (widget is part or part.isAncestorOf(widget)) and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            yield widget
        widget = _next(widget)
        if widget is part:
            return


def _next(widget: QWidget) -> QWidget | None:
    """The next one, of any part.

    PySide takes what a widget names for a part of it, and would let the whole window go with one button.
    Its own parent, which it has anyway, puts that right.
    """
    found = widget.nextInFocusChain()
    if found is not None:
        found.setParent(found.parentWidget())
    return found
