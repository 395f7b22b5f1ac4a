"""Keyboard and wheel: shortcuts within a widget, tab order, boxes that ignore the wheel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QWidget


def on_key(key: str, widget: QWidget, act: Callable[[], object], *, inside: bool = False) -> None:
    """Calls ``act`` when ``key`` is pressed in ``widget``, or also ``inside`` of it."""
    # The context is no argument of the constructor: one with a callable ignores it and takes the window's.
    shortcut = QShortcut(QKeySequence(key), widget)
    contexts = Qt.ShortcutContext
    shortcut.setContext(contexts.WidgetWithChildrenShortcut if inside else contexts.WidgetShortcut)
    shortcut.activated.connect(act)


def set_tab_order(*parts: QWidget) -> None:
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


Box = TypeVar("Box", bound=QComboBox | QAbstractSpinBox)


def ignore_wheel(box: Box) -> Box:
    """``box`` itself, which takes the wheel only while it has the focus: who scrolls past changes nothing."""
    # By itself it would take the focus at the first turn of the wheel, and the second would change it.
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.installEventFilter(_Wheel(box))
    return box


class _Wheel(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Ignored and kept from the box, it goes on to what the box stands on."""
        if event.type() != QEvent.Type.Wheel or not isinstance(watched, QWidget) or watched.hasFocus():
            return False
        event.ignore()
        return True
