"""Keyboard and wheel: shortcuts of a widget, tab order, boxes that ignore the wheel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QWidget

Box = TypeVar("Box", bound=QComboBox | QAbstractSpinBox)


def on_key(key: str, widget: QWidget, act: Callable[[], object], *, inside: bool = False) -> None:
    """Calls ``act`` when ``key`` is pressed in ``widget``, or also ``inside`` of it."""
    # The context is no argument of the constructor: one with a callable ignores it and takes the window's.
    shortcut = QShortcut(QKeySequence(key), widget)
    contexts = Qt.ShortcutContext
    shortcut.setContext(contexts.WidgetWithChildrenShortcut if inside else contexts.WidgetShortcut)
    shortcut.activated.connect(act)


def leave_keys(widget: QWidget, *keys: str) -> None:
    """Leaves ``keys`` to the actions of the window, which ``widget`` would handle while it has the focus."""
    _LeftKeys(widget, frozenset(QKeySequence(key).toString() for key in keys))


def set_tab_order(*parts: QWidget) -> None:
    """Sets the tab order of ``parts``; inside a part it stays, and a widget of several parts is in the first.

    Qt's own order is that in which the widgets were created.
    """
    # The focus chain is read once for all parts: on a large page that is most of the work.
    around: list[QWidget] = []
    stops: dict[QWidget, None] = {}
    for part in parts:
        if part not in around:
            around = list(_around(part))
        stops |= dict.fromkeys(_stops(part, around))
    for first, second in pairwise(stops):
        QWidget.setTabOrder(first, second)


def _stops(part: QWidget, around: Sequence[QWidget]) -> Iterator[QWidget]:
    """The widgets of ``part`` with tab focus, in the order of the focus chain ``around``."""
    start = around.index(part)
    for widget in (*around[start:], *around[:start]):
        if (widget is part or part.isAncestorOf(widget)) and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            yield widget


def _around(part: QWidget) -> Iterator[QWidget]:
    """The focus chain from ``part`` on."""
    widget: QWidget | None = part
    while widget is not None:
        yield widget
        widget = _next(widget)
        if widget is part:
            return


def _next(widget: QWidget) -> QWidget | None:
    """The next widget of the focus chain.

    PySide makes the returned widget a child of ``widget`` and would delete both together; setting its own
    parent again prevents that.
    """
    found = widget.nextInFocusChain()
    if found is not None:
        found.setParent(found.parentWidget())
    return found


def ignore_wheel(box: Box) -> Box:
    """Lets ``box`` use the wheel only while it has the focus, so that scrolling past does not change it.

    Returns ``box``.
    """
    # With the default policy the wheel itself sets the focus.
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.installEventFilter(_Wheel(box))
    return box


class _LeftKeys(QObject):
    """A filter, as an override of ``event`` in Python would also be called while Qt destroys the widget."""

    def __init__(self, widget: QWidget, keys: frozenset[str]) -> None:
        super().__init__(widget)
        self._keys = keys
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Does not let the widget claim the keys before they become shortcuts."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.ShortcutOverride:
            return False
        is_left = QKeySequence(event.keyCombination()).toString() in self._keys
        if is_left:
            event.ignore()
        return is_left


class _Wheel(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() != QEvent.Type.Wheel or not isinstance(watched, QWidget) or watched.hasFocus():
            return False
        event.ignore()
        return True
