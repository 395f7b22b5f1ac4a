"""How long the process has been running."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], float]


def process_clock() -> Clock:
    """A clock of the milliseconds since the process started; to be made before anything slow is done.

    Until here the process has done nothing but compute, so its computing time is its age. The system's own
    record would count a shell that became this process as well.
    """
    began = time.perf_counter() - time.process_time()
    return lambda: (time.perf_counter() - began) * 1000
