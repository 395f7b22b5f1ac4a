"""Measures the longest time for which the event loop of the window did not run."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer

_INTERVAL = 2  # interval of the timer in milliseconds


class StallWatch:
    """Measures the longest delay of a timer in milliseconds."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = 0.0
        self._timer = QTimer(timerType=Qt.TimerType.PreciseTimer, interval=_INTERVAL)
        self._timer.timeout.connect(self._measure)

    def start(self) -> None:
        """Starts the timer."""
        self._last = time.perf_counter()
        self._timer.start()

    def _measure(self) -> None:
        now = time.perf_counter()
        self.longest = max(self.longest, (now - self._last) * 1000 - _INTERVAL)
        self._last = now
