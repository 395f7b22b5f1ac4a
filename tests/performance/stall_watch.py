"""Measures the longest time for which the event loop of the window did not run."""

import time
from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer

_INTERVAL = 2  # interval of the timer in milliseconds


class StallWatch:
    """Measures the longest delay of a timer in milliseconds.

    With `time.thread_time` as ``clock`` it measures the longest time that the window's thread has worked
    meanwhile, without what other programs took from it.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.longest = 0.0
        self._clock = clock
        # Waiting for the timer takes no time of the processor.
        self._waited = _INTERVAL if clock is time.perf_counter else 0
        self._last = 0.0
        self._timer = QTimer(timerType=Qt.TimerType.PreciseTimer, interval=_INTERVAL)
        self._timer.timeout.connect(self._measure)

    def start(self) -> None:
        """Starts the timer."""
        self._last = self._clock()
        self._timer.start()

    def _measure(self) -> None:
        now = self._clock()
        self.longest = max(self.longest, (now - self._last) * 1000 - self._waited)
        self._last = now
