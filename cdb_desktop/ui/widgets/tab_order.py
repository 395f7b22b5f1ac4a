"""Lets the Tab key go through parts of a page as they are read; knows no page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def in_tab_order(*parts: QWidget) -> None:
    """One part after the other, in each of them as before; what stands in several goes with the first.

    By itself Qt goes by when a widget was made, which seldom is where it stands.
    """
    # One way around for all of them: on a page of a hundred parts it is most of the work.
    around: list[QWidget] = []
    stops: dict[QWidget, None] = {}
    for part in parts:
        if part not in around:
            around = list(_around(part))
        stops |= dict.fromkeys(_stops(part, around))
    for first, second in pairwise(stops):
        QWidget.setTabOrder(first, second)


def _stops(part: QWidget, around: Sequence[QWidget]) -> Iterator[QWidget]:
    """Where the key stops within a part, which ``around`` leads through."""
    start = around.index(part)
    for widget in (*around[start:], *around[:start]):
        if (widget is part or part.isAncestorOf(widget)) and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            yield widget


def _around(part: QWidget) -> Iterator[QWidget]:
    """All that the key could come to from a part on, of any part, until it is back."""
    widget: QWidget | None = part
    while widget is not None:
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
