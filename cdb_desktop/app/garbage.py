"""Collects circles in the window's own thread only, a little at a time. Knows not what they hold."""

from __future__ import annotations

import gc
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

_YOUNG_MS = 500
_ALL_MS = 60_000


class Garbage(QObject):
    """Takes Python's own collector out of service, which runs in whatever thread happens to allocate.

    Circles that hold Qt's objects crash the program when they end in a thread that is not theirs.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        # What stands now are modules, which stay for good: no collection need look at them again.
        gc.freeze()
        self._timers = (self._every(_YOUNG_MS, lambda: gc.collect(1)), self._every(_ALL_MS, gc.collect))

    def stop(self) -> None:
        """Collects no more: of a window that is going, Qt may still call what has been cleared."""
        for timer in self._timers:
            timer.stop()

    def _every(self, milliseconds: int, collect: Callable[[], int]) -> QTimer:
        timer = QTimer(self)
        timer.timeout.connect(collect)
        timer.start(milliseconds)
        return timer
