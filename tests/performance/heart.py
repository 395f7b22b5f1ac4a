"""A heart that beats on the window's thread, so that its longest pause tells how long nobody was answered."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer

_BEAT = 2  # milliseconds between two beats


class Heart:
    """Notes the longest time in milliseconds for which it could not beat."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = 0.0
        self._timer = QTimer(timerType=Qt.TimerType.PreciseTimer, interval=_BEAT)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Begins to beat."""
        self._last = time.perf_counter()
        self._timer.start()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.longest = max(self.longest, (now - self._last) * 1000 - _BEAT)
        self._last = now
