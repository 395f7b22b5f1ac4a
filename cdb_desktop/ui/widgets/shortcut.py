"""Keys that count only while a widget, or something in it, has the focus."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget


def on_key(key: str, widget: QWidget, act: Callable[[], object], *, inside: bool = False) -> None:
    """Calls ``act`` when ``key`` is pressed in ``widget``, or also ``inside`` of it."""
    # The context is no argument of the constructor: one with a callable ignores it and takes the window's.
    shortcut = QShortcut(QKeySequence(key), widget)
    contexts = Qt.ShortcutContext
    shortcut.setContext(contexts.WidgetWithChildrenShortcut if inside else contexts.WidgetShortcut)
    shortcut.activated.connect(act)
